package io.idlalayer.middleware.cache;

/** Numbers of blocks, bytes and evictions of a segment. */
record SegmentHolding(
    int blocks,
    long payloadBytes,
    long allocatedBytes,
    long regionBytes,
    long metadataBytes,
    long evictions) {
  static final SegmentHolding NONE = new SegmentHolding(0, 0, 0, 0, 0, 0);

  SegmentHolding plus(SegmentHolding other) {
    return new SegmentHolding(
        blocks + other.blocks,
        payloadBytes + other.payloadBytes,
        allocatedBytes + other.allocatedBytes,
        regionBytes + other.regionBytes,
        metadataBytes + other.metadataBytes,
        evictions + other.evictions);
  }
}
