package io.idlalayer.jobs.recovery;

import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;

/**
 * A stream that reads a file of the work directory in large pieces. Flink restores a savepoint in
 * the canonical format with reads of a few bytes each and without a buffer. Without this class,
 * each read would be a call of the operating system. A read that is at least as long as the buffer
 * bypasses the buffer. Confined to one thread, but another thread is allowed to close the stream.
 */
final class BufferedInput extends FSDataInputStream {
  /** Size in bytes of the buffer for a file of the work directory. */
  static final int BYTES = 64 << 10;

  private final FSDataInputStream file;
  private final byte[] buffer;

  /** Position in the file of the first byte in the buffer. */
  private long start;

  private int next;
  private int end;

  BufferedInput(FSDataInputStream file, int bytes) throws IOException {
    this.file = file;
    buffer = new byte[bytes];
    start = file.getPos();
  }

  @Override
  public long getPos() {
    return start + next;
  }

  @Override
  public void seek(long position) throws IOException {
    if (position >= start && position <= start + end) {
      next = (int) (position - start);
    } else {
      file.seek(position);
      empty(position);
    }
  }

  @Override
  public int read() throws IOException {
    if (next == end && !fill()) {
      return -1;
    }
    return Byte.toUnsignedInt(buffer[next++]);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (next == end) {
      if (length >= buffer.length) {
        int count = file.read(target, offset, length);
        empty(start + end + Math.max(0, count));
        return count;
      }
      if (!fill()) {
        return -1;
      }
    }
    int count = Math.min(length, end - next);
    System.arraycopy(buffer, next, target, offset, count);
    next += count;
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    long buffered = Math.min(Math.max(0, count), end - next);
    next += (int) buffered;
    if (buffered == count || count <= 0) {
      return buffered;
    }
    long skipped = file.skip(count - buffered);
    empty(start + end + skipped);
    return buffered + skipped;
  }

  @Override
  public int available() throws IOException {
    return (int) Math.min(Integer.MAX_VALUE, (long) end - next + file.available());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Empties the buffer, and records the position in the file. */
  private void empty(long position) {
    start = position;
    next = 0;
    end = 0;
  }

  private boolean fill() throws IOException {
    empty(start + end);
    int count = file.read(buffer, 0, buffer.length);
    end = Math.max(0, count);
    return count > 0;
  }
}
