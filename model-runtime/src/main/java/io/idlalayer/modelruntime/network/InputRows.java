package io.idlalayer.modelruntime.network;

/**
 * Rows that a network takes. Of the one-hot columns only the places of the ones are stored, so that
 * thousands of buckets cost neither memory nor time. The arrays must not change while a network
 * reads them.
 *
 * @param numbers of shape [rows, {@link InputColumns#numbers}], row by row
 * @param ones of shape [rows, {@link InputColumns#features}], row by row: the columns that are 1,
 *     ascending
 */
public record InputRows(InputColumns columns, int rows, float[] numbers, int[] ones) {
  public InputRows {
    if (numbers.length != rows * columns.numbers() || ones.length != rows * columns.features()) {
      throw new IllegalArgumentException(
          "%d rows of %d numbers and %d ones cannot have %d numbers and %d ones"
              .formatted(rows, columns.numbers(), columns.features(), numbers.length, ones.length));
    }
  }

  /**
   * Rows of numbers alone.
   *
   * @param numbers of shape [rows, width]
   */
  public static InputRows of(float[] numbers, int rows) {
    return new InputRows(InputColumns.numbers(numbers.length / rows), rows, numbers, new int[0]);
  }

  /** All columns, row by row; not a copy if all of them are numbers. */
  float[] dense() {
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
      for (int i = row * columns.features(); i < (row + 1) * columns.features(); i++) {
        if (ones[i] >= range.from() && ones[i] < range.to()) {
          out[to + ones[i] - range.from()] = 1;
        }
      }
    }
  }
}
