package io.idlalayer.middleware.embedding;

/** Rows of one table of a full version. They do not change; many threads may read them. */
interface BaseRows {
  /** That an id is not here. */
  int NONE = -1;

  /** Number of ids. */
  int size();

  /** Where an id is, or {@link #NONE}. */
  int find(long key);

  /** Points a cursor to the weights of a row. */
  void read(int slot, Cursor cursor);

  /** Bytes on the heap, about. */
  long bytes();

  /** Where the weights of a row are; belongs to one thread. */
  final class Cursor {
    /** Holds the weights, from {@link #at} on; not to be written. */
    float[] values = {};

    int at;
    private float[] own = {};

    /** An array of the cursor's own, to copy weights to. */
    float[] own(int weights) {
      if (own.length < weights) {
        own = new float[weights];
      }
      return own;
    }
  }
}
