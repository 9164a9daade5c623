package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Computes the arrays of a graph that do not depend on its inputs, among them the sizes of values.
 * The number of rows is unknown; {@value #ROWS} stands for it among the sizes.
 */
final class OnnxConstants {
  /** Stands for the number of rows among sizes; a reshape reads -1 as "the size that is left". */
  static final long ROWS = -1;

  /** Most numbers of an array that a node creates by its size only. */
  private static final long MOST_SIZES = 1 << 16;

  private OnnxConstants() {}

  /** Returns the array in a node {@code Constant}. */
  static Constant ofNode(OnnxFile.Node node) throws IOException {
    for (Map.Entry<String, OnnxFile.Attribute> each : node.attributes().entrySet()) {
      OnnxFile.Attribute value = each.getValue();
      OnnxTensor array = value.array();
      switch (each.getKey()) {
        case "value" -> {
          if (array != null) {
            return ofArray(array);
          }
        }
        case "value_float" -> {
          return new Constant(new long[0], new double[] {value.number()});
        }
        case "value_int" -> {
          return new Constant(new long[0], new double[] {value.integer()}, true);
        }
        case "value_floats" -> {
          return new Constant(new long[] {value.numbers().length}, value.numbers());
        }
        case "value_ints" -> {
          return Constant.ofLongs(value.integers());
        }
        default -> {}
      }
    }
    throw other(node, "has no numbers");
  }

  /** Returns an array of the file. */
  static Constant ofArray(OnnxTensor array) throws MalformedModelException {
    boolean counts = !OnnxTensor.holdsDecimals(array.type());
    return new Constant(array.shape(), array.numbers(), counts);
  }

  /** Returns the sizes of a value's dimensions, or those that the node selects. */
  static Constant sizes(OnnxFile.Node node, Rows rows) {
    int rank = rows.shape().length + 1;
    long[] sizes = new long[rank];
    for (int i = 0; i < rank; i++) {
      sizes[i] = i == rows.place() ? ROWS : rows.shape()[i > rows.place() ? i - 1 : i];
    }
    return sizes(node, sizes);
  }

  private static Constant sizes(OnnxFile.Node node, long[] sizes) {
    int from = bounded(node.integer("start", 0), sizes.length);
    int to = bounded(node.integer("end", sizes.length), sizes.length);
    return Constant.ofLongs(Arrays.copyOfRange(sizes, from, Math.max(from, to)));
  }

  private static int bounded(long given, int size) {
    return (int) Math.max(0, Math.min(size, given < 0 ? given + size : given));
  }

  /**
   * Returns the result of an operator that is applied to arrays.
   *
   * @param inputs at least one; optional inputs that the node omits are not in the list
   * @throws UnimportableException if this class does not know the operator for arrays
   */
  static Constant of(OnnxFile.Node node, List<Constant> inputs) throws IOException {
    Constant from = inputs.get(0);
    int rank = from.shape().length;
    if (!node.domain().isEmpty()) {
      throw other(node, "of an array of the file is not known");
    }
    return switch (node.operator()) {
      case "Identity" -> from;
      case "Cast" -> cast(node, from);
      case "Shape" -> sizes(node, from.shape());
      case "ConstantOfShape" -> filled(node, from);
      case "Transpose" -> transposed(node, from);
      case "Reshape" -> reshaped(node, from, second(node, inputs).whole());
      case "Squeeze" -> from.shaped(squeezed(node, from, axes(node, inputs)));
      case "Unsqueeze" -> unsqueezed(node, from, axes(node, inputs));
      case "Concat" -> joined(node, inputs);
      case "Gather" -> gathered(node, from, second(node, inputs));
      case "Slice" -> sliced(node, inputs);
      case "Sqrt" -> each(from, Math::sqrt);
      case "Reciprocal" -> each(from, number -> 1 / number);
      case "Add" -> pair(node, inputs, (a, b) -> a + b);
      case "Sub" -> pair(node, inputs, (a, b) -> a - b);
      case "Mul" -> pair(node, inputs, (a, b) -> a * b);
      case "Div" -> divided(node, inputs);
      case "Flatten" -> {
        int axis = bounded(node.integer("axis", 1), rank);
        long rows = 1;
        for (int i = 0; i < axis; i++) {
          rows *= from.shape()[i];
        }
        yield from.shaped(new long[] {rows, rows == 0 ? 0 : from.numbers().length / rows});
      }
      default -> throw other(node, "of an array of the file is not known");
    };
  }

  private static Constant cast(OnnxFile.Node node, Constant from) {
    boolean counts = !OnnxTensor.holdsDecimals((int) node.integer("to", OnnxTensor.FLOAT));
    double[] numbers =
        counts ? Arrays.stream(from.numbers()).map(each -> (long) each).toArray() : from.numbers();
    return new Constant(from.shape(), numbers, counts);
  }

  private static Constant divided(OnnxFile.Node node, List<Constant> inputs)
      throws UnimportableException {
    if (!count(inputs)) {
      return pair(node, inputs, (a, b) -> a / b);
    }
    // The division of integers drops decimals, towards 0.
    return pair(node, inputs, (a, b) -> b == 0 ? Double.NaN : (double) (long) (a / b));
  }

  private static boolean count(List<Constant> inputs) {
    return inputs.stream().allMatch(Constant::counts);
  }

  private static Constant filled(OnnxFile.Node node, Constant sizes) throws IOException {
    OnnxFile.Attribute given = node.attributes().get("value");
    OnnxTensor value = given == null ? null : given.array();
    double number = value == null ? 0 : value.numbers()[0];
    long[] shape = sizes.whole();
    long length = 1;
    for (long each : shape) {
      length = each < 0 || each > MOST_SIZES ? MOST_SIZES + 1 : length * each;
      if (length > MOST_SIZES) {
        throw other(node, "makes an array of the shape " + Arrays.toString(shape));
      }
    }
    double[] numbers = new double[(int) length];
    Arrays.fill(numbers, number);
    boolean counts = value != null && !OnnxTensor.holdsDecimals(value.type());
    return new Constant(shape, numbers, counts);
  }

  private static UnimportableException other(OnnxFile.Node node, String what) {
    return new UnimportableException("%s %s".formatted(node.label(), what));
  }

  private static Constant second(OnnxFile.Node node, List<Constant> inputs)
      throws UnimportableException {
    if (inputs.size() < 2) {
      throw other(node, "has one input; it needs two");
    }
    return inputs.get(1);
  }

  private static long @Nullable [] axes(OnnxFile.Node node, List<Constant> inputs) {
    long[] given = node.integers("axes");
    return given == null && inputs.size() > 1 ? inputs.get(1).whole() : given;
  }

  private static Constant each(Constant from, java.util.function.DoubleUnaryOperator operation) {
    return new Constant(from.shape(), Arrays.stream(from.numbers()).map(operation).toArray());
  }

  /** Combines two arrays of equal shape, or an array with a single number. */
  private static Constant pair(
      OnnxFile.Node node, List<Constant> inputs, java.util.function.DoubleBinaryOperator operation)
      throws UnimportableException {
    Constant a = inputs.get(0);
    Constant b = second(node, inputs);
    boolean single = a.numbers().length == 1 || b.numbers().length == 1;
    if (!single && !Arrays.equals(a.shape(), b.shape())) {
      throw other(
          node,
          "takes arrays of the shapes %s and %s; known are equal ones, or a single number"
              .formatted(Arrays.toString(a.shape()), Arrays.toString(b.shape())));
    }
    Constant larger = b.numbers().length > a.numbers().length ? b : a;
    double[] numbers = new double[larger.numbers().length];
    Arrays.setAll(
        numbers,
        i ->
            operation.applyAsDouble(
                a.numbers()[a.numbers().length == 1 ? 0 : i],
                b.numbers()[b.numbers().length == 1 ? 0 : i]));
    return new Constant(larger.shape(), numbers, count(inputs));
  }

  private static Constant transposed(OnnxFile.Node node, Constant from)
      throws UnimportableException {
    int rank = from.shape().length;
    long[] order = node.integers("perm");
    int[] swapped =
        order == null
            ? IntStream.range(0, rank).map(i -> rank - 1 - i).toArray()
            : Arrays.stream(order).mapToInt(each -> (int) each).toArray();
    if (!Arrays.equals(
        Arrays.stream(swapped).sorted().toArray(), IntStream.range(0, rank).toArray())) {
      throw other(node, "has an order of dimensions that is none");
    }
    return from.transposed(swapped);
  }

  private static Constant reshaped(OnnxFile.Node node, Constant from, long[] asked)
      throws UnimportableException {
    long[] shape = asked.clone();
    for (int i = 0; i < shape.length; i++) {
      shape[i] = shape[i] == 0 && i < from.shape().length ? from.shape()[i] : shape[i];
    }
    long known = Arrays.stream(shape).filter(size -> size != -1).reduce(1, (a, b) -> a * b);
    long all = from.numbers().length;
    for (int i = 0; i < shape.length; i++) {
      shape[i] = shape[i] == -1 && known > 0 ? all / known : shape[i];
    }
    if (Arrays.stream(shape).reduce(1, (a, b) -> a * b) != all) {
      throw other(
          node,
          String.format(Locale.ROOT, "gives %d numbers the shape %s", all, Arrays.toString(shape)));
    }
    return from.shaped(shape);
  }

  private static long[] squeezed(OnnxFile.Node node, Constant from, long @Nullable [] axes)
      throws UnimportableException {
    if (axes == null) {
      return Arrays.stream(from.shape()).filter(size -> size != 1).toArray();
    }
    int rank = from.shape().length;
    boolean[] goes = new boolean[rank];
    for (long each : axes) {
      long counted = each < 0 ? each + rank : each;
      if (counted < 0 || counted >= rank || from.shape()[(int) counted] != 1) {
        throw other(node, "names the dimensions " + Arrays.toString(axes));
      }
      goes[(int) counted] = true;
    }
    return IntStream.range(0, rank).filter(i -> !goes[i]).mapToLong(i -> from.shape()[i]).toArray();
  }

  private static Constant unsqueezed(OnnxFile.Node node, Constant from, long @Nullable [] axes)
      throws UnimportableException {
    long[] named = axes == null ? new long[0] : axes;
    int rank = from.shape().length + named.length;
    boolean[] comes = new boolean[rank];
    for (long each : named) {
      long counted = each < 0 ? each + rank : each;
      if (counted < 0 || counted >= rank || comes[(int) counted]) {
        throw other(node, "names the dimensions " + Arrays.toString(named));
      }
      comes[(int) counted] = true;
    }
    long[] shape = new long[rank];
    for (int i = 0, next = 0; i < rank; i++) {
      shape[i] = comes[i] ? 1 : from.shape()[next++];
    }
    return from.shaped(shape);
  }

  private static Constant joined(OnnxFile.Node node, List<Constant> inputs)
      throws UnimportableException {
    if (inputs.stream().anyMatch(each -> each.shape().length != 1)) {
      throw other(node, "of arrays of the file is known for one dimension only");
    }
    double[] all = inputs.stream().flatMapToDouble(each -> Arrays.stream(each.numbers())).toArray();
    return new Constant(new long[] {all.length}, all, count(inputs));
  }

  private static Constant gathered(OnnxFile.Node node, Constant from, Constant index)
      throws UnimportableException {
    if (from.shape().length != 1) {
      throw other(node, "of arrays of the file is known for one dimension only");
    }
    int size = from.numbers().length;
    double[] numbers = new double[index.numbers().length];
    for (int i = 0; i < numbers.length; i++) {
      long place = index.whole()[i];
      place += place < 0 ? size : 0;
      if (place < 0 || place >= size) {
        throw other(node, String.format(Locale.ROOT, "chooses number %d of %d", place, size));
      }
      numbers[i] = from.numbers()[(int) place];
    }
    return new Constant(index.shape(), numbers, from.counts());
  }

  private static Constant sliced(OnnxFile.Node node, List<Constant> inputs)
      throws UnimportableException {
    Constant from = inputs.get(0);
    long[] starts = inputs.size() > 1 ? inputs.get(1).whole() : node.integers("starts");
    long[] ends = inputs.size() > 2 ? inputs.get(2).whole() : node.integers("ends");
    long[] axes = inputs.size() > 3 ? inputs.get(3).whole() : node.integers("axes");
    long step = inputs.size() > 4 ? inputs.get(4).whole()[0] : 1;
    if (starts == null
        || ends == null
        || starts.length != 1
        || ends.length != 1
        || step == 0
        || (axes != null && axes.length != 1)) {
      throw other(node, "of arrays of the file is known for one dimension only");
    }
    int rank = from.shape().length;
    long counted = axes == null ? 0 : axes[0] < 0 ? axes[0] + rank : axes[0];
    if (counted < 0 || counted >= rank) {
      throw other(node, "names the dimension " + counted);
    }
    int axis = (int) counted;
    int size = (int) from.shape()[axis];
    long first = placed(starts[0], size, step);
    long end = placed(ends[0], size, step);
    long count = Math.max(0, (end - first + step - Long.signum(step)) / step);
    int inner = 1;
    for (int i = axis + 1; i < rank; i++) {
      inner *= (int) from.shape()[i];
    }
    long[] shape = from.shape().clone();
    shape[axis] = count;
    int taken = (int) count * inner;
    int whole = size * inner;
    double[] numbers = new double[whole == 0 ? 0 : from.numbers().length / whole * taken];
    for (int i = 0; i < numbers.length; i++) {
      long place = first + i % taken / inner * step;
      numbers[i] = from.numbers()[i / taken * whole + (int) place * inner + i % inner];
    }
    return new Constant(shape, numbers, from.counts());
  }

  /** Returns the start or end of a slice, limited to the places of the dimension. */
  private static long placed(long given, int size, long step) {
    long place = given < 0 ? given + size : given;
    return step > 0
        ? Math.max(0, Math.min(size, place))
        : given < -size ? -1 : Math.max(-1, Math.min(size - 1, place));
  }
}
