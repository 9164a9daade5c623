package io.idlalayer.datacontroller.stage;

import java.util.Locale;

/** A fact on which a score may rest; a sample's facts are an array in this order. */
public enum SampleFact {
  /** Rank of its contribution among the samples of the update, 0 to 1. */
  CONTRIBUTION,
  /** Rank of its loss after the update, 0 to 1. */
  LOSS,
  /** How often the content arrived. */
  FREQUENCY,
  /** Updates that have trained it. */
  TRAININGS,
  /** Evaluations in a row with an outlying loss and no gain. */
  NOISE,
  /** The sample's previous stage: Discard 0, Newborn 1/3, Mature 2/3, Preserve 1. */
  STAGE,
  /** The sample's contribution itself, per occurrence. */
  WORTH;

  /** Facts of a sample. */
  public static final int COUNT = values().length;

  /** Its place in the array. */
  @SuppressWarnings("EnumOrdinal")
  public int at() {
    return ordinal();
  }

  /** Returns whether it compares the sample with the others of its update. */
  public boolean rank() {
    return this == CONTRIBUTION || this == LOSS;
  }

  /** Returns the name of this fact in FCL files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
