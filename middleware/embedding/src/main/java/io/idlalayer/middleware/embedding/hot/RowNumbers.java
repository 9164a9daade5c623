package io.idlalayer.middleware.embedding.hot;

/**
 * The numbers of rows in pages, without their heads. There are two kinds, on the Java heap and
 * outside of it. A process usually uses only one kind, so that the JVM can inline its methods. For
 * one thread.
 */
abstract class RowNumbers {
  final int stride;
  final int pageShift;

  /**
   * @param stride numbers of a row
   * @param pageShift logarithm of the number of rows of a page
   */
  RowNumbers(int stride, int pageShift) {
    this.stride = stride;
    this.pageShift = pageShift;
  }

  final int pageFloats() {
    return stride << pageShift;
  }

  /** Returns the index at which the numbers of a row begin in their page. */
  final int inPage(int slot) {
    return (slot & ((1 << pageShift) - 1)) * stride;
  }

  /** Adds a page; returns false if the process may not have memory for it outside the heap. */
  abstract boolean add();

  /** Gives up all pages but the first ones. */
  abstract void keep(int count);

  /** Returns the bytes of all pages. */
  abstract long bytes();

  /** Copies the first numbers of a row into an array. */
  abstract void get(int slot, float[] into, int to, int count);

  /** Overwrites the numbers of a row. */
  abstract void put(int slot, float[] from, int at);

  /** Overwrites the numbers of a row with those of an encoded one. */
  abstract void decode(int slot, byte[] row);

  /** Copies the numbers of a row over those of another one. */
  abstract void move(int from, int to);

  /**
   * Reads the first and the last of some numbers of a row, so that they are in the processor's
   * cache; the result has no meaning.
   */
  abstract int touch(int slot, int count);

  /** Returns an array with the numbers of a row, to be read before the next call. */
  abstract float[] array(int slot);

  /** Returns the index at which the numbers of a row begin in {@link #array}. */
  abstract int at(int slot);
}
