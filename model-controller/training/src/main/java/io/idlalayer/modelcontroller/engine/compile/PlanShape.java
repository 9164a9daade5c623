package io.idlalayer.modelcontroller.engine.compile;

/** The structure of the values of one row between two layers: flat, an image, or a time series. */
sealed interface PlanShape {
  /** Returns the number of values of a row. */
  int values();

  /** A row of numbers without a further structure. */
  record Flat(int values) implements PlanShape {}

  /** An image: one channel after another, and each channel row by row. */
  record Image(int channels, int height, int width) implements PlanShape {
    @Override
    public int values() {
      return channels * height * width;
    }
  }

  /**
   * A time series: all steps of the first number, then all steps of the second number, and so on.
   */
  record Sequence(int size, int steps) implements PlanShape {
    @Override
    public int values() {
      return size * steps;
    }
  }
}
