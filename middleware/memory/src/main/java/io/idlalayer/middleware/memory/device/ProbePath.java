package io.idlalayer.middleware.memory.device;

/** By which way a device was measured. */
public enum ProbePath {
  /** As programs use it, by loads and stores that end in the medium: DRAM, or a DAX mount. */
  MEMORY("by loads and stores"),
  /** A file past the page cache: what the medium gives if the cache has no room. */
  DIRECT("past the page cache"),
  /** A mapped file in the page cache, whose file system allows nothing else: says little. */
  PAGE_CACHE("in the page cache");

  private final String words;

  ProbePath(String words) {
    this.words = words;
  }

  /** For people, after "measured". */
  public String words() {
    return words;
  }
}
