package io.idlalayer.middleware.memory.device;

/**
 * The speed of a device: measured ({@link DeviceProbe}), scaled from a measurement ({@link
 * #slowerThan}) or given.
 *
 * @param readBytesPerSecond sequential read bandwidth, above 0
 * @param writeBytesPerSecond sequential write bandwidth, above 0
 * @param readLatencyNanos latency of one read
 * @param writeLatencyNanos latency of one write
 * @param writeGranuleBytes size below which all writes take equally long
 * @param maxWriterThreads number of writers above which the bandwidth does not grow
 */
public record DeviceSpeed(
    double readBytesPerSecond,
    double writeBytesPerSecond,
    long readLatencyNanos,
    long writeLatencyNanos,
    int writeGranuleBytes,
    int maxWriterThreads) {
  private static final double SLOW_READ_SHARE = 30.0 / 110;
  private static final double SLOW_WRITE_SHARE = 11.0 / 110;
  private static final int SLOW_LATENCIES = 3;
  private static final int SLOW_GRANULE_BYTES = 256;
  private static final int SLOW_WRITERS = 4;

  public DeviceSpeed {
    if (!(readBytesPerSecond > 0) || !(writeBytesPerSecond > 0)) {
      throw new IllegalArgumentException(
          "reads at %s and writes at %s bytes per second; both must be above 0"
              .formatted(readBytesPerSecond, writeBytesPerSecond));
    }
    if (readLatencyNanos < 0 || writeLatencyNanos < 0) {
      throw new IllegalArgumentException(
          "latencies of %d and %d ns; none may be negative"
              .formatted(readLatencyNanos, writeLatencyNanos));
    }
    if (writeGranuleBytes < 1 || maxWriterThreads < 1) {
      throw new IllegalArgumentException(
          "a write granule of %d bytes and %d writers; both must be at least 1"
              .formatted(writeGranuleBytes, maxWriterThreads));
    }
  }

  /**
   * Returns a speed with one bandwidth, in bytes per second, and one latency for both reads and
   * writes.
   */
  public static DeviceSpeed symmetric(double bytesPerSecond, long latencyNanos) {
    return new DeviceSpeed(bytesPerSecond, bytesPerSecond, latencyNanos, latencyNanos, 64, 64);
  }

  /**
   * Returns the speed of a slower device, on which each read and each write takes longer by a
   * factor.
   *
   * @param reads how many times as long reading takes, above 0
   * @param writes how many times as long writing takes, above 0
   */
  public DeviceSpeed slowedBy(double reads, double writes) {
    if (!(reads > 0) || !(writes > 0)) {
      throw new IllegalArgumentException(
          "reading takes %s times as long and writing %s; both must be above 0"
              .formatted(reads, writes));
    }
    return new DeviceSpeed(
        readBytesPerSecond / reads,
        writeBytesPerSecond / writes,
        Math.round(readLatencyNanos * reads),
        Math.round(writeLatencyNanos * writes),
        writeGranuleBytes,
        maxWriterThreads);
  }

  /**
   * Returns the speed of an emulated slow device: slower than a given fast one by the ratios of
   * persistent memory to DRAM. The ratios are those of the literature: reads at 30/110, writes at
   * 11/110 of the fast device's reads, three times its latency, four writers.
   */
  public static DeviceSpeed slowerThan(DeviceSpeed fast) {
    return new DeviceSpeed(
        SLOW_READ_SHARE * fast.readBytesPerSecond,
        SLOW_WRITE_SHARE * fast.readBytesPerSecond,
        SLOW_LATENCIES * fast.readLatencyNanos,
        SLOW_LATENCIES * fast.writeLatencyNanos,
        SLOW_GRANULE_BYTES,
        SLOW_WRITERS);
  }
}
