package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.Arrays;

/** The numbers of rows in arrays on the Java heap. */
final class HeapNumbers extends RowNumbers {
  private float[][] pages = {};

  HeapNumbers(int stride, int pageShift) {
    super(stride, pageShift);
  }

  @Override
  boolean add() {
    float[] page = new float[pageFloats()];
    pages = Arrays.copyOf(pages, pages.length + 1);
    pages[pages.length - 1] = page;
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

  @Override
  void get(int slot, float[] into, int to, int count) {
    System.arraycopy(array(slot), inPage(slot), into, to, count);
  }

  @Override
  void put(int slot, float[] from, int at) {
    System.arraycopy(from, at, array(slot), inPage(slot), stride);
  }

  @Override
  void decode(int slot, byte[] row) {
    StoredRow.floats(row, array(slot), inPage(slot), stride);
  }

  @Override
  void move(int from, int to) {
    System.arraycopy(array(from), inPage(from), array(to), inPage(to), stride);
  }

  @Override
  int touch(int slot, int count) {
    float[] page = array(slot);
    int at = inPage(slot);
    return Float.floatToRawIntBits(page[at]) ^ Float.floatToRawIntBits(page[at + count - 1]);
  }

  @Override
  float[] array(int slot) {
    return pages[slot >>> pageShift];
  }

  @Override
  int at(int slot) {
    return inPage(slot);
  }
}
