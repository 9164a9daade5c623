package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** Bytes of the source, from a position on. Nothing is written into the folder. */
final class SourceFeed implements Feed {
  private final InputStream source;
  private final LongConsumer read;

  /**
   * @param source stream that begins at the position of the first read
   * @param read told the number of bytes of each read
   */
  SourceFeed(InputStream source, LongConsumer read) {
    this.source = source;
    this.read = read;
  }

  @Override
  public int read(long position, byte[] into, int from, int length) throws IOException {
    int count = source.read(into, from, length);
    read.accept(Math.max(0, count));
    return count;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
