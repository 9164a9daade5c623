package io.idlalayer.benchmarks.rows.fixed;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** A page of rows in DRAM, with the way back to the rows that they are copies of. */
final class Page {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int NONE = -1;

  /** Position among the pages of the table, for addresses. */
  final int index;

  final float[] values;

  /** The row of each slot, or -1. Slots are written by who took them, read when all are done. */
  final int[] rowOfSlot;

  private final AtomicInteger taken = new AtomicInteger();
  private final long[] dirty;

  Page(int index, int pageRows, int stride) {
    this.index = index;
    values = new float[pageRows * stride];
    rowOfSlot = new int[pageRows];
    dirty = new long[(pageRows - 1) / Long.SIZE + 1];
    Arrays.fill(rowOfSlot, NONE);
  }

  /** Takes the next slot; there is none if it is not below the number of slots. */
  int take() {
    // Threads that come too late must not let the counter overflow.
    return taken.getPlain() < rowOfSlot.length ? taken.getAndIncrement() : rowOfSlot.length;
  }

  boolean dirty(int slot) {
    return ((dirty[slot / Long.SIZE] >>> (slot % Long.SIZE)) & 1) != 0;
  }

  void markDirty(int slot) {
    long unused = (long) WORDS.getAndBitwiseOr(dirty, slot / Long.SIZE, 1L << (slot % Long.SIZE));
  }

  boolean anyDirty() {
    for (long word : dirty) {
      if (word != 0) {
        return true;
      }
    }
    return false;
  }

  /** The base has all rows as they are here. */
  void clean() {
    Arrays.fill(dirty, 0);
  }

  /** Empties the page for its next use. */
  void clear() {
    Arrays.fill(rowOfSlot, NONE);
    Arrays.fill(dirty, 0);
    taken.set(0);
  }
}
