package io.idlalayer.middleware.cache.budget;

import java.util.Locale;

/** The uses of the DRAM of a learner. */
public enum FastUse {
  /** Samples that can be trained again. */
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
