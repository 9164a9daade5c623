package io.idlalayer.middleware.embedding.serve;

import java.io.IOException;
import java.util.Locale;

/** Bytes of heap that rows may take while they are read. Confined to one thread. */
final class HeapBudget {
  private final long mostBytes;
  private long usedBytes;

  HeapBudget(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * Takes bytes before they are allocated.
   *
   * @throws IOException if they are not there
   */
  void take(long bytes) throws IOException {
    if (!has(bytes)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the rows take more than the %d bytes of heap that are left for them; give the"
                  + " process a larger heap (-Xmx), or keep rows in a mapped file",
              mostBytes));
    }
    usedBytes += bytes;
  }

  boolean has(long bytes) {
    return bytes <= mostBytes - usedBytes;
  }
}
