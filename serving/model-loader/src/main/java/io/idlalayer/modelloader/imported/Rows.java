package io.idlalayer.modelloader.imported;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A value of a graph that has numbers for each row: columns of the application, or numbers of the
 * output of a step.
 *
 * @param step number of steps after which the value is known; 0 for the input
 * @param shape sizes of all dimensions except the row
 * @param element for each number its place in the output of the step, or the application's column
 * @param scale factor of each number of the input; not used for the output of a step
 * @param shift number that is added to each product
 * @param place which of all dimensions is the row: 0 for the first. Only time series before and
 *     behind an LSTM have another place
 */
record Rows(int step, long[] shape, int[] element, double[] scale, double[] shift, int place) {
  /** Most numbers of a row. A small file can name sizes whose product exceeds every memory. */
  private static final long MOST_NUMBERS = 1 << 24;

  /** Returns the output of a step. */
  static Rows of(int step, long... shape) throws UnimportableException {
    long product = 1;
    for (long each : shape) {
      product = each < 0 || each > MOST_NUMBERS ? MOST_NUMBERS + 1 : product * each;
      requireFew(product);
    }
    int size = (int) product;
    return new Rows(
        step, shape, IntStream.range(0, size).toArray(), new double[size], new double[size], 0);
  }

  /** Returns columns of the input. */
  static Rows input(int[] columns, double[] scale, long... shape) {
    return new Rows(0, shape, columns, scale, new double[columns.length], 0);
  }

  boolean isInput() {
    return step == 0;
  }

  int size() {
    return element.length;
  }

  private static int size(long[] shape) {
    return (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
  }

  /** Returns whether the value has all numbers of the step in the step's order. */
  boolean ordered() {
    for (int i = 0; i < element.length; i++) {
      if (element[i] != i) {
        return false;
      }
    }
    return true;
  }

  /** Returns the numbers in another shape, for equally many numbers. */
  Rows shaped(long... other) {
    return new Rows(step, other, element, scale, shift, place);
  }

  /** Returns the numbers of a later step, with the order and shape of this value. */
  Rows behind(int later) {
    return new Rows(later, shape, element, scale, shift, place);
  }

  /** Returns the same numbers with the row at another place among the dimensions. */
  Rows placed(int other) {
    return new Rows(step, shape, element, scale, shift, other);
  }

  /**
   * Returns the number of a dimension if the row is not counted.
   *
   * @param dimension number of the dimension among all; below 0 it counts from the last
   * @return -1 for the dimension of the row
   * @throws UnimportableException if there is no such dimension
   */
  int inRow(long dimension, String node) throws UnimportableException {
    long counted = dimension < 0 ? dimension + shape.length + 1 : dimension;
    if (counted < 0 || counted > shape.length) {
      throw new UnimportableException(
          String.format(
              Locale.ROOT, "%s names dimension %d of %d", node, dimension, shape.length + 1));
    }
    return counted == place ? -1 : (int) (counted > place ? counted - 1 : counted);
  }

  /**
   * Returns the numbers with all dimensions, including the row, in another order.
   *
   * @param order for each new dimension the number of the old one; null if a node does not say it
   */
  Rows permuted(long @Nullable [] order, String node) throws UnimportableException {
    int rank = shape.length + 1;
    if (order == null
        || !Arrays.equals(
            Arrays.stream(order).sorted().toArray(), LongStream.range(0, rank).toArray())) {
      throw new UnimportableException(node + " must keep the rows apart");
    }
    int newPlace = 0;
    int[] inRow = new int[rank - 1];
    for (int i = 0, next = 0; i < rank; i++) {
      int from = inRow(order[i], node);
      if (from < 0) {
        newPlace = i;
      } else {
        inRow[next++] = from;
      }
    }
    return transposed(inRow).placed(newPlace);
  }

  /**
   * Returns the numbers with more dimensions of size 1.
   *
   * @param axes numbers of the new dimensions in the result; null for none
   */
  Rows unsqueezed(long @Nullable [] axes, String node) throws UnimportableException {
    long[] named = axes == null ? new long[0] : axes;
    int rank = shape.length + 1 + named.length;
    boolean[] comes = new boolean[rank];
    for (long each : named) {
      long counted = each < 0 ? each + rank : each;
      if (counted < 0 || counted >= rank || comes[(int) counted]) {
        throw new UnimportableException(
            "%s names the dimensions %s".formatted(node, Arrays.toString(named)));
      }
      comes[(int) counted] = true;
    }
    long[] newShape = new long[rank - 1];
    int newPlace = 0;
    int next = 0;
    int before = 0;
    for (int i = 0; i < rank; i++) {
      if (comes[i]) {
        newShape[next++] = 1;
      } else if (before == place) {
        newPlace = i;
        before++;
      } else {
        newShape[next++] = shape[before > place ? before - 1 : before];
        before++;
      }
    }
    return shaped(newShape).placed(newPlace);
  }

  /**
   * Returns the numbers without dimensions of size 1.
   *
   * @param axes numbers of the dimensions to remove; null for all of size 1
   */
  Rows squeezed(long @Nullable [] axes, String node) throws UnimportableException {
    boolean[] goes = new boolean[shape.length];
    for (int i = 0; i < goes.length; i++) {
      goes[i] = axes == null && shape[i] == 1;
    }
    for (long each : axes == null ? new long[0] : axes) {
      int inRow = inRow(each, node);
      if (inRow < 0 || shape[inRow] != 1) {
        throw new UnimportableException(node + " must keep the rows apart");
      }
      goes[inRow] = true;
    }
    int before = 0;
    for (int i = 0; i < place; i++) {
      before += goes[i] ? 1 : 0;
    }
    long[] rest =
        IntStream.range(0, goes.length).filter(i -> !goes[i]).mapToLong(i -> shape[i]).toArray();
    return shaped(rest).placed(place - before);
  }

  /**
   * Returns the numbers at one place of a dimension, without that dimension.
   *
   * @param dimension one of those besides that of the row
   */
  Rows at(int dimension, int index) {
    long[] rest = new long[shape.length - 1];
    int inner = 1;
    for (int i = 0; i < shape.length; i++) {
      if (i != dimension) {
        rest[i < dimension ? i : i - 1] = shape[i];
      }
      inner *= i > dimension ? (int) shape[i] : 1;
    }
    int width = inner;
    int size = (int) shape[dimension];
    int[] places =
        IntStream.range(0, element.length / size)
            .map(i -> (i / width * size + index) * width + i % width)
            .toArray();
    return picked(places, rest).placed(dimension < place ? place - 1 : place);
  }

  /**
   * Returns the numbers at some neighbouring places of a dimension.
   *
   * @param dimension one of those besides that of the row
   */
  Rows range(int dimension, int from, int to) {
    long[] rest = shape.clone();
    rest[dimension] = (long) to - from;
    int inner = 1;
    for (int i = dimension + 1; i < shape.length; i++) {
      inner *= (int) shape[i];
    }
    int width = inner;
    int taken = (to - from) * width;
    int before = (int) shape[dimension] * width;
    int[] places =
        IntStream.range(0, before == 0 ? 0 : element.length / before * taken)
            .map(i -> i / taken * before + from * width + i % taken)
            .toArray();
    return picked(places, rest).placed(place);
  }

  /** Returns some of the numbers; the row is the first dimension again. */
  Rows picked(int[] places, long... newShape) {
    return new Rows(
        step,
        newShape,
        Arrays.stream(places).map(at -> element[at]).toArray(),
        Arrays.stream(places).mapToDouble(at -> scale[at]).toArray(),
        Arrays.stream(places).mapToDouble(at -> shift[at]).toArray(),
        0);
  }

  /** Returns the input with each number times a factor, plus another number. */
  Rows transformed(double[] factor, double[] added) {
    double[] newScale = new double[scale.length];
    double[] newShift = new double[scale.length];
    for (int i = 0; i < scale.length; i++) {
      newScale[i] = scale[i] * factor[i];
      newShift[i] = shift[i] * factor[i] + added[i];
    }
    return new Rows(step, shape, element, newScale, newShift, place);
  }

  /**
   * Returns the numbers with the dimensions in another order; the row is the first again.
   *
   * @param order for each new dimension the number of the old one; both count without the row
   */
  Rows transposed(int[] order) {
    return picked(places(shape, order), ordered(shape, order));
  }

  static long[] ordered(long[] shape, int[] order) {
    return Arrays.stream(order).mapToLong(dimension -> shape[dimension]).toArray();
  }

  /** Returns for each number of a transposed array its place before the transposition. */
  static int[] places(long[] shape, int[] order) {
    long[] newShape = ordered(shape, order);
    long[] stride = strides(shape);
    int[] places = new int[size(shape)];
    int[] index = new int[order.length];
    for (int i = 0; i < places.length; i++) {
      long place = 0;
      for (int k = 0; k < order.length; k++) {
        place += index[k] * stride[order[k]];
      }
      places[i] = (int) place;
      for (int k = order.length - 1; k >= 0; k--) {
        index[k]++;
        if (index[k] < newShape[k]) {
          break;
        }
        index[k] = 0;
      }
    }
    return places;
  }

  static long[] strides(long[] shape) {
    long[] strides = new long[shape.length];
    long stride = 1;
    for (int i = shape.length - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= shape[i];
    }
    return strides;
  }

  private static void requireFew(long numbers) throws UnimportableException {
    if (numbers > MOST_NUMBERS) {
      throw new UnimportableException(
          String.format(Locale.ROOT, "a row of more than %,d numbers inside", MOST_NUMBERS));
    }
  }

  /** Returns several parts of the input one after the other. */
  static Rows joined(List<Rows> parts) throws UnimportableException {
    if (!parts.stream().allMatch(Rows::isInput)) {
      throw new UnimportableException("a Concat of what several layers give");
    }
    requireFew(parts.stream().mapToLong(Rows::size).sum());
    int[] columns = parts.stream().flatMapToInt(part -> Arrays.stream(part.element)).toArray();
    double[] scale = parts.stream().flatMapToDouble(part -> Arrays.stream(part.scale)).toArray();
    double[] shift = parts.stream().flatMapToDouble(part -> Arrays.stream(part.shift)).toArray();
    return new Rows(0, new long[] {columns.length}, columns, scale, shift, 0);
  }
}
