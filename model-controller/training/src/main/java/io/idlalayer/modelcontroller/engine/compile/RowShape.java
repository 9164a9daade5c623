package io.idlalayer.modelcontroller.engine.compile;

/** What the numbers of one row are, between two layers. */
sealed interface RowShape {
  /** How many numbers there are. */
  int values();

  /** Numbers without an order. */
  record Flat(int values) implements RowShape {}

  /** Channels, one after the other, each of them row by row. */
  record Image(int channels, int height, int width) implements RowShape {
    @Override
    public int values() {
      return channels * height * width;
    }
  }

  /** A time series: the steps of the first number, then those of the second, and so on. */
  record Sequence(int size, int steps) implements RowShape {
    @Override
    public int values() {
      return size * steps;
    }
  }
}
