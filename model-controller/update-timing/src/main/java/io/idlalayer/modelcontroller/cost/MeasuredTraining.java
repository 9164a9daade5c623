package io.idlalayer.modelcontroller.cost;

/**
 * The size and the measured duration of one training.
 *
 * @param rows number of rows trained, at least 1
 * @param seconds duration in seconds, above 0
 */
public record MeasuredTraining(int rows, double seconds) {
  public MeasuredTraining {
    if (rows < 1 || !(seconds > 0) || Double.isInfinite(seconds)) {
      throw new IllegalArgumentException(
          "a measured training cannot have %d rows and take %s s: both must be above 0"
              .formatted(rows, seconds));
    }
  }
}
