package io.idlalayer.middleware.capacity;

import java.util.Locale;

/** The rule that says which neighbour lends the pages that a device moves out (Kwon 2018). */
public enum PagePlacement {
  /** All pages are on the left neighbour. */
  LOCAL,
  /** Pages alternate between the left and the right neighbour; an odd page is on the left. */
  BW_AWARE;

  /** Size of a page in bytes. */
  public static final long PAGE_BYTES = 64L << 10;

  /**
   * Returns how many of some pages are on the left neighbour; the others are on the right.
   *
   * @param pages number of pages, at least 0
   */
  public long leftPages(long pages) {
    return this == LOCAL ? pages : (pages + 1) / 2;
  }

  /**
   * Returns how many of some bytes are on the left neighbour; the last page may be partly empty.
   *
   * @param bytes number of bytes, at least 0
   */
  public long leftBytes(long bytes) {
    long pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    long left = leftPages(pages) * PAGE_BYTES;
    // With an odd number of pages the last one, which may be partly empty, is on the left.
    boolean lastIsLeft = this == LOCAL || pages % 2 == 1;
    return lastIsLeft ? left - (pages * PAGE_BYTES - bytes) : left;
  }

  /** Returns the name of this placement in tables. */
  public String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
