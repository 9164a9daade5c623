package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A range of neighboring channels in all rows of a mini-batch. In every row, these channels form
 * one contiguous range of pixels.
 *
 * @param first the first channel
 * @param pixels number of pixels of a channel
 * @param rowFloats number of floats of a row with all channels
 */
record ChannelBlock(int first, int channels, int pixels, int rowFloats) {
  /**
   * Largest number of floats of an array of a block, so that several such arrays fit into the
   * first-level cache.
   */
  private static final int MOST_FLOATS = 2048;

  /**
   * Returns blocks for all channels. A block has as many channels as fit into a cache, and at least
   * one.
   */
  static List<ChannelBlock> all(int channels, int pixels) {
    int most = Math.max(1, MOST_FLOATS / pixels);
    List<ChannelBlock> blocks = new ArrayList<>();
    for (int first = 0; first < channels; first += most) {
      int count = Math.min(most, channels - first);
      blocks.add(new ChannelBlock(first, count, pixels, channels * pixels));
    }
    return blocks;
  }

  /** Returns the number of floats of the block in a row. */
  int floats() {
    return channels * pixels;
  }

  /** Returns the index after the last channel. */
  int end() {
    return first + channels;
  }

  private int start(int row) {
    return row * rowFloats + first * pixels;
  }

  /** Copies the block's range of one row to an array. */
  void get(Floats from, int row, float[] range) {
    from.get(start(row), range, 0, floats());
  }

  /** Overwrites the block's range of one row. */
  void put(float[] range, Floats into, int row) {
    into.put(start(row), range, 0, floats());
  }

  /** Adds the pixels of each channel to the channel's sum. */
  void total(float[] ofPixels, double[] ofChannels) {
    for (int i = 0; i < channels; i++) {
      double total = 0;
      for (int pixel = i * pixels; pixel < (i + 1) * pixels; pixel++) {
        total += ofPixels[pixel];
      }
      ofChannels[first + i] = total;
    }
  }

  /** Copies the number of each channel to all its pixels. */
  void spread(double[] ofChannels, float[] ofPixels) {
    for (int i = 0; i < channels; i++) {
      float number = (float) ofChannels[first + i];
      Arrays.fill(ofPixels, i * pixels, (i + 1) * pixels, number);
    }
  }
}
