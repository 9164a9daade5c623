package io.idlalayer.middleware.memory.device;

/** The way by which a device was measured. */
public enum ProbePath {
  /** Measured by loads and stores that reach the medium: DRAM, or a file on a DAX mount. */
  MEMORY("by loads and stores"),
  /** A file, past the page cache: at the speed of the medium. */
  DIRECT("past the page cache"),
  /**
   * A mapped file, in the page cache because its file system allows nothing else: at the speed of
   * DRAM.
   */
  PAGE_CACHE("in the page cache");

  private final String words;

  ProbePath(String words) {
    this.words = words;
  }

  /** Words for a line of text, after "measured". */
  public String words() {
    return words;
  }
}
