package io.idlalayer.modelruntime.artifact;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/** Collects the bytes of a file in memory, and fails when they are more than an array can hold. */
public final class BoundedBytes extends OutputStream {
  private Bytes bytes = new Bytes(32);
  private final String what;
  private final long largestBytes;

  public BoundedBytes(String what) {
    this(what, ZipEntries.LARGEST_BYTES);
  }

  public BoundedBytes(String what, long largestBytes) {
    this.what = what;
    this.largestBytes = largestBytes;
  }

  /**
   * Allocates room for an expected number of bytes, before the first is written. If the number is
   * exact, the bytes are never copied.
   */
  public BoundedBytes expecting(long count) {
    bytes = new Bytes((int) Math.min(largestBytes, count));
    return this;
  }

  @Override
  public void write(int value) throws IOException {
    check(1);
    bytes.write(value);
  }

  @Override
  public void write(byte[] content, int from, int length) throws IOException {
    check(length);
    bytes.write(content, from, length);
  }

  private void check(int more) throws IOException {
    if (bytes.size() + (long) more > largestBytes) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s would have more than %d bytes: a model file is one array in memory, so networks"
                  + " of 2 GiB and more cannot be published; make the network smaller",
              what,
              largestBytes));
    }
  }

  public byte[] toByteArray() {
    return bytes.all();
  }

  private static final class Bytes extends ByteArrayOutputStream {
    Bytes(int expected) {
      super(expected);
    }

    /**
     * Returns all bytes. A full array is returned without a copy, because another write would
     * allocate a larger one.
     */
    byte[] all() {
      return count == buf.length ? buf : toByteArray();
    }
  }
}
