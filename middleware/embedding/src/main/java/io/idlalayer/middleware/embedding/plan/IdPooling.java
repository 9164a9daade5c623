package io.idlalayer.middleware.embedding.plan;

import io.idlalayer.middleware.sample.IdLists;

/** How the rows of several ids of a feature become one vector. */
public enum IdPooling {
  SUM,
  MEAN;

  /** Returns the weight of each id of a feature. */
  public float share(IdLists ids, int feature) {
    return this == MEAN ? 1f / (ids.to(feature) - ids.from(feature)) : 1f;
  }
}
