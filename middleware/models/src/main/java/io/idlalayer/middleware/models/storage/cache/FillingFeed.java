package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;

/** Bytes of a file that this process is reading from its source. */
final class FillingFeed implements Feed {
  private static final int NONE = -1;

  private final Fillings fillings;
  private final Filling filling;
  private final byte[] block;

  /** Number of the block in {@link #block}. */
  private int loaded = NONE;

  FillingFeed(Fillings fillings, Filling filling) {
    this.fillings = fillings;
    this.filling = filling;
    block = new byte[CopyFormat.blockBytes(filling.name().bytes(), 0)];
  }

  @Override
  public int read(long position, byte[] into, int from, int length) throws IOException {
    long bytes = filling.name().bytes();
    if (position >= bytes) {
      return -1;
    }
    int number = (int) (position / CopyFormat.BLOCK_BYTES);
    if (number != loaded) {
      loaded = NONE;
      if (!filling.read(number, block)) {
        return GONE;
      }
      loaded = number;
    }
    int at = (int) (position % CopyFormat.BLOCK_BYTES);
    int count = Math.min(length, CopyFormat.blockBytes(bytes, number) - at);
    System.arraycopy(block, at, into, from, count);
    return count;
  }

  @Override
  public void close() throws IOException {
    fillings.leave(filling);
  }
}
