package io.idlalayer.modelruntime.network;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.network.NetworkDraft.Rows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a network from Deeplearning4j's JSON configuration. The reader skips, by name, known parts
 * that have no influence on predictions. It refuses each unknown layer, vertex or setting.
 */
final class ConfigurationReader {
  private static final int DEEPEST = 100;
  private static final int MOST_BYTES = 16 << 20;

  private static final ObjectMapper JSON =
      new ObjectMapper(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxTokenCount(HeapShare.ofThisProcess().jsonTokens())
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final String VERTICES = "org.deeplearning4j.nn.conf.graph.";
  private static final String DOTS = LayerReader.OWN + "PairwiseDots";

  private static final String RESHAPE_ORDER = "c";

  private final NetworkDraft draft;
  private final LayerSteps layers;

  /** The outputs of the vertices read so far, by the vertices' names. */
  private final Map<String, Rows> given = new HashMap<>();

  private ConfigurationReader(NetworkDraft draft) {
    this.draft = draft;
    layers = new LayerSteps(draft);
  }

  /**
   * Returns the network of a configuration, with its parameters.
   *
   * @param parameters parameters of all layers, finite
   * @param columns columns of the network's input
   */
  static PlainNetwork read(byte[] configuration, float[] parameters, InputColumns columns)
      throws MalformedModelException, UnsupportedModelException {
    JsonNode root = parse(configuration);
    NetworkDraft draft = new NetworkDraft(columns, parameters);
    ConfigurationReader reader = new ConfigurationReader(draft);
    boolean graph = root.has("vertices");
    if (graph == root.has("confs")) {
      throw malformed("it must have either 'confs' or 'vertices', and not both");
    }
    Rows first = draft.input();
    return draft.network(graph ? reader.graph(root, first) : reader.stack(root, first));
  }

  private static JsonNode parse(byte[] configuration) throws MalformedModelException {
    if (configuration.length > MOST_BYTES) {
      throw malformed(String.format(Locale.ROOT, "it has more than %d bytes", MOST_BYTES));
    }
    try {
      return JSON.readTree(configuration);
    } catch (IOException broken) {
      throw new MalformedModelException(
          ModelArtifact.CONFIGURATION_ENTRY + " cannot be read: " + broken.getMessage(), broken);
    }
  }

  static MalformedModelException malformed(String what) {
    return new MalformedModelException(
        "%s is not a network that predicts: %s".formatted(ModelArtifact.CONFIGURATION_ENTRY, what));
  }

  private Rows stack(JsonNode root, Rows input)
      throws MalformedModelException, UnsupportedModelException {
    Settings settings = new Settings("the network", root);
    settings.passOver(
        "backpropType",
        "cacheMode",
        "confs",
        "dataType",
        "epochCount",
        "inferenceWorkspaceMode",
        "iterationCount",
        "tbpttBackLength",
        "tbpttFwdLength",
        "trainingWorkspaceMode",
        "validateOutputLayerConfig");
    JsonNode before = settings.take("inputPreProcessors");
    settings.checkAllKnown();
    JsonNode stacked = root.get("confs");
    if (!stacked.isArray() || stacked.isEmpty()) {
      throw malformed("it has no layers");
    }
    Rows rows = input;
    int prepared = 0;
    for (int i = 0; i < stacked.size(); i++) {
      String name = "layer " + i;
      JsonNode preprocessor = before == null ? null : before.get(Integer.toString(i));
      prepared += preprocessor == null ? 0 : 1;
      rows = Preprocessors.prepared(name, preprocessor, rows);
      rows = layer(name, stacked.get(i), rows, i == stacked.size() - 1);
    }
    if (before != null && before.size() != prepared) {
      throw malformed("it has preprocessors for layers that do not exist");
    }
    return rows;
  }

  private Rows graph(JsonNode root, Rows input)
      throws MalformedModelException, UnsupportedModelException {
    Settings settings = new Settings("the graph", root);
    settings.passOver(
        "backpropType",
        "cacheMode",
        "dataType",
        "defaultConfiguration",
        "epochCount",
        "inferenceWorkspaceMode",
        "iterationCount",
        "tbpttBackLength",
        "tbpttFwdLength",
        "topologicalOrder",
        "trainingWorkspaceMode",
        "validateOutputLayerConfig",
        "vertexInputs",
        "vertices");
    List<String> inputs = names(settings.take("networkInputs"), "networkInputs");
    List<String> outputs = names(settings.take("networkOutputs"), "networkOutputs");
    List<String> order = names(settings.take("topologicalOrderStr"), "topologicalOrderStr");
    settings.checkAllKnown();
    if (inputs.size() != 1 || outputs.size() != 1) {
      throw malformed(
          String.format(
              Locale.ROOT, "it has %d inputs and %d outputs", inputs.size(), outputs.size()));
    }
    JsonNode vertices = root.get("vertices");
    JsonNode sources = root.path("vertexInputs");
    Set<String> all = new HashSet<>();
    vertices.fieldNames().forEachRemaining(all::add);
    all.add(inputs.get(0));
    if (order.size() != all.size() || !all.equals(new HashSet<>(order))) {
      throw malformed("its order does not name each vertex once");
    }
    given.put(inputs.get(0), input);
    for (String name : order) {
      if (!name.equals(inputs.get(0))) {
        boolean last = name.equals(outputs.get(0));
        given.put(name, vertex(name, vertices.get(name), sources(name, sources), last));
      }
    }
    Rows end = given.get(outputs.get(0));
    if (end == null) {
      throw malformed("it has no vertex '%s'".formatted(outputs.get(0)));
    }
    return end;
  }

  private List<Rows> sources(String name, JsonNode sources) throws MalformedModelException {
    List<Rows> found = new ArrayList<>();
    for (String source : names(sources.get(name), "the inputs of vertex '" + name + "'")) {
      Rows rows = given.get(source);
      if (rows == null) {
        throw malformed("vertex '%s' comes before its input '%s'".formatted(name, source));
      }
      found.add(rows);
    }
    if (found.isEmpty()) {
      throw malformed("vertex '%s' has no inputs".formatted(name));
    }
    return found;
  }

  private static List<String> names(@Nullable JsonNode texts, String what)
      throws MalformedModelException {
    if (texts == null || !texts.isArray()) {
      throw malformed(what + " is missing");
    }
    List<String> names = new ArrayList<>();
    for (JsonNode each : texts) {
      if (!each.isTextual()) {
        throw malformed(what + " has a value that is not a name");
      }
      names.add(each.textValue());
    }
    return names;
  }

  private Rows vertex(String name, JsonNode vertex, List<Rows> sources, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    String what = "vertex '" + name + "'";
    Settings settings = new Settings(what, vertex);
    String type = settings.text("@class");
    Rows rows =
        switch (type) {
          case VERTICES + "LayerVertex" -> {
            settings.passOver("outputVertex", "layerConf");
            Rows prepared =
                Preprocessors.prepared(what, settings.take("preProcessor"), only(what, sources));
            settings.checkAllKnown();
            yield layer(what, vertex.path("layerConf"), prepared, last);
          }
          case VERTICES + "PreprocessorVertex" ->
              Preprocessors.prepared(what, settings.take("preProcessor"), only(what, sources));
          case VERTICES + "ReshapeVertex" -> reshaped(settings, only(what, sources));
          case VERTICES + "rnn.LastTimeStepVertex" -> {
            // A mask comes with the input of a network; here there is none.
            settings.passOver("maskArrayInputName");
            yield layers.lastStep(only(what, sources));
          }
          case VERTICES + "SubsetVertex" -> columns(settings, only(what, sources));
          case VERTICES + "MergeVertex" -> {
            settings.passOver("modified");
            int axis = settings.integer("mergeAxis");
            if (axis != 1) {
              throw new UnsupportedModelException(
                  String.format(Locale.ROOT, "merge axis %d of %s", axis, name));
            }
            yield merged(what, sources);
          }
          case VERTICES + "ElementWiseVertex" -> combined(settings, sources);
          case DOTS -> dots(settings, sources);
          default -> throw new UnsupportedModelException("%s, a %s,".formatted(what, type));
        };
    settings.checkAllKnown();
    return rows;
  }

  private static Rows only(String what, List<Rows> sources) throws MalformedModelException {
    if (sources.size() != 1) {
      throw malformed(
          String.format(Locale.ROOT, "%s has %d inputs instead of one", what, sources.size()));
    }
    return sources.get(0);
  }

  private static void checkFlat(String what, Rows rows) throws UnsupportedModelException {
    if (!(rows.shape() instanceof RowShape.Flat)) {
      throw new UnsupportedModelException("%s over %s".formatted(what, rows.shape()));
    }
  }

  /** Returns the rows after a reshape, which keeps the numbers in their order. */
  private static Rows reshaped(Settings settings, Rows rows)
      throws MalformedModelException, UnsupportedModelException {
    int[] sizes = settings.integers("newShape");
    settings.checkNull("maskShape");
    LayerReader.checkText(settings, "reshapeOrder", RESHAPE_ORDER);
    long numbers = 1;
    for (int i = 1; i < sizes.length; i++) {
      numbers = sizes[i] < 1 ? 0 : Math.min(numbers * sizes[i], Integer.MAX_VALUE);
    }
    if (sizes.length < 2 || sizes.length > 4 || sizes[0] != -1 || numbers != rows.width()) {
      throw malformed(
          String.format(
              Locale.ROOT,
              "%s makes %s of rows of %d numbers",
              settings.owner(),
              Arrays.toString(sizes),
              rows.width()));
    }
    return rows.as(
        switch (sizes.length) {
          case 2 -> new RowShape.Flat(sizes[1]);
          case 3 -> new RowShape.Series(sizes[1], sizes[2]);
          default -> new RowShape.Image(sizes[1], sizes[2], sizes[3]);
        });
  }

  private Rows columns(Settings settings, Rows rows)
      throws MalformedModelException, UnsupportedModelException {
    checkFlat(settings.owner(), rows);
    int inputs = rows.width();
    int from = settings.integer("from");
    int to = settings.integer("to");
    if (from < 0 || to < from || to >= inputs) {
      throw malformed(
          String.format(
              Locale.ROOT, "%s takes columns %d to %d of %d", settings.owner(), from, to, inputs));
    }
    int width = to - from + 1;
    return draft.add(
        new RowSteps.Columns(from, width, inputs), new RowShape.Flat(width), List.of(rows));
  }

  /**
   * Returns flat rows side by side, or images channel by channel: in both cases the numbers of one
   * source follow those of the other.
   */
  private Rows merged(String what, List<Rows> sources)
      throws MalformedModelException, UnsupportedModelException {
    Rows first = sources.get(0);
    if (sources.size() == 1) {
      return first;
    }
    long width = 0;
    long channels = 0;
    for (Rows each : sources) {
      width += each.width();
      if (first.shape() instanceof RowShape.Image image) {
        if (!(each.shape() instanceof RowShape.Image other)
            || other.height() != image.height()
            || other.width() != image.width()) {
          throw malformed("%s merges %s and %s".formatted(what, image, each.shape()));
        }
        channels += other.channels();
      } else {
        checkFlat(what, each);
      }
    }
    int numbers = NetworkDraft.bounded(width);
    int[] widths = sources.stream().mapToInt(Rows::width).toArray();
    RowShape shape =
        first.shape() instanceof RowShape.Image image
            ? new RowShape.Image((int) channels, image.height(), image.width())
            : new RowShape.Flat(numbers);
    return draft.add(new RowSteps.Merged(numbers, widths), shape, sources);
  }

  private Rows combined(Settings settings, List<Rows> sources)
      throws MalformedModelException, UnsupportedModelException {
    String name = settings.text("op");
    RowSteps.Operation operation =
        switch (name) {
          case "Add" -> RowSteps.Operation.ADD;
          case "Subtract" -> RowSteps.Operation.SUBTRACT;
          case "Product" -> RowSteps.Operation.PRODUCT;
          case "Average" -> RowSteps.Operation.AVERAGE;
          case "Max" -> RowSteps.Operation.MAX;
          default ->
              throw new UnsupportedModelException(
                  "operation '%s' of %s".formatted(name, settings.owner()));
        };
    RowShape shape = sources.get(0).shape();
    boolean same = sources.stream().allMatch(source -> source.shape().equals(shape));
    if (!same || (operation == RowSteps.Operation.SUBTRACT && sources.size() != 2)) {
      throw malformed(
          settings.owner()
              + " combines inputs of different shapes, or subtracts with other than two inputs");
    }
    // Each source is work for each number, so they count as numbers.
    draft.count((long) shape.numbers() * (sources.size() - 1));
    return draft.add(new RowSteps.Combined(shape.numbers(), operation), shape, sources);
  }

  private Rows dots(Settings settings, List<Rows> sources)
      throws MalformedModelException, UnsupportedModelException {
    int dim = settings.integer("dim");
    for (Rows source : sources) {
      checkFlat(settings.owner(), source);
      if (dim < 1 || source.width() < dim || source.width() % dim != 0) {
        throw malformed(
            String.format(
                Locale.ROOT,
                "%s takes vectors of %d, and gets rows of %d",
                settings.owner(),
                dim,
                source.width()));
      }
    }
    Rows rows = merged(settings.owner(), sources);
    int vectors = rows.width() / dim;
    int pairs = NetworkDraft.bounded((long) vectors * (vectors - 1) / 2);
    return draft.add(
        new RowSteps.Dots(pairs, vectors, dim), new RowShape.Flat(pairs), List.of(rows));
  }

  private Rows layer(String name, JsonNode configuration, Rows source, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    return layers.add(name, LayerReader.read(name, configuration, source.shape()), source, last);
  }
}
