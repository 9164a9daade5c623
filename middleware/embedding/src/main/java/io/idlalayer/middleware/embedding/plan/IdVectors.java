package io.idlalayer.middleware.embedding.plan;

import io.idlalayer.middleware.sample.IdLists;

/** Fills the columns of a network's input that come from rows. */
public interface IdVectors {
  /** The vectors of models without tables, whose input has no such columns. */
  IdVectors NONE = (ids, input, at) -> {};

  /**
   * Writes the columns of one sample.
   *
   * @param input has zeros in these columns before
   * @param at index of the first of these columns
   */
  void fill(IdLists ids, float[] input, int at);
}
