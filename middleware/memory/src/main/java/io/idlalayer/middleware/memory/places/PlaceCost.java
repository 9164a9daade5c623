package io.idlalayer.middleware.memory.places;

import io.idlalayer.middleware.memory.copy.Slowdown;
import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * The cost of a place in nanoseconds, as this process measures it: the speed that a probe found,
 * corrected by the durations of later copies. Any thread.
 *
 * <p>Source: cost of locations in UniRedl (Rang 2021, chapter 7), latency plus bytes by bandwidth.
 * There it comes from a table; here it is measured for each pair of processes.
 */
public final class PlaceCost {
  /** Size in bytes of the tensor for which costs of places are compared: 1 MiB. */
  public static final long COMPARED_BYTES = 1 << 20;

  private static final double NANOS_PER_SECOND = 1e9;

  private DeviceSpeed probed;
  private Slowdown reads = new Slowdown();
  private Slowdown writes = new Slowdown();

  /**
   * Creates the cost of a place that has been probed.
   *
   * @param probed speed that the probe found
   */
  public PlaceCost(DeviceSpeed probed) {
    this.probed = probed;
  }

  /** Replaces the known speed by the result of another probe. */
  public synchronized void probed(DeviceSpeed speed) {
    probed = speed;
    reads = new Slowdown();
    writes = new Slowdown();
  }

  /**
   * Adds a measured copy.
   *
   * @param written whether the bytes were written to the place, and not read from it
   * @param nanos its duration in nanoseconds
   */
  public synchronized void observe(long bytes, boolean written, long nanos) {
    (written ? writes : reads).observe(bytes, nanos, predictedNanos(bytes, written));
  }

  /**
   * Returns the expected duration of a copy in nanoseconds.
   *
   * @param written whether the bytes are written to the place, and not read from it
   */
  public synchronized long nanos(long bytes, boolean written) {
    return Math.round(predictedNanos(bytes, written) * (written ? writes.ratio() : reads.ratio()));
  }

  /**
   * Returns the expected duration in nanoseconds of writing a tensor of {@link #COMPARED_BYTES} to
   * the place and reading it back.
   */
  public long roundTripNanos() {
    return nanos(COMPARED_BYTES, true) + nanos(COMPARED_BYTES, false);
  }

  private long predictedNanos(long bytes, boolean written) {
    double perSecond = written ? probed.writeBytesPerSecond() : probed.readBytesPerSecond();
    long latency = written ? probed.writeLatencyNanos() : probed.readLatencyNanos();
    return latency + Math.round(bytes / perSecond * NANOS_PER_SECOND);
  }
}
