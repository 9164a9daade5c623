package io.idlalayer.middleware.embedding.plan;

import io.idlalayer.middleware.sample.IdLists;

/** Fills those columns of a network's input that come from embedding rows. */
public interface IdVectors {
  /** Fills nothing, for models without tables: their input has no such columns. */
  IdVectors NONE = (ids, input, at) -> {};

  /**
   * Writes the columns of one sample into the network's input.
   *
   * @param input has zeros in these columns before
   * @param at index of the first of these columns
   */
  void fill(IdLists ids, float[] input, int at);
}
