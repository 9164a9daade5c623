package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.List;

/**
 * A part of a kernel's work that needs only certain byte ranges of its arguments. Pieces are
 * processed in their order.
 *
 * @param ranges bytes that it uses; ranges of a kernel's pieces that are written do not overlap
 */
public record Piece(List<Range> ranges) {
  /** Ways in which a piece uses a byte range. */
  public enum Use {
    READS,
    /** The piece reads and writes the bytes. */
    CHANGES,
    /** The piece reads the bytes and may overwrite them, because they are not needed afterwards. */
    USES_UP
  }

  /**
   * A byte range of one argument, with the way in which the piece uses it.
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
