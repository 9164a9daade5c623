package io.idlalayer.modelcontroller.cost;

/**
 * How long a training took.
 *
 * @param rows trained, at least 1
 * @param seconds above 0
 */
public record MeasuredTraining(int rows, double seconds) {
  public MeasuredTraining {
    if (rows < 1 || !(seconds > 0) || Double.isInfinite(seconds)) {
      throw new IllegalArgumentException(
          "a training of %d rows in %s s was not measured".formatted(rows, seconds));
    }
  }
}
