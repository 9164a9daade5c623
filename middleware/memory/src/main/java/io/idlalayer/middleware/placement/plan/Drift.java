package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * When a measurement has changed so much that what was decided by it no longer holds: the plan of a
 * step, its periods, and whether tensors migrate until there is a new plan. All of them ask here,
 * so that a device for which plans are not followed any more is always one for which the desk plans
 * anew.
 */
public final class Drift {
  /** A measurement has changed if it is more than this many times as large or as small. */
  public static final double FACTOR = 1.2;

  private Drift() {}

  /**
   * Returns whether a measurement has changed.
   *
   * @param then the measurement that was decided by, above 0; 0 if none was, so that nothing has
   *     changed
   * @param now the present measurement in the same unit
   */
  public static boolean changed(double then, double now) {
    return then > 0 && (now > then * FACTOR || now * FACTOR < then);
  }

  /** Returns the bandwidth by which drifts of a device are noticed: bytes read and written. */
  public static double bytesPerSecond(DeviceSpeed speed) {
    return speed.readBytesPerSecond() + speed.writeBytesPerSecond();
  }
}
