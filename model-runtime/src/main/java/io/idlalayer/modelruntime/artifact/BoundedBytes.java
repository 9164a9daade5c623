package io.idlalayer.modelruntime.artifact;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Collects the bytes of a file in memory, and says so when they are more than an array holds. */
public final class BoundedBytes extends OutputStream {
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final String what;
  private final long largestBytes;

  public BoundedBytes(String what) {
    this(what, ZipEntries.LARGEST_BYTES);
  }

  public BoundedBytes(String what, long largestBytes) {
    this.what = what;
    this.largestBytes = largestBytes;
  }

  /** Makes room for so many at once, before the first is written. */
  public BoundedBytes expecting(long count) {
    bytes = new ByteArrayOutputStream((int) Math.min(largestBytes, count));
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
          ("%s would have more than %d bytes: a model file is one array in memory, so networks of"
                  + " 2 GiB and more cannot be published; make the network smaller")
              .formatted(what, largestBytes));
    }
  }

  public byte[] toByteArray() {
    return bytes.toByteArray();
  }
}
