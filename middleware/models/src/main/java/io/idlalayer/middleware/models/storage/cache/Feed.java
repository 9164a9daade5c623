package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;

/** Where the bytes of a file come from at the moment. For one thread. */
interface Feed {
  /** Returned by {@link #read} if the feed has no more bytes, although the file has. */
  int GONE = -2;

  /**
   * Reads bytes at a position, which only grows from call to call.
   *
   * @param length above 0
   * @return number of bytes; -1 at the end of the file; {@link #GONE} if another feed has to go on
   *     from this position
   * @throws IOException if the source cannot be read
   */
  int read(long position, byte[] into, int from, int length) throws IOException;

  /** Releases what the feed holds. */
  void close() throws IOException;
}
