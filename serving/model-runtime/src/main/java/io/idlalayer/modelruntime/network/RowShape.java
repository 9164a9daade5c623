package io.idlalayer.modelruntime.network;

/** The structure of the values of a row: flat, an image, or a time series. */
public sealed interface RowShape {
  /** Returns the number of values of a row. */
  int numbers();

  /** A row of numbers without a further structure. */
  record Flat(int numbers) implements RowShape {}

  /** An image: its channels one after the other, each of them line by line. */
  record Image(int channels, int height, int width) implements RowShape {
    @Override
    public int numbers() {
      return channels * height * width;
    }

    /** Returns the number of pixels of a channel. */
    public int pixels() {
      return height * width;
    }
  }

  /** A time series: all steps of the first value, then those of the second, and so on. */
  record Series(int size, int steps) implements RowShape {
    @Override
    public int numbers() {
      return size * steps;
    }
  }
}
