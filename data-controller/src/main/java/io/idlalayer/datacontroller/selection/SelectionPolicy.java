package io.idlalayer.datacontroller.selection;

/**
 * Chooses the trained samples that train again (replay). Equal index contents, seeds, update
 * numbers and histories give the same choice. The choice takes O(log n) steps for each chosen
 * sample. Confined to one thread.
 */
public interface SelectionPolicy {
  /**
   * Returns the ids of the samples to replay with an update, ascending; at most as many as the
   * replay budget.
   */
  long[] replayed(long updateNumber);

  /**
   * Notifies the policy of the prequential loss of a new sample, which is finite and at least 0.
   */
  default void scored(float loss) {}

  /**
   * Returns the new samples of an update from which the model can learn nothing, so that they are
   * not trained; at least one new sample is not passed over.
   *
   * @param newIds ids, ascending
   * @return ids, ascending
   */
  default long[] passedOver(long[] newIds) {
    return new long[0];
  }

  /**
   * Notifies the policy of the quality gained by the update that was trained last.
   *
   * @param qualityGain quality since the update, minus quality before it
   * @param seconds duration of the update's training, above 0
   */
  default void rewarded(double qualityGain, double seconds) {}

  /** Returns the policy's state as versioned bytes; empty if it has none. */
  default byte[] snapshot() {
    return new byte[0];
  }

  /** Restores the state of a {@link #snapshot()}. */
  default void restore(byte[] snapshot) {}
}
