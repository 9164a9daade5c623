package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;

/** How the rows of several ids of a feature become one vector. */
public enum Pooling {
  SUM,
  MEAN;

  /** How much each of a feature's ids counts. */
  float share(IdLists ids, int feature) {
    return this == MEAN ? 1f / (ids.to(feature) - ids.from(feature)) : 1f;
  }
}
