package io.idlalayer.modelruntime.network;

/** The shape of a row's numbers, in their order. */
public sealed interface RowShape {
  /** Returns how many there are. */
  int numbers();

  /** Numbers side by side. */
  record Flat(int numbers) implements RowShape {}

  /** The pixels of an image, channel by channel, line by line. */
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

  /** A time series: for each of its values all steps. */
  record Series(int size, int steps) implements RowShape {
    @Override
    public int numbers() {
      return size * steps;
    }
  }
}
