package io.idlalayer.datacontroller.selection;

/**
 * Chooses the trained samples that train again. The same index contents, seed, update number and
 * history give the same choice, which takes O(log n) steps for each sample that is chosen. Confined
 * to one thread.
 */
public interface SelectionPolicy {
  /** Ids of the samples to replay with an update, ascending; at most the replay budget. */
  long[] replayed(long updateNumber);

  /** Takes the prequential loss of a new sample, finite and at least 0. */
  default void scored(float loss) {}

  /**
   * Which new samples of an update have nothing to teach and are not trained; never all of them.
   *
   * @param newIds ascending
   * @return ascending
   */
  default long[] passedOver(long[] newIds) {
    return new long[0];
  }

  /**
   * Takes what the update that was trained last brought.
   *
   * @param qualityGain quality since it, minus quality before it
   * @param seconds how long it took, above 0
   */
  default void rewarded(double qualityGain, double seconds) {}

  /** Returns the policy's memory, versioned; empty if it has none. */
  default byte[] snapshot() {
    return new byte[0];
  }

  /** Takes {@link #snapshot()} back. */
  default void restore(byte[] snapshot) {}
}
