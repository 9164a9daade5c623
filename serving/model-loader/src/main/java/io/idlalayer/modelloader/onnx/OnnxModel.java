package io.idlalayer.modelloader.onnx;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.PiecewiseLinear;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.network.PlainNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes a model as an ONNX file: scaling, network and, for a classification, the most probable
 * class. The input of the graph are the values of an event and its output is the prediction, so
 * clients compute nothing before or after.
 *
 * <ul>
 *   <li>Inputs: {@value #FEATURES}, FP64 [rows, dense values], if there are any; {@value
 *       #CATEGORIES}, INT64 [rows, categorical features], if there are any: the bucket of each;
 *       {@value #IDS}, INT64 [rows, id features], if there are any: the number of each id's row.
 *   <li>Outputs: {@value #PROBABILITIES}, FP32 [rows, classes], and {@value #CLASS}, INT64 [rows],
 *       the number of the most probable one; or {@value #PREDICTION}, FP64 [rows], of a target.
 *   <li>Domain: the application. Metadata: the names of {@code features}, {@code categories} (with
 *       their buckets) and {@code classes}, one to a line.
 * </ul>
 *
 * <p>The file predicts without context: if a model has a history of keys, the file omits the
 * members of the network that use a context.
 */
public final class OnnxModel {
  /** Name of the ONNX file among the files of a version. */
  public static final String FILE = "model.onnx";

  public static final String FEATURES = "features";
  public static final String CATEGORIES = "categories";
  public static final String IDS = "ids";
  public static final String PROBABILITIES = "probabilities";
  public static final String CLASS = "class";
  public static final String PREDICTION = "prediction";

  /** Version of ONNX's operator set; runtimes of late 2020 and later support it. */
  static final int OPERATORS = 13;

  /** Number of rows behind the rows of ids: the row for unknown ids, then for missing ids. */
  public static final int OTHER_ROWS = 2;

  /** Name of the program in the file. */
  public static final String PRODUCER = "idlalayer";

  private static final int FORMAT = 7;

  /** Largest size of the file in bytes: a larger one would need a second file for its numbers. */
  private static final long LARGEST_BYTES = 1L << 30;

  private final OnnxGraph graph = new OnnxGraph();
  private final ModelSpec spec;
  private final FeatureScaler scaler;

  /** The experts whose mean is the output; null if the network is the only one. */
  private final @Nullable ServedMixture mixture;

  /** Rows of the tables; null if the model has none. */
  private final @Nullable IdVectors rows;

  private static final String NOT_PLAIN = "features that are time stamps or may be missing";

  /** Makes the file of a network. */
  @FunctionalInterface
  public interface NetworkSource {
    /**
     * Returns the file.
     *
     * @throws IllegalArgumentException if the network cannot be built
     */
    byte[] file() throws IOException;
  }

  private OnnxModel(ModelFiles files, @Nullable IdVectors rows) {
    this.rows = rows;
    spec = files.spec();
    scaler = files.scaler();
    mixture = files.mixture();
  }

  /**
   * Returns the ONNX file of a model.
   *
   * @param artifact files of the model, at least those that are served
   * @param application name of the application, for the metadata
   * @throws UnsupportedModelException if ONNX files of such a model are not supported; the message
   *     names the part
   * @throws MalformedModelException if a file is missing or damaged
   */
  public static byte[] of(ModelArtifact artifact, String application)
      throws MalformedModelException, UnsupportedModelException {
    return of(artifact, application, null);
  }

  /**
   * Returns the ONNX file of a model with tables of fixed size.
   *
   * @param rows rows of its tables; null if the model has none
   */
  public static byte[] of(ModelArtifact artifact, String application, @Nullable IdVectors rows)
      throws MalformedModelException, UnsupportedModelException {
    try {
      ModelFiles files = ModelFiles.read(withoutExport(artifact), LARGEST_BYTES);
      if (!files.spec().schema().ids().isEmpty()) {
        if (rows == null) {
          throw new UnsupportedModelException("a model with tables");
        }
        OnnxIds.check(files.spec(), LARGEST_BYTES);
      }
      if (!plain(files.spec().schema())) {
        throw new UnsupportedModelException(NOT_PLAIN);
      }
      PlainNetwork network = PlainNetwork.decode(files.spec(), files.network(), LARGEST_BYTES);
      return new OnnxModel(files, rows).write(network, application);
    } catch (MalformedModelException | UnsupportedModelException refused) {
      throw refused;
    } catch (IOException broken) {
      throw new MalformedModelException("the model cannot be read: " + broken, broken);
    }
  }

  /** Returns the line about an id feature in the metadata: its name and its table's rows. */
  public static String idLine(SampleSchema.IdFeature feature) {
    return String.format(
        Locale.ROOT,
        "%s %d %s",
        feature.name(),
        feature.index().rows(),
        feature.index().kind().name().toLowerCase(Locale.ROOT));
  }

  /** Returns the files of a version without the ONNX file, which nothing in Java reads. */
  public static ModelArtifact withoutExport(ModelArtifact version) {
    TreeMap<String, byte[]> files = new TreeMap<>(version.files());
    files.remove(FILE);
    return new ModelArtifact(files);
  }

  /**
   * Returns the reason why models of this specification cannot be written as ONNX; empty if they
   * can, unless they are too large. For a configuration of Deeplearning4j this method writes an
   * untrained model, which needs as much memory as the model.
   *
   * @param untrained makes the file of an untrained network of the specification
   */
  public static Optional<String> problem(ModelSpec spec, NetworkSource untrained) {
    if (!plain(spec.schema())) {
      return Optional.of(NOT_PLAIN);
    }
    if (!(spec.network() instanceof ModelSpec.Network.Dl4jJson)) {
      return spec.network() instanceof ModelSpec.Network.SameDiffGraph
          ? Optional.of("a SameDiff graph")
          : Optional.empty();
    }
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(spec).encode());
    try {
      files.put(ModelArtifact.NETWORK_FILE, untrained.file());
      of(new ModelArtifact(files), "");
      return Optional.empty();
    } catch (IOException | IllegalArgumentException refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    } catch (OutOfMemoryError here) {
      // The training process perhaps has more memory.
      return Optional.empty();
    }
  }

  private static boolean plain(SampleSchema schema) {
    return schema.dense().stream()
        .allMatch(each -> each.reading().equals(SampleSchema.Reading.PLAIN));
  }

  private byte[] write(PlainNetwork network, String application) throws UnsupportedModelException {
    String output = new OnnxSteps(graph).add(network, inputs());
    boolean target = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
    if (target) {
      target(output);
    } else {
      classes(output);
    }
    return graph.model(FORMAT, PRODUCER, application, OPERATORS, described());
  }

  private SortedMap<String, String> described() {
    SortedMap<String, String> described = new TreeMap<>();
    SampleSchema schema = spec.schema();
    List<String> features = new ArrayList<>();
    for (SampleSchema.DenseFeature each : schema.dense()) {
      features.add(each.width() == 1 ? each.name() : each.name() + " " + each.width());
    }
    described.put(FEATURES, String.join("\n", features));
    if (!schema.categorical().isEmpty()) {
      described.put(
          CATEGORIES,
          String.join(
              "\n",
              schema.categorical().stream()
                  .map(each -> each.name() + " " + each.buckets())
                  .toList()));
    }
    if (!schema.ids().isEmpty()) {
      described.put(IDS, String.join("\n", schema.ids().stream().map(OnnxModel::idLine).toList()));
    }
    if (schema.label().task() == SampleSchema.Task.CLASSIFICATION) {
      described.put("classes", String.join("\n", schema.label().classes()));
    }
    return described;
  }

  /**
   * Adds the nodes for the input of the network: no context, scaled values, the one-hot of each
   * category, and encoded values.
   */
  private String inputs() {
    List<String> parts = new ArrayList<>();
    int width = spec.schema().denseWidth();
    if (spec.schema().contextWidth() > 0) {
      parts.add(noContext());
    }
    if (width > 0) {
      graph.input(FEATURES, OnnxTensor.DOUBLE, width);
      parts.add(scaled(width));
    }
    List<SampleSchema.CategoricalFeature> categories = spec.schema().categorical();
    if (!categories.isEmpty()) {
      graph.input(CATEGORIES, OnnxTensor.INT64, categories.size());
      String values = graph.floats(new float[] {0, 1}, 2);
      for (int i = 0; i < categories.size(); i++) {
        String buckets =
            graph.node(
                "Gather", List.of(CATEGORIES, graph.scalar(i)), OnnxGraph.integer("axis", 1));
        String depth = graph.scalar((long) categories.get(i).buckets());
        parts.add(
            graph.node("OneHot", List.of(buckets, depth, values), OnnxGraph.integer("axis", 1)));
      }
    }
    IdVectors vectors = rows;
    if (vectors != null && !spec.schema().ids().isEmpty()) {
      parts.addAll(new OnnxIds(graph, spec, vectors).columns());
    }
    if (spec.bins() > 0) {
      parts.add(encoded(width));
    }
    return parts.size() == 1
        ? parts.get(0)
        : graph.node("Concat", parts, OnnxGraph.integer("axis", 1));
  }

  /** Adds the nodes for columns of 0 in place of a context, for as many rows as the event has. */
  private String noContext() {
    SampleSchema schema = spec.schema();
    String input =
        schema.denseWidth() > 0 ? FEATURES : schema.categorical().isEmpty() ? IDS : CATEGORIES;
    String shape = graph.node("Shape", List.of(input));
    String rows =
        graph.node("Gather", List.of(shape, graph.longs(0)), OnnxGraph.integer("axis", 0));
    String zeros =
        graph.node(
            "Concat",
            List.of(rows, graph.longs(spec.schema().contextWidth())),
            OnnxGraph.integer("axis", 0));
    return graph.node("ConstantOfShape", List.of(zeros));
  }

  /**
   * Adds the nodes that scale the values, in double precision like the scaler, so that large values
   * with small differences stay distinct.
   */
  private String scaled(int width) {
    double[] centres = new double[width];
    double[] factors = new double[width];
    for (int i = 0; i < width; i++) {
      FeatureScaler.Linear linear = scaler.linear(i);
      centres[i] = linear.centre();
      factors[i] = linear.factor();
    }
    String values = decoded(width);
    if (!all(centres, 0)) {
      values = graph.node("Sub", List.of(values, graph.doubles(centres, width)));
    }
    if (!all(factors, 1)) {
      values = graph.node("Mul", List.of(values, graph.doubles(factors, width)));
    }
    return cast(bounded(values, scaler.bound()), OnnxTensor.FLOAT);
  }

  /** Adds the nodes of the piecewise-linear encoding, in double precision like the scaler. */
  private String encoded(int width) {
    PiecewiseLinear encoding = scaler.encoding();
    int bins = encoding.bins();
    String values = bounded(decoded(width), PiecewiseLinear.largest());
    String columns = graph.node("Unsqueeze", List.of(values, graph.longs(2)));
    String edges = graph.doubles(encoding.edges(), width, bins);
    String spans = graph.doubles(encoding.spans(), width, bins);
    String places = graph.node("Div", List.of(graph.node("Sub", List.of(columns, edges)), spans));
    String clipped = graph.node("Clip", List.of(places, graph.scalar(0.0), graph.scalar(1.0)));
    String numbers = cast(clipped, OnnxTensor.FLOAT);
    return graph.node("Reshape", List.of(numbers, graph.longs(0, (long) width * bins)));
  }

  /**
   * Adds the nodes that convert an event's numbers to a sample's: each is multiplied by the factor
   * in the application file.
   */
  private String decoded(int width) {
    double[] scales = new double[width];
    int at = 0;
    for (SampleSchema.DenseFeature each : spec.schema().dense()) {
      Arrays.fill(scales, at, at + each.width(), each.scale());
      at += each.width();
    }
    if (all(scales, 1)) {
      return FEATURES;
    }
    return graph.node("Mul", List.of(FEATURES, graph.doubles(scales, width)));
  }

  private static boolean all(double[] values, double value) {
    return Arrays.stream(values).allMatch(each -> each == value);
  }

  private String bounded(String values, double bound) {
    return graph.node("Clip", List.of(values, graph.scalar(-bound), graph.scalar(bound)));
  }

  private String cast(String values, int type) {
    return graph.node("Cast", List.of(values), OnnxGraph.integer("to", type));
  }

  private void classes(String network) {
    String output = network;
    ServedMixture mixed = mixture;
    if (mixed != null) {
      output = mixed(cast(network, OnnxTensor.DOUBLE), mixed, spec.outputWidth());
      output = cast(output, OnnxTensor.FLOAT);
    }
    graph.node("Identity", List.of(output), PROBABILITIES);
    graph.node(
        "ArgMax",
        List.of(output),
        CLASS,
        OnnxGraph.integer("axis", 1),
        OnnxGraph.integer("keepdims", 0));
    graph.output(PROBABILITIES, OnnxTensor.FLOAT, spec.outputWidth());
    graph.output(CLASS, OnnxTensor.INT64);
  }

  /** Adds the nodes that average the network's predictions with those of the other experts. */
  private String mixed(String network, ServedMixture with, int width) {
    String weighted = graph.node("Mul", List.of(network, graph.scalar(with.networkWeight())));
    return graph.node("Add", List.of(weighted, graph.doubles(with.added(width), width)));
  }

  private void target(String output) {
    FeatureScaler.Linear linear = scaler.target().linear();
    String one = graph.node("Squeeze", List.of(output, graph.longs(1)));
    String values = cast(one, OnnxTensor.DOUBLE);
    values = graph.node("Div", List.of(values, graph.scalar(linear.factor())));
    values = graph.node("Add", List.of(values, graph.scalar(linear.centre())));
    values = bounded(values, Float.MAX_VALUE);
    ServedMixture mixed = mixture;
    if (mixed != null) {
      values = mixed(values, mixed, 1);
    }
    graph.node("Identity", List.of(values), PREDICTION);
    graph.output(PREDICTION, OnnxTensor.DOUBLE);
  }
}
