package io.idlalayer.benchmarks.cluster;

/**
 * Speed of a memory, or of a link between nodes.
 *
 * @param readNanos latency of a read, in nanoseconds, at least 0
 * @param writeNanos latency of a write, in nanoseconds, at least 0
 * @param readBytesPerNano read bandwidth, in bytes per nanosecond (GB/s), above 0
 * @param writeBytesPerNano write bandwidth, in bytes per nanosecond, above 0
 */
record Medium(
    double readNanos, double writeNanos, double readBytesPerNano, double writeBytesPerNano) {
  /** DRAM of the source: 90 ns, 36 GB/s. */
  static final Medium DRAM = new Medium(90, 90, 36, 36);

  /** Emulated persistent memory of the source: 3 and 8 times the latency, half the bandwidth. */
  static final Medium NVM = new Medium(270, 720, 18, 18);

  /** A disk: 100 us, 0.5 GB/s. */
  static final Medium DISK = new Medium(100_000, 100_000, 0.5, 0.5);

  /** A link between the sockets of one machine: 150 ns, 17 GB/s. */
  static final Medium SOCKET = new Medium(150, 150, 17, 17);

  /** Ethernet of 1 Gbit/s: 100 us, 0.117 GB/s. */
  static final Medium GIGABIT = new Medium(100_000, 100_000, 0.117, 0.117);

  Medium {
    if (!(readNanos >= 0
        && writeNanos >= 0
        && readBytesPerNano > 0
        && writeBytesPerNano > 0
        && Double.isFinite(readNanos + writeNanos + readBytesPerNano + writeBytesPerNano))) {
      throw new IllegalArgumentException(
          "latencies of %s and %s ns, %s and %s GB/s; latencies must be at least 0, bandwidths above 0"
              .formatted(readNanos, writeNanos, readBytesPerNano, writeBytesPerNano));
    }
  }

  /** Returns the nanoseconds of one access. */
  double nanos(double bytes, boolean write) {
    return write ? writeNanos + bytes / writeBytesPerNano : readNanos + bytes / readBytesPerNano;
  }
}
