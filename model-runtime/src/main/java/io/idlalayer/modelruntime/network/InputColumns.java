package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * Which columns of a network's input are the one-hots of categorical features. They lie beside each
 * other; all columns before and after them are numbers.
 *
 * @param oneHotFrom the first of them
 * @param oneHotTo behind the last of them
 * @param features categorical features; each has a 1 in one of these columns
 * @param width all columns
 */
public record InputColumns(int oneHotFrom, int oneHotTo, int features, int width) {
  /** Those of a model. */
  public static InputColumns of(ModelSpec spec) {
    return new InputColumns(
        spec.schema().denseWidth(),
        spec.vectorColumns(),
        spec.schema().categorical().size(),
        spec.inputWidth());
  }

  /** Numbers alone. */
  public static InputColumns numbers(int width) {
    return new InputColumns(width, width, 0, width);
  }

  /** How many columns are numbers. */
  public int numbers() {
    return width - (oneHotTo - oneHotFrom);
  }

  /**
   * Some of the columns.
   *
   * @param firstNumber the first of their numbers, among the numbers of a row
   * @param before numbers before their one-hots
   * @param after numbers after their one-hots
   */
  record Range(int from, int width, int firstNumber, int before, int after) {
    int to() {
      return from + width;
    }
  }

  /** The columns that begin here. */
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
