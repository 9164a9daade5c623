package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/**
 * A part of a kernel's work that touches only some bytes of its arguments. Pieces are worked on in
 * their order.
 *
 * @param ranges what it touches; the ranges of the pieces of a kernel do not overlap where they are
 *     written
 */
public record Piece(List<Range> ranges) {
  /** What a piece does with bytes. */
  public enum Use {
    READS,
    /** Reads and writes. */
    CHANGES,
    /** Reads, and may overwrite: nobody needs them afterwards. */
    USES_UP
  }

  /**
   * Bytes of an argument.
   *
   * @param offset of the first one in the object
   * @param bytes above 0
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
