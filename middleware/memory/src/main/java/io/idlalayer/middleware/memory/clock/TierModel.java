package io.idlalayer.middleware.memory.clock;

import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * Cost model: predicts how long copies and kernels take on devices of given speeds.
 *
 * @param writeEfficiency share of the slow device's write bandwidth that ordinary stores of a
 *     kernel reach, above 0 to 1; copies reach all of it
 */
public record TierModel(double writeEfficiency) {
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Default model, in which the ordinary stores of a kernel reach a third of the slow device's
   * write bandwidth.
   */
  public static final TierModel DEFAULT = new TierModel(0.33);

  public TierModel {
    if (!(writeEfficiency > 0) || writeEfficiency > 1) {
      throw new IllegalArgumentException(
          "a write efficiency of " + writeEfficiency + "; above 0 to 1 is needed");
    }
  }

  /**
   * Returns the predicted nanoseconds of a copy: the slower of reading and writing, plus the
   * latencies of both devices.
   */
  public static long copyNanos(DeviceSpeed source, DeviceSpeed target, long bytes) {
    double seconds =
        Math.max(bytes / source.readBytesPerSecond(), bytes / target.writeBytesPerSecond());
    return Math.round(seconds * NANOS_PER_SECOND)
        + source.readLatencyNanos()
        + target.writeLatencyNanos();
  }

  /**
   * Returns the predicted nanoseconds of a kernel with some arguments on the slow device: reading
   * slow inputs overlaps with computing, writing slow outputs does not.
   *
   * @param fastNanos with everything on the fast device
   */
  public long kernelNanos(
      DeviceSpeed slow, long fastNanos, long slowInputBytes, long slowOutputBytes) {
    double reading = slowInputBytes / slow.readBytesPerSecond() * NANOS_PER_SECOND;
    double writing =
        slowOutputBytes / (writeEfficiency * slow.writeBytesPerSecond()) * NANOS_PER_SECOND;
    return Math.round(Math.max((double) fastNanos, reading) + writing);
  }
}
