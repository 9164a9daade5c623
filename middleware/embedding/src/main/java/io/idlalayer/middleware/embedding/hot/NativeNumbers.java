package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.store.StoredRow;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The numbers of rows, kept outside the Java heap. When pages are given up, the garbage collector
 * returns their memory to the system. Counts against {@code -XX:MaxDirectMemorySize}.
 */
final class NativeNumbers extends RowNumbers {
  private static final Logger LOG = LoggerFactory.getLogger(NativeNumbers.class);

  private FloatBuffer[] pages = {};
  private final float[] one;

  NativeNumbers(int stride, int pageShift) {
    super(stride, pageShift);
    one = new float[stride];
  }

  @Override
  boolean add() {
    ByteBuffer page;
    try {
      page = ByteBuffer.allocateDirect(pageFloats() * Float.BYTES);
    } catch (OutOfMemoryError tooLittle) {
      LOG.warn(
          "{} bytes for embedding rows cannot be had outside the heap; the rows keep the {} bytes that they have. Raise"
              + " -XX:MaxDirectMemorySize or lower memory.fast-bytes",
          pageFloats() * Float.BYTES,
          bytes(),
          tooLittle);
      return false;
    }
    pages = Arrays.copyOf(pages, pages.length + 1);
    pages[pages.length - 1] = page.order(ByteOrder.nativeOrder()).asFloatBuffer();
    return true;
  }

  @Override
  void keep(int count) {
    pages = Arrays.copyOf(pages, Math.min(count, pages.length));
  }

  @Override
  long bytes() {
    return (long) pages.length * pageFloats() * Float.BYTES;
  }

  private FloatBuffer page(int slot) {
    return pages[slot >>> pageShift];
  }

  @Override
  void get(int slot, float[] into, int to, int count) {
    page(slot).get(inPage(slot), into, to, count);
  }

  @Override
  void put(int slot, float[] from, int at) {
    page(slot).put(inPage(slot), from, at, stride);
  }

  @Override
  void decode(int slot, byte[] row) {
    StoredRow.floats(row, one, 0, stride);
    put(slot, one, 0);
  }

  @Override
  void move(int from, int to) {
    get(from, one, 0, stride);
    put(to, one, 0);
  }

  @Override
  int touch(int slot, int count) {
    FloatBuffer page = page(slot);
    int at = inPage(slot);
    return Float.floatToRawIntBits(page.get(at))
        ^ Float.floatToRawIntBits(page.get(at + count - 1));
  }

  @Override
  float[] array(int slot) {
    get(slot, one, 0, stride);
    return one;
  }

  @Override
  int at(int slot) {
    return 0;
  }
}
