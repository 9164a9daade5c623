package io.idlalayer.middleware.memory.device;

/**
 * The specification of a device: its kind, size, alignment and speed.
 *
 * @param name for messages, reports and metrics; unique within a memory
 * @param capacityBytes a positive multiple of the alignment
 * @param alignBytes a power of two; regions begin at and are rounded up to multiples of it
 */
public record DeviceSpec(
    String name, DeviceKind kind, long capacityBytes, int alignBytes, DeviceSpeed speed) {
  /** Default alignment of regions: one cache line. */
  public static final int DEFAULT_ALIGN_BYTES = 64;

  public DeviceSpec {
    if (alignBytes < 1 || Integer.bitCount(alignBytes) != 1) {
      throw new IllegalArgumentException(
          "device %s: an alignment of %d bytes; a power of two is needed"
              .formatted(name, alignBytes));
    }
    if (capacityBytes <= 0 || capacityBytes % alignBytes != 0) {
      throw new IllegalArgumentException(
          "device %s: a capacity of %d bytes; a positive multiple of %d is needed"
              .formatted(name, capacityBytes, alignBytes));
    }
  }

  /** Creates the specification of a device whose regions are aligned to cache lines. */
  public DeviceSpec(String name, DeviceKind kind, long capacityBytes, DeviceSpeed speed) {
    this(name, kind, capacityBytes, DEFAULT_ALIGN_BYTES, speed);
  }

  /** Returns the number of bytes that a region for some payload bytes occupies after alignment. */
  public long alignedBytes(long bytes) {
    return (bytes + alignBytes - 1) & -alignBytes;
  }
}
