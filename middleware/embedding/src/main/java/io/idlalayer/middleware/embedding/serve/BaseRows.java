package io.idlalayer.middleware.embedding.serve;

/**
 * The embedding rows of one table in a full version. They are immutable, so any number of threads
 * may read them.
 */
interface BaseRows {
  /** Slot of an id that has no row in this table. */
  int NONE = -1;

  /** Returns the number of ids. */
  int size();

  /** Returns the slot of an id, or {@link #NONE}. */
  int find(long key);

  /** Points a cursor to the weights of a row. */
  void read(int slot, Cursor cursor);

  /** Returns the approximate number of bytes on the heap. */
  long bytes();

  /** Points to the weights of a row. One thread. */
  final class Cursor {
    /** Array that holds the weights, from index {@link #at} on; read only. */
    float[] values = {};

    int at;
    private float[] own = {};

    /** Returns an array that belongs to the cursor, into which weights can be copied. */
    float[] own(int weights) {
      if (own.length < weights) {
        own = new float[weights];
      }
      return own;
    }
  }
}
