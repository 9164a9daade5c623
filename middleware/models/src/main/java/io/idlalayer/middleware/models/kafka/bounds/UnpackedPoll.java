package io.idlalayer.middleware.models.kafka.bounds;

/** Counts what the current poll has unpacked. Confined to the thread of its consumer. */
final class UnpackedPoll {
  private final UnpackLimits limits;
  private long bytes;

  UnpackedPoll(UnpackLimits limits) {
    this.limits = limits;
  }

  UnpackLimits limits() {
    return limits;
  }

  void begin() {
    bytes = 0;
  }

  void add(int unpacked) {
    bytes += unpacked;
  }

  boolean isFull() {
    return bytes >= limits.pollBytes();
  }
}
