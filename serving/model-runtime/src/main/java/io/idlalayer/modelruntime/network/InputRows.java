package io.idlalayer.modelruntime.network;

/**
 * Rows that a network takes. Of the one-hot columns only the places of the ones are stored, so that
 * a row takes no more memory or time where a feature has more buckets. The arrays must not change
 * while a network reads them.
 *
 * @param numbers of shape [rows, {@link InputColumns#numbers}], row by row
 * @param ones of shape [rows, {@link InputColumns#categorical}], row by row: of each categorical
 *     feature the one of its columns that is 1
 */
public record InputRows(InputColumns columns, int rows, float[] numbers, int[] ones) {
  /**
   * @throws IllegalArgumentException if the arrays have other lengths
   */
  public InputRows {
    if (numbers.length != rows * columns.numbers() || ones.length != rows * columns.categorical()) {
      throw new IllegalArgumentException(
          "%d rows of %d numbers and %d ones cannot have %d numbers and %d ones"
              .formatted(
                  rows, columns.numbers(), columns.categorical(), numbers.length, ones.length));
    }
  }

  /**
   * Rows of numbers alone.
   *
   * @param numbers of shape [rows, width]
   * @param rows at least one
   */
  public static InputRows of(float[] numbers, int rows) {
    return new InputRows(InputColumns.ofNumbers(numbers.length / rows), rows, numbers, new int[0]);
  }

  /** Shape [rows, columns], row by row; not a copy if all columns are numbers. */
  public float[] dense() {
    if (columns.numbers() == columns.width()) {
      return numbers;
    }
    float[] out = new float[rows * columns.width()];
    copy(columns.range(0, columns.width()), out);
    return out;
  }

  /**
   * Copies some columns.
   *
   * @param out takes rows of the range's width, one after the other; 0 before
   */
  void copy(InputColumns.Range range, float[] out) {
    for (int row = 0; row < rows; row++) {
      int from = row * columns.numbers() + range.firstNumber();
      int to = row * range.width();
      System.arraycopy(numbers, from, out, to, range.before());
      System.arraycopy(
          numbers, from + range.before(), out, to + range.width() - range.after(), range.after());
      for (int i = row * columns.categorical(); i < (row + 1) * columns.categorical(); i++) {
        if (ones[i] >= range.from() && ones[i] < range.to()) {
          out[to + ones[i] - range.from()] = 1;
        }
      }
    }
  }
}
