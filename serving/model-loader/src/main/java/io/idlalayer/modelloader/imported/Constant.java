package io.idlalayer.modelloader.imported;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * An array of a graph that does not depend on its inputs.
 *
 * @param numbers row by row
 * @param counts whether the type of the numbers is an integer type, whose division drops decimals
 */
record Constant(long[] shape, double[] numbers, boolean counts) {
  Constant(long[] shape, double[] numbers) {
    this(shape, numbers, false);
  }

  static Constant ofLongs(long... values) {
    double[] numbers = Arrays.stream(values).asDoubleStream().toArray();
    return new Constant(new long[] {values.length}, numbers, true);
  }

  /** Returns the numbers as integers. */
  long[] whole() {
    return Arrays.stream(numbers).mapToLong(each -> (long) each).toArray();
  }

  Constant shaped(long[] other) {
    return new Constant(other, numbers, counts);
  }

  /** Returns the array with its dimensions in another order; reversed if none is given. */
  Constant transposed(int[] order) {
    int[] places = Rows.places(shape, order);
    double[] moved = new double[places.length];
    Arrays.setAll(moved, i -> numbers[places[i]]);
    return new Constant(Rows.ordered(shape, order), moved, counts);
  }

  /**
   * Returns one number for each number of a row, by the rules by which ONNX broadcasts arrays.
   *
   * @param row shape of the row
   * @param node the node, for messages
   */
  double[] stretched(long[] row, String node) throws UnimportableException {
    long[] all = LongStream.concat(LongStream.of(1), Arrays.stream(row)).toArray();
    int missing = all.length - shape.length;
    boolean fits = missing >= 0;
    for (int i = 0; fits && i < shape.length; i++) {
      fits = shape[i] == 1 || shape[i] == all[i + missing];
    }
    if (!fits) {
      throw new UnimportableException(
          "%s: an array of shape %s does not fit to rows of %s"
              .formatted(node, Arrays.toString(shape), Arrays.toString(row)));
    }
    long[] own = Rows.strides(shape);
    long[] stride = Rows.strides(all);
    int size = (int) Arrays.stream(row).reduce(1, (a, b) -> a * b);
    double[] stretched = new double[size];
    for (int i = 0; i < size; i++) {
      int place = 0;
      for (int k = 0; k < shape.length; k++) {
        long index = i / stride[k + missing] % all[k + missing];
        place += shape[k] == 1 ? 0 : (int) (index * own[k]);
      }
      stretched[i] = numbers[place];
    }
    return stretched;
  }
}
