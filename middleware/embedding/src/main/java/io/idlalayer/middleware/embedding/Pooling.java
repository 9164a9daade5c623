package io.idlalayer.middleware.embedding;

/** How the rows of several ids of a feature become one vector. */
public enum Pooling {
  SUM,
  MEAN
}
