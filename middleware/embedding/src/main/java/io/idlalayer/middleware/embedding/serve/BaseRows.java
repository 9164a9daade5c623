package io.idlalayer.middleware.embedding.serve;

/**
 * The rows of one table of a full version. They are immutable, so any number of threads may read
 * them.
 */
interface BaseRows {
  /** Slot of an id that is not here. */
  int NONE = -1;

  /** Number of ids. */
  int size();

  /** Returns the slot of an id, or {@link #NONE}. */
  int find(long key);

  /** Points a cursor to the weights of a row. */
  void read(int slot, Cursor cursor);

  /** Approximate bytes on the heap. */
  long bytes();

  /** Points to the weights of a row. One thread. */
  final class Cursor {
    /** Holds the weights, from {@link #at} on; read only. */
    float[] values = {};

    int at;
    private float[] own = {};

    /** Returns an array that belongs to the cursor, for copies of weights. */
    float[] own(int weights) {
      if (own.length < weights) {
        own = new float[weights];
      }
      return own;
    }
  }
}
