package io.idlalayer.middleware.memory.device;

/** The way by which the probe reached a device's bytes. */
public enum ProbePath {
  /** Measured by loads and stores that reach the medium: DRAM, or a file on a DAX mount. */
  MEMORY("by loads and stores"),
  /** Measured on a file past the page cache, at the speed of the medium. */
  DIRECT("past the page cache"),
  /**
   * Measured on a mapped file in the page cache, because its file system allows nothing else; the
   * result is the speed of DRAM.
   */
  PAGE_CACHE("in the page cache");

  private final String words;

  ProbePath(String words) {
    this.words = words;
  }

  /** Returns words that complete "measured ..." in a line of text. */
  public String words() {
    return words;
  }
}
