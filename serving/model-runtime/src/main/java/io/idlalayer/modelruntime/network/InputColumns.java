package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Locale;

/**
 * The layout of the columns of a network's input: one range holds the one-hots of categorical
 * features, all other columns are numbers.
 *
 * @param oneHotFrom index of the first one-hot column
 * @param oneHotTo index after the last one-hot column
 * @param categorical number of categorical features; each has a 1 in one of the one-hot columns
 * @param width number of all columns
 */
public record InputColumns(int oneHotFrom, int oneHotTo, int categorical, int width) {
  public InputColumns {
    if (oneHotFrom < 0
        || oneHotFrom > oneHotTo
        || oneHotTo > width
        || categorical > oneHotTo - oneHotFrom) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d categorical features cannot have the columns %d to %d of %d",
              categorical,
              oneHotFrom,
              oneHotTo,
              width));
    }
  }

  /** Returns the layout of a model's input. */
  public static InputColumns of(ModelSpec spec) {
    return new InputColumns(
        spec.schema().contextWidth() + spec.schema().denseWidth(),
        spec.vectorColumns(),
        spec.schema().categorical().size(),
        spec.inputWidth());
  }

  /** Returns a layout without one-hot columns. */
  public static InputColumns ofNumbers(int width) {
    return new InputColumns(width, width, 0, width);
  }

  /** Returns the number of columns that are not one-hots. */
  public int numbers() {
    return width - (oneHotTo - oneHotFrom);
  }

  /**
   * A range of neighbouring columns of the input.
   *
   * @param from index of the first column
   * @param width number of columns
   * @param firstNumber index of its first number among the numbers of a row
   * @param before count of numbers before its one-hots
   * @param after count of numbers after its one-hots
   */
  record Range(int from, int width, int firstNumber, int before, int after) {
    int to() {
      return from + width;
    }
  }

  /** Returns a range of {@code width} columns from column {@code from} on. */
  Range range(int from, int width) {
    int to = from + width;
    int firstBefore = Math.min(from, oneHotFrom);
    int firstAfter = Math.max(0, from - oneHotTo);
    return new Range(
        from,
        width,
        firstBefore + firstAfter,
        Math.min(to, oneHotFrom) - firstBefore,
        Math.max(0, to - oneHotTo) - firstAfter);
  }
}
