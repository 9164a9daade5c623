package io.idlalayer.modelruntime.network;

import java.util.Locale;

/**
 * Rows of a network's input. One-hot columns are stored as the index of the one, so that memory and
 * time of a row do not grow with the buckets of a feature. The arrays must not change while a
 * network reads them.
 *
 * @param numbers dense columns; shape [rows, {@link InputColumns#numbers}]
 * @param ones for each categorical feature the column that is 1; shape [rows, {@link
 *     InputColumns#categorical}]
 */
public record InputRows(InputColumns columns, int rows, float[] numbers, int[] ones) {
  /**
   * @throws IllegalArgumentException if the arrays have other lengths
   */
  public InputRows {
    if (numbers.length != rows * columns.numbers() || ones.length != rows * columns.categorical()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d rows with %d numbers and %d categories each do not fit arrays of %d numbers and %d categories",
              rows,
              columns.numbers(),
              columns.categorical(),
              numbers.length,
              ones.length));
    }
  }

  /**
   * Creates rows that have only dense columns.
   *
   * @param numbers dense columns; shape [rows, width]
   * @param rows number of rows, at least one
   */
  public static InputRows of(float[] numbers, int rows) {
    return new InputRows(InputColumns.ofNumbers(numbers.length / rows), rows, numbers, new int[0]);
  }

  /**
   * Returns the rows with one-hots as columns of 0 and 1, row by row; shape [rows, columns]. Not a
   * copy if all columns are numbers.
   */
  public float[] dense() {
    if (columns.numbers() == columns.width()) {
      return numbers;
    }
    float[] out = new float[rows * columns.width()];
    copy(columns.range(0, columns.width()), out);
    return out;
  }

  /**
   * Copies a range of columns to an array.
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
