package io.idlalayer.modelcontroller.engine.compile;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;

/** A stream that keeps the first bytes of an array and only counts the rest. One thread. */
final class ArrayHead extends OutputStream {
  /** Number of bytes that are kept; the shape and the type of an array take some hundred. */
  private static final int MOST = 4_096;

  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long length;

  @Override
  public void write(int next) {
    if (length < MOST) {
      kept.write(next);
    }
    length++;
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    if (length < MOST) {
      kept.write(bytes, from, (int) Math.min(count, MOST - length));
    }
    length += count;
  }

  /**
   * Returns all written bytes except a given number at the end.
   *
   * @throws IllegalStateException if more bytes would be returned than are kept
   */
  byte[] before(long last) {
    if (length - last > kept.size() || length < last) {
      throw new IllegalStateException(
          "%,d bytes were written, of which %,d are values".formatted(length, last));
    }
    byte[] head = new byte[(int) (length - last)];
    System.arraycopy(kept.toByteArray(), 0, head, 0, head.length);
    return head;
  }
}
