package io.idlalayer.modelloader.imported;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Finds the columns of an application that the inputs of an ONNX file stand for. A file that
 * iDlaLayer wrote names its features, and expects their numbers as events have them. In another
 * file, a single input gets all columns in the application's order, and several inputs are matched
 * by the names of features; they get the application's numbers, multiplied by {@code scale}.
 */
final class OnnxInputs {
  private final ModelSpec spec;
  private final OnnxFile file;
  private final OnnxTables tables;

  OnnxInputs(ModelSpec spec, OnnxFile file, OnnxTables tables) {
    this.spec = spec;
    this.file = file;
    this.tables = tables;
  }

  /** Returns whether iDlaLayer wrote the file. */
  static boolean own(OnnxFile file) {
    return file.producer().equals(OnnxModel.PRODUCER);
  }

  /**
   * Returns the values of the inputs by name.
   *
   * @throws UnimportableException if the inputs are not the features of the application
   */
  Map<String, Rows> read() throws UnimportableException {
    Map<String, Rows> values = new HashMap<>();
    List<OnnxFile.Value> inputs = new ArrayList<>();
    for (OnnxFile.Value input : file.inputs()) {
      boolean ids = own(file) && input.name().equals(OnnxModel.IDS);
      if (!tables.input(input, ids ? lines(OnnxModel.IDS) : List.of())) {
        inputs.add(input);
      }
    }
    for (OnnxFile.Value input : inputs) {
      if (own(file)) {
        values.put(input.name(), own(input));
      } else if (inputs.size() == 1) {
        values.put(input.name(), all(input));
      } else {
        values.put(input.name(), feature(input));
      }
    }
    return values;
  }

  private int columns() {
    return spec.vectorColumns() - spec.schema().contextWidth();
  }

  private Rows all(OnnxFile.Value input) throws UnimportableException {
    int width = columns();
    long[] shape = rowShape(input, width);
    long found = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    if (found != width) {
      throw new UnimportableException(
          String.format(
              Locale.ROOT,
              "its input '%s' takes %d numbers, and the application has %s",
              input.name(),
              found,
              describe()));
    }
    return columns(IntStream.range(0, width).toArray(), 1, shape);
  }

  private String describe() {
    int numbers = spec.schema().denseWidth();
    int categories = columns() - numbers;
    return categories == 0
        ? numbers + " numbers"
        : String.format(
            Locale.ROOT,
            "%d: %d numbers, and %d columns of categories",
            columns(),
            numbers,
            categories);
  }

  /** Returns the shape of a row; computes an unknown size from the width and the other sizes. */
  private static long[] rowShape(OnnxFile.Value input, int width) throws UnimportableException {
    long[] shape = input.shape();
    if (shape == null || shape.length < 2) {
      return new long[] {width};
    }
    long[] row = Arrays.copyOfRange(shape, 1, shape.length);
    long known = 1;
    int open = -1;
    for (int i = 0; i < row.length; i++) {
      if (row[i] > Integer.MAX_VALUE || (row[i] < 1 && open >= 0)) {
        throw new UnimportableException(
            "its input '%s' has the shape %s; only the number of rows may be open"
                .formatted(input.name(), Arrays.toString(shape)));
      }
      if (row[i] < 1) {
        open = i;
      } else {
        known = Math.min(Integer.MAX_VALUE, known * row[i]);
      }
    }
    if (open >= 0) {
      row[open] = Math.max(1, width / known);
    }
    return row;
  }

  private Rows feature(OnnxFile.Value input) throws UnimportableException {
    int at = 0;
    for (SampleSchema.DenseFeature each : spec.schema().dense()) {
      if (each.name().equals(input.name())) {
        long[] shape = rowShape(input, each.values());
        if (Arrays.stream(shape).reduce(1, (a, b) -> a * b) == each.values()) {
          return columns(range(at, each.values()), 1, shape);
        }
        throw new UnimportableException(
            String.format(
                Locale.ROOT,
                "its input '%s' has the shape %s, and the feature has %d numbers",
                input.name(),
                Arrays.toString(input.shape()),
                each.values()));
      }
      at += each.values();
    }
    throw new UnimportableException(
        String.format(
            Locale.ROOT,
            "it has %d inputs, and '%s' is no number of the application ('input.features'); a file with one input takes all features in their order",
            file.inputs().size(),
            input.name()));
  }

  /** Returns the columns for an input of a file that iDlaLayer wrote. */
  private Rows own(OnnxFile.Value input) throws UnimportableException {
    List<Integer> columns = new ArrayList<>();
    List<Double> scales = new ArrayList<>();
    if (input.name().equals(OnnxModel.CATEGORIES)) {
      // The result of an operator on this value stands for the columns of one feature.
      int[] index = IntStream.range(0, lines(OnnxModel.CATEGORIES).size()).toArray();
      return columns(index, 1, index.length);
    }
    for (String line : lines(OnnxModel.FEATURES)) {
      int at = 0;
      boolean found = false;
      for (SampleSchema.DenseFeature each : spec.schema().dense()) {
        String named = each.width() == 1 ? each.name() : each.name() + " " + each.width();
        if (named.equals(line) && each.values() == each.width()) {
          found = true;
          for (int i = 0; i < each.values(); i++) {
            columns.add(at + i);
            scales.add(1 / each.scale());
          }
        }
        at += each.values();
      }
      if (!found) {
        throw new UnimportableException(
            "it takes the number '%s', which the application does not have; it has %s"
                .formatted(line, names()));
      }
    }
    if (columns.size() != spec.schema().denseWidth()) {
      throw new UnimportableException(
          "it takes the numbers %s, and the application has %s"
              .formatted(String.join(", ", lines(OnnxModel.FEATURES)), names()));
    }
    int[] places = columns.stream().mapToInt(each -> spec.schema().contextWidth() + each).toArray();
    double[] scale = scales.stream().mapToDouble(Double::doubleValue).toArray();
    return Rows.input(places, scale, places.length);
  }

  private String names() {
    return String.join(
        ", ", spec.schema().dense().stream().map(SampleSchema.DenseFeature::name).toList());
  }

  private List<String> lines(String key) {
    String text = file.metadata().getOrDefault(key, "");
    return text.isEmpty() ? List.of() : List.of(text.split("\n", -1));
  }

  /**
   * Returns the columns of a categorical feature of the file.
   *
   * @param index its place among the categorical features of the file
   */
  Rows oneHot(int index) throws UnimportableException {
    String line = lines(OnnxModel.CATEGORIES).get(index);
    int at = spec.schema().denseWidth();
    for (SampleSchema.CategoricalFeature each : spec.schema().categorical()) {
      if ((each.name() + " " + each.buckets()).equals(line)) {
        return columns(range(at, each.buckets()), 1, each.buckets());
      }
      at += each.buckets();
    }
    throw new UnimportableException(
        "it takes the category '%s' (name and buckets), which the application does not have"
            .formatted(line));
  }

  private static int[] range(int from, int count) {
    return IntStream.range(from, from + count).toArray();
  }

  private Rows columns(int[] places, double factor, long... shape) {
    double[] scale = new double[places.length];
    Arrays.fill(scale, factor);
    int context = spec.schema().contextWidth();
    int[] all = Arrays.stream(places).map(place -> context + place).toArray();
    return Rows.input(all, scale, shape);
  }
}
