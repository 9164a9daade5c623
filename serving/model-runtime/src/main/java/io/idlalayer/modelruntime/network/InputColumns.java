package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * Which columns of a network's input are the one-hots of categorical features. They lie beside each
 * other; all columns before and after them are numbers.
 *
 * @param oneHotFrom the first of them
 * @param oneHotTo behind the last of them
 * @param categorical categorical features; each has a 1 in one of these columns
 * @param width all columns
 */
public record InputColumns(int oneHotFrom, int oneHotTo, int categorical, int width) {
  public InputColumns {
    if (oneHotFrom < 0
        || oneHotFrom > oneHotTo
        || oneHotTo > width
        || categorical > oneHotTo - oneHotFrom) {
      throw new IllegalArgumentException(
          "%d categorical features cannot have the columns %d to %d of %d"
              .formatted(categorical, oneHotFrom, oneHotTo, width));
    }
  }

  /** Returns the columns of a model. */
  public static InputColumns of(ModelSpec spec) {
    return new InputColumns(
        spec.schema().denseWidth(),
        spec.vectorColumns(),
        spec.schema().categorical().size(),
        spec.inputWidth());
  }

  /** Numbers alone. */
  public static InputColumns ofNumbers(int width) {
    return new InputColumns(width, width, 0, width);
  }

  /** Returns how many columns are numbers. */
  public int numbers() {
    return width - (oneHotTo - oneHotFrom);
  }

  /**
   * Columns beside each other.
   *
   * @param from the first of them
   * @param width how many
   * @param firstNumber the first of their numbers, among the numbers of a row
   * @param before numbers before their one-hots
   * @param after numbers after their one-hots
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
