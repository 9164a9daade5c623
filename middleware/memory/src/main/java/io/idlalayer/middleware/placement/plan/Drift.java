package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * The rule that says when a measurement has changed so much that decisions based on it no longer
 * hold. These decisions are the plan of a step, its periods, and whether tensors migrate until
 * there is a new plan. All of them use this one rule, so whenever a plan is no longer followed
 * because the device has changed, the desk also plans anew.
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

  /**
   * Returns the bandwidth that is compared to notice that a device has changed: bytes per second,
   * reading and writing together.
   */
  public static double bytesPerSecond(DeviceSpeed speed) {
    return speed.readBytesPerSecond() + speed.writeBytesPerSecond();
  }
}
