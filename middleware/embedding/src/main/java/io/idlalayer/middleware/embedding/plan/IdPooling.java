package io.idlalayer.middleware.embedding.plan;

import io.idlalayer.middleware.sample.IdLists;

/** The ways in which the rows of several ids of one feature are combined to one vector. */
public enum IdPooling {
  SUM,
  MEAN;

  /** Returns the factor by which the row of each id of a feature is multiplied. */
  public float share(IdLists ids, int feature) {
    return this == MEAN ? 1f / (ids.to(feature) - ids.from(feature)) : 1f;
  }
}
