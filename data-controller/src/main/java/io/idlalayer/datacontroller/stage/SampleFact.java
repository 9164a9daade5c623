package io.idlalayer.datacontroller.stage;

import java.util.Locale;

/**
 * The facts about a sample from which a score can be computed; a sample's facts are an array in
 * this order.
 */
public enum SampleFact {
  /** The rank of the sample's contribution among the samples of the update, 0 to 1. */
  CONTRIBUTION,
  /** The rank of the sample's loss after the update, 0 to 1. */
  LOSS,
  /** The number of arrivals of the sample's content. */
  FREQUENCY,
  /** The number of updates that have trained on the sample. */
  TRAININGS,
  /** The number of evaluations in a row in which the sample had an outlying loss and no gain. */
  NOISE,
  /** The sample's previous stage: Discard 0, Newborn 1/3, Mature 2/3, Preserve 1. */
  STAGE,
  /** The sample's contribution itself, per occurrence, without ranking. */
  WORTH;

  /** Number of facts of a sample. */
  public static final int COUNT = values().length;

  /** Returns the index of this fact in the array of facts. */
  @SuppressWarnings("EnumOrdinal")
  public int at() {
    return ordinal();
  }

  /** Returns whether this fact is a rank of the sample among the samples of its update. */
  public boolean rank() {
    return this == CONTRIBUTION || this == LOSS;
  }

  /** Returns the name of this fact in FCL files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
