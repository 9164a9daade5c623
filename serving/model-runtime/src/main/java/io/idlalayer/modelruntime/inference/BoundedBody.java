package io.idlalayer.modelruntime.inference;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The body of a request, limited to a number of bytes; it reports each part that has been read. */
final class BoundedBody extends FilterInputStream {
  private final long most;
  private final Runnable progress;
  private long seen;

  /** Thrown if the body is too long. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;
  }

  BoundedBody(InputStream in, long most, Runnable progress) {
    super(in);
    this.most = most;
    this.progress = progress;
  }

  /** Does nothing: the handler may read on, and the HTTP exchange closes the body. */
  @Override
  public void close() {}

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    int count = super.read(into, from, length);
    // Only whole parts count, so that a client cannot hold a thread with a byte now and then.
    long parts = seen / InferenceServer.PART_BYTES;
    seen += Math.max(0, count);
    if (seen > most) {
      throw new TooLongException();
    }
    if (seen / InferenceServer.PART_BYTES > parts) {
      progress.run();
    }
    return count;
  }
}
