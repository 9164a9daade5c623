package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/**
 * A part of a kernel's work that uses only some bytes of its arguments. Pieces are processed in
 * their order.
 *
 * @param ranges bytes that it uses; ranges of a kernel's pieces that are written do not overlap
 */
public record Piece(List<Range> ranges) {
  /** How a piece uses bytes. */
  public enum Use {
    READS,
    /** Reads and writes. */
    CHANGES,
    /** Reads, and may overwrite, because the bytes are not needed afterwards. */
    USES_UP
  }

  /**
   * A range of bytes of an argument.
   *
   * @param offset offset of the first byte in the object
   * @param bytes number of bytes, above 0
   */
  public record Range(MemObject object, long offset, long bytes, Use use) {
    public Range {
      if (offset < 0 || bytes <= 0 || offset > object.bytes() - bytes) {
        throw new IllegalArgumentException(
            "%d bytes from %d are not all in %s".formatted(bytes, offset, object));
      }
    }
  }

  public Piece {
    ranges = List.copyOf(ranges);
  }
}
