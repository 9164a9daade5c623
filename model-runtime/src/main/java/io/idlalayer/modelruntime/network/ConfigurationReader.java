package io.idlalayer.modelruntime.network;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads Deeplearning4j's JSON of a network. What has no influence on predictions is passed over by
 * name; a layer, a vertex or a setting that is not known is refused, never passed over.
 */
final class ConfigurationReader {
  private static final int DEEPEST = 100;
  private static final int MOST_BYTES = 16 << 20;

  private static final ObjectMapper JSON =
      new ObjectMapper(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final String VERTICES = "org.deeplearning4j.nn.conf.graph.";
  private static final String DOTS = "io.idlalayer.modelloader.network.PairwiseDots";

  private final float[] parameters;
  private final List<PlainNetwork.Node> nodes = new ArrayList<>();

  /** Places by name; see {@link PlainNetwork.Node}. */
  private final Map<String, Integer> places = new HashMap<>();

  private final List<Integer> widths = new ArrayList<>();
  private long numbers;
  private int used;

  private ConfigurationReader(float[] parameters, int inputs) throws MalformedModelException {
    this.parameters = parameters;
    widths.add(inputs);
    count(inputs);
  }

  /**
   * @param parameters of all layers, finite
   * @param inputs numbers of a row of features
   */
  static PlainNetwork read(byte[] configuration, float[] parameters, int inputs)
      throws MalformedModelException, UnsupportedModelException {
    JsonNode root = parse(configuration);
    ConfigurationReader reader = new ConfigurationReader(parameters, inputs);
    boolean graph = root.has("vertices");
    if (graph == root.has("confs")) {
      throw malformed("it has neither or both of 'confs' and 'vertices'");
    }
    if (graph) {
      reader.graph(root);
    } else {
      reader.stack(root);
    }
    if (reader.used != parameters.length) {
      throw new MalformedModelException(
          "the network has %d parameters, and %d are stored"
              .formatted(reader.used, parameters.length));
    }
    return new PlainNetwork(inputs, reader.nodes);
  }

  private static JsonNode parse(byte[] configuration) throws MalformedModelException {
    if (configuration.length > MOST_BYTES) {
      throw malformed("it has more than %d bytes".formatted(MOST_BYTES));
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
        "%s is no network that predicts: %s".formatted(ModelArtifact.CONFIGURATION_ENTRY, what));
  }

  private void stack(JsonNode root) throws MalformedModelException, UnsupportedModelException {
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
    if (before != null && !before.isEmpty()) {
      throw new UnsupportedModelException(
          "preprocessor %s of the network".formatted(before.iterator().next().path("@class")));
    }
    settings.checkAllKnown();
    JsonNode layers = root.get("confs");
    if (!layers.isArray() || layers.isEmpty()) {
      throw malformed("it has no layers");
    }
    int place = 0;
    for (int i = 0; i < layers.size(); i++) {
      String name = "layer " + i;
      place = layer(name, layers.get(i), place, i == layers.size() - 1);
    }
    end(place);
  }

  private void graph(JsonNode root) throws MalformedModelException, UnsupportedModelException {
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
      throw malformed("it has %d inputs and %d outputs".formatted(inputs.size(), outputs.size()));
    }
    JsonNode vertices = root.get("vertices");
    JsonNode sources = root.path("vertexInputs");
    Set<String> all = new HashSet<>();
    vertices.fieldNames().forEachRemaining(all::add);
    all.add(inputs.get(0));
    if (order.size() != all.size() || !all.equals(new HashSet<>(order))) {
      throw malformed("its order does not name each vertex once");
    }
    places.put(inputs.get(0), 0);
    for (String name : order) {
      if (!name.equals(inputs.get(0))) {
        boolean last = name.equals(outputs.get(0));
        places.put(name, vertex(name, vertices.get(name), places(name, sources), last));
      }
    }
    Integer place = places.get(outputs.get(0));
    if (place == null) {
      throw malformed("it has no vertex '%s'".formatted(outputs.get(0)));
    }
    end(place);
  }

  /** The last node gives the outputs. */
  private void end(int place) throws MalformedModelException {
    if (place == 0 || place != nodes.size()) {
      throw malformed("it does not end with its output layer");
    }
  }

  private List<Integer> places(String name, JsonNode sources) throws MalformedModelException {
    List<Integer> found = new ArrayList<>();
    for (String source : names(sources.get(name), "the inputs of vertex '" + name + "'")) {
      Integer place = places.get(source);
      if (place == null) {
        throw malformed("vertex '%s' comes before '%s', which it takes".formatted(name, source));
      }
      found.add(place);
    }
    if (found.isEmpty()) {
      throw malformed("vertex '%s' takes nothing".formatted(name));
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
        throw malformed(what + " has something else than names");
      }
      names.add(each.textValue());
    }
    return names;
  }

  private int vertex(String name, JsonNode vertex, List<Integer> sources, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    Settings settings = new Settings("vertex '" + name + "'", vertex);
    String type = settings.text("@class");
    if (type.equals(VERTICES + "LayerVertex")) {
      settings.passOver("outputVertex", "layerConf");
      settings.checkNull("preProcessor");
      settings.checkAllKnown();
      if (sources.size() != 1) {
        throw malformed("vertex '%s' is a layer of %d inputs".formatted(name, sources.size()));
      }
      return layer("vertex '" + name + "'", vertex.path("layerConf"), sources.get(0), last);
    }
    int place =
        switch (type) {
          case VERTICES + "SubsetVertex" -> columns(settings, sources);
          case VERTICES + "MergeVertex" -> {
            settings.passOver("modified");
            int axis = settings.integer("mergeAxis");
            if (axis != 1) {
              throw new UnsupportedModelException("merge axis %d of %s".formatted(axis, name));
            }
            yield merged(sources);
          }
          case VERTICES + "ElementWiseVertex" -> combined(settings, sources);
          case DOTS -> dots(settings, sources);
          default ->
              throw new UnsupportedModelException("vertex '%s', a %s,".formatted(name, type));
        };
    settings.checkAllKnown();
    return place;
  }

  private int columns(Settings settings, List<Integer> sources) throws MalformedModelException {
    int inputs = widths.get(sources.get(0));
    int from = settings.integer("from");
    int to = settings.integer("to");
    if (sources.size() != 1 || from < 0 || to < from || to >= inputs) {
      throw malformed(
          "%s takes columns %d to %d of %d".formatted(settings.owner(), from, to, inputs));
    }
    return add(new RowSteps.Columns(from, to - from + 1, inputs), sources);
  }

  private int merged(List<Integer> sources) throws MalformedModelException {
    int[] each = sources.stream().mapToInt(widths::get).toArray();
    if (each.length == 1) {
      return sources.get(0);
    }
    long width = 0;
    for (int one : each) {
      width += one;
    }
    return add(new RowSteps.Merged(bounded(width), each), sources);
  }

  private int combined(Settings settings, List<Integer> sources)
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
    int width = widths.get(sources.get(0));
    boolean same = sources.stream().allMatch(source -> widths.get(source) == width);
    if (!same || (operation == RowSteps.Operation.SUBTRACT && sources.size() != 2)) {
      throw malformed(settings.owner() + " combines what does not fit together");
    }
    // Each source is work for each number, so they count as numbers.
    numbers += (long) width * (sources.size() - 1);
    return add(new RowSteps.Combined(width, operation), sources);
  }

  private int dots(Settings settings, List<Integer> sources) throws MalformedModelException {
    int dim = settings.integer("dim");
    for (int source : sources) {
      if (dim < 1 || widths.get(source) < dim || widths.get(source) % dim != 0) {
        throw malformed(
            "%s takes vectors of %d, and gets rows of %d"
                .formatted(settings.owner(), dim, widths.get(source)));
      }
    }
    int place = merged(sources);
    int vectors = widths.get(place) / dim;
    int pairs = bounded((long) vectors * (vectors - 1) / 2);
    return add(new RowSteps.Dots(pairs, vectors, dim), List.of(place));
  }

  private int layer(String name, JsonNode configuration, int source, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    LayerSettings layer = LayerSettings.read(name, configuration);
    boolean end =
        layer.kind() == LayerSettings.Kind.OUTPUT || layer.kind() == LayerSettings.Kind.LOSS;
    if (end != last) {
      throw malformed(
          last
              ? name + " is the last one, and no output layer"
              : name + " is an output layer, and not the last one");
    }
    int inputs = widths.get(source);
    return switch (layer.kind()) {
      case DENSE, OUTPUT -> dense(name, layer, source);
      case LOSS, ACTIVATION ->
          add(new RowSteps.Activated(inputs, layer.activation()), List.of(source));
      case DROPOUT -> source;
    };
  }

  private int dense(String name, LayerSettings layer, int source) throws MalformedModelException {
    int inputs = widths.get(source);
    if (layer.inputs() != inputs) {
      throw malformed("%s takes %d numbers, and gets %d".formatted(name, layer.inputs(), inputs));
    }
    long count = (long) inputs * layer.outputs() + (layer.hasBias() ? layer.outputs() : 0);
    if (layer.outputs() < 1 || count > parameters.length - used) {
      throw malformed(
          "%s has %d parameters, and %d are left".formatted(name, count, parameters.length - used));
    }
    int width = bounded(layer.outputs());
    DenseStep step =
        new DenseStep(inputs, width, layer.hasBias(), layer.activation(), parameters, used);
    used += (int) count;
    return add(step, List.of(source));
  }

  private int add(Step step, List<Integer> sources) throws MalformedModelException {
    count(step.width());
    widths.add(step.width());
    nodes.add(new PlainNetwork.Node(step, sources.stream().mapToInt(i -> i).toArray()));
    return nodes.size();
  }

  private void count(int width) throws MalformedModelException {
    numbers += width;
    bounded(numbers);
  }

  /** So that what a small file says does not take much memory or time. */
  private static int bounded(long width) throws MalformedModelException {
    if (width < 1 || width > PlainNetwork.MOST_NUMBERS) {
      throw malformed(
          "it has %d numbers between its layers for a row; 1 to %d are computed"
              .formatted(width, PlainNetwork.MOST_NUMBERS));
    }
    return (int) width;
  }
}
