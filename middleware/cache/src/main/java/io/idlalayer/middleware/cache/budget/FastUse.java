package io.idlalayer.middleware.cache.budget;

import java.util.Locale;

/** What the DRAM of a learner is used for. */
public enum FastUse {
  /** Samples that may train again. */
  SAMPLES,
  /** Rows of embedding tables. */
  ROWS,
  /** Tensors of a training. */
  TENSORS;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
