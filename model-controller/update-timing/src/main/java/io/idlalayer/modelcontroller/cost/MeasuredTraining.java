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
          "a training of %d rows in %s s was not measured".formatted(rows, seconds));
    }
  }
}
