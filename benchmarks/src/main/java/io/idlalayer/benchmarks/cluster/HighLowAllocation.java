package io.idlalayer.benchmarks.cluster;

/**
 * Which share of new data goes to DRAM, so that DRAM and NVM are used at the same time: HiLowAlloc
 * of UniRedl (Rang 2021, chapter 7) with the errata of its formulas: p belongs to reads and q to
 * writes.
 *
 * @param dram speed of the DRAM
 * @param nvm speed of the slower memory
 * @param reads share of reads among the accesses, 0 to 1
 */
record HighLowAllocation(Medium dram, Medium nvm, double reads) {
  HighLowAllocation {
    if (!(reads >= 0 && reads <= 1)) {
      throw new IllegalArgumentException("%s is no share of reads; 0 to 1 is".formatted(reads));
    }
    if (!(dram.readNanos() > 0 && nvm.readNanos() > 0 && nvm.writeNanos() > 0)) {
      throw new IllegalArgumentException("latencies of 0 have no ratio");
    }
  }

  /**
   * Creates an allocation from both shares.
   *
   * @throws IllegalArgumentException if the shares do not add up to 1
   */
  static HighLowAllocation of(Medium dram, Medium nvm, double reads, double writes) {
    if (!(Math.abs(reads + writes - 1) < 1e-9)) {
      throw new IllegalArgumentException(
          "shares of %s reads and %s writes; they must add up to 1".formatted(reads, writes));
    }
    return new HighLowAllocation(dram, nvm, reads);
  }

  /** Returns DRAM latency by latency of the slower memory. */
  double latencyRatio() {
    return dram.readNanos() / (reads * nvm.readNanos() + (1 - reads) * nvm.writeNanos());
  }

  /** Returns bandwidth of the slower memory by that of DRAM. */
  double bandwidthRatio() {
    return nvm.readBytesPerNano() / dram.readBytesPerNano();
  }

  /** Returns the share of DRAM if a ratio is the bytes of NVM for each byte of DRAM. */
  static double dramShare(double ratio) {
    return 1 / (1 + ratio);
  }

  /** Returns the share of DRAM that the source's rule gives: by the larger of both ratios. */
  double paperShare() {
    return dramShare(Math.max(latencyRatio(), bandwidthRatio()));
  }

  /**
   * Returns the share of DRAM with the least time of accesses.
   *
   * @param latencyBound share of the accesses that wait for latency and not for bandwidth, 0 to 1
   * @param most largest share for which there is room
   */
  double modelShare(double latencyBound, double most) {
    if (!(latencyBound >= 0 && latencyBound <= 1)) {
      throw new IllegalArgumentException("a latency-bound share of %s".formatted(latencyBound));
    }
    // The time is linear on each side of the share that balances the bandwidths.
    double balanced = Math.min(most, dramShare(bandwidthRatio()));
    return time(latencyBound, most) <= time(latencyBound, balanced) ? most : balanced;
  }

  /** Time of a share, as a multiple of all accesses in DRAM. */
  private double time(double latencyBound, double share) {
    double bandwidth = Math.max(share, (1 - share) / bandwidthRatio());
    double latency = share + (1 - share) / latencyRatio();
    return (1 - latencyBound) * bandwidth + latencyBound * latency;
  }

  /**
   * Where bytes go.
   *
   * @param diskBytes what neither memory has room for
   */
  record Split(long dramBytes, long nvmBytes, long diskBytes) {}

  /**
   * Splits bytes by a share, within the room of both memories.
   *
   * @param share share of DRAM, 0 to 1
   */
  static Split split(long bytes, double share, long dramRoom, long nvmRoom) {
    long wanted = Math.min(dramRoom, Math.round(bytes * share));
    long nvm = Math.min(nvmRoom, bytes - wanted);
    long dram = Math.min(dramRoom, bytes - nvm);
    return new Split(dram, nvm, bytes - dram - nvm);
  }
}
