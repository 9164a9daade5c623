package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.copy.Extent;

/**
 * A range of bytes within a region. A caller that copies from or to the range holds a lease on the
 * region's object until the copy has ended.
 *
 * @param offset offset of the first byte in the region
 * @param bytes number of bytes, above 0
 */
public record ByteRange(Region region, long offset, long bytes) {
  public ByteRange {
    if (offset < 0 || bytes <= 0 || offset > region.bytes() - bytes) {
      throw new IllegalArgumentException(
          "%d bytes from %d are not all in %s".formatted(bytes, offset, region));
    }
  }

  Extent extent() {
    return new Extent(
        region.device.id, region.device.spec, region.device.arena, region.offset + offset, bytes);
  }

  /** Creates the range of a region's first bytes. */
  ByteRange(Region region, long bytes) {
    this(region, 0, bytes);
  }
}
