package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;

/** Gives the columns of a network's input that come from rows. */
public interface IdVectors {
  /** For models without tables: there are no such columns. */
  IdVectors NONE = (ids, input, at) -> {};

  /**
   * Writes the columns of one sample.
   *
   * @param input where they are 0 before
   * @param at the first of them
   */
  void fill(IdLists ids, float[] input, int at);
}
