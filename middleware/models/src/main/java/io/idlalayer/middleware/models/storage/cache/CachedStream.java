package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of a file, from the folder as far as possible. Where a copy is damaged or the folder
 * fails, the stream goes on from the same byte. One thread.
 */
final class CachedStream extends InputStream {
  private static final Logger LOG = LoggerFactory.getLogger(CachedStream.class);

  /** Finds the feed that goes on. */
  @FunctionalInterface
  interface Next {
    /**
     * @param position first byte to be read
     * @param changes number of feeds before
     */
    Feed feed(long position, int changes) throws IOException;
  }

  private final Next next;
  private Feed feed;
  private long position;
  private int changes;
  private boolean closed;

  /**
   * @param from position of the first byte
   * @throws IOException if the file cannot be opened
   */
  CachedStream(Next next, long from) throws IOException {
    this.next = next;
    position = from;
    feed = next.feed(from, 0);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, into.length);
    if (closed) {
      throw new IOException("the stream was closed");
    }
    if (length == 0) {
      return 0;
    }
    int count = feed.read(position, into, from, length);
    while (count == Feed.GONE) {
      changes++;
      Feed before = feed;
      // If there is no next feed, the one before is closed once, by close().
      feed = next.feed(position, changes);
      try {
        before.close();
      } catch (IOException unclosed) {
        LOG.debug("not closed well", unclosed);
      }
      count = feed.read(position, into, from, length);
    }
    position += Math.max(0, count);
    return count;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      feed.close();
    }
  }
}
