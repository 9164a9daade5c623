package io.idlalayer.modelcontroller.cost;

/**
 * The measured costs of a successful update.
 *
 * @param trainSeconds duration of the training of the update, by a monotonic clock, above 0
 * @param processorSeconds processor time of everything that updates caused after the acceptance of
 *     the previous update, including the training of this update; 0 if the processor time was not
 *     measured
 */
public record MeasuredUpdate(double trainSeconds, double processorSeconds) {
  public MeasuredUpdate {
    if (!(trainSeconds > 0) || !(processorSeconds >= 0) || Double.isInfinite(processorSeconds)) {
      throw new IllegalArgumentException(
          "an update cannot train for %s s and take %s s of processor time"
              .formatted(trainSeconds, processorSeconds));
    }
  }

  /** Returns the measurement of an update of which only the training was measured. */
  public static MeasuredUpdate trained(double trainSeconds) {
    return new MeasuredUpdate(trainSeconds, 0);
  }

  /** Returns the processor time of the update without its training, in seconds, at least 0. */
  public double overheadSeconds() {
    return Math.max(0, processorSeconds - trainSeconds);
  }
}
