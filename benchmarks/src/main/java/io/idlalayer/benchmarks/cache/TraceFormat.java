package io.idlalayer.benchmarks.cache;

import java.util.Locale;

/** How a recorded trace of cache references is written. */
public enum TraceFormat {
  /** One decimal key per line. */
  KEYS,
  /** One decimal block number per line, marker lines with a star between phases. */
  LIRS,
  /** Lines of first block, number of blocks, ignored, sequence number. */
  ARC,
  /** Binary: one big-endian 32-bit key after the other. */
  CACHE2K;

  /** Returns the name of this format on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
