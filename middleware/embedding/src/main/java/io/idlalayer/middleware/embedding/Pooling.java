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

  /** Adds a share of some weights to columns. */
  static void add(float[] weights, int from, int count, float share, float[] columns, int to) {
    for (int i = 0; i < count; i++) {
      columns[to + i] += share * weights[from + i];
    }
  }
}
