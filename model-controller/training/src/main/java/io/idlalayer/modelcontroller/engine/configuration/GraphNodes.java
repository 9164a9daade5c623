package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A graph of layers under construction, which knows the width of each vertex. Not thread-safe. */
final class GraphNodes {
  static final String INPUT = "features";
  static final String OUTPUT = "output";

  private static final String VERTICES = "org.deeplearning4j.nn.conf.graph.";
  private static final int TRUNCATED_LENGTH = 20;

  private final LayerNodes layers;
  private final ObjectNode vertices = ConfigurationJson.object();
  private final ObjectNode sources = ConfigurationJson.object();
  private final Map<String, Integer> widths = new HashMap<>();

  GraphNodes(LayerNodes layers, int inputs) {
    this.layers = layers;
    widths.put(INPUT, inputs);
  }

  /** Returns the number of values that a vertex gives for a row. */
  int width(String vertex) {
    Integer width = widths.get(vertex);
    if (width == null) {
      throw new IllegalArgumentException("no vertex is called " + vertex);
    }
    return width;
  }

  /**
   * Adds a vertex for the columns of the input from {@code from} (inclusive) to {@code to}
   * (exclusive).
   */
  void columns(String name, int from, int to) {
    ObjectNode vertex =
        LayerNodes.typed(VERTICES + "SubsetVertex").put("from", from).put("to", to - 1);
    add(name, vertex, to - from, List.of(INPUT));
  }

  /** Adds a dense layer with ReLU. */
  void hidden(String name, int outputs, String source) {
    layer(
        name,
        layers.dense(
            name, width(source), outputs, LayerNodes.Function.RELU, LayerNodes.Weights.RELU),
        outputs,
        source);
  }

  /** Adds a dense layer without an activation function. */
  void linear(String name, int outputs, String source) {
    layer(
        name,
        layers.dense(
            name, width(source), outputs, LayerNodes.Function.IDENTITY, LayerNodes.Weights.XAVIER),
        outputs,
        source);
  }

  void output(int outputs, LayerNodes.Function function, ObjectNode loss, String source) {
    layer(OUTPUT, layers.output(OUTPUT, width(source), outputs, function, loss), outputs, source);
  }

  void lossOnly(LayerNodes.Function function, ObjectNode loss, String source) {
    int width = width(source);
    layer(OUTPUT, layers.lossOnly(OUTPUT, width, function, loss), width, source);
  }

  private void layer(String name, ObjectNode layer, int outputs, String source) {
    ObjectNode vertex = LayerNodes.typed(VERTICES + "LayerVertex");
    vertex.set("layerConf", layer);
    add(name, vertex.put("outputVertex", false).putNull("preProcessor"), outputs, List.of(source));
  }

  /** Adds a vertex that concatenates the outputs of vertices. */
  void merge(String name, List<String> from) {
    ObjectNode vertex =
        LayerNodes.typed(VERTICES + "MergeVertex").put("mergeAxis", 1).put("modified", false);
    add(name, vertex, from.stream().mapToInt(this::width).sum(), from);
  }

  /** Adds a vertex with the sum of the outputs of vertices of equal width. */
  void sum(String name, List<String> from) {
    ObjectNode vertex = LayerNodes.typed(VERTICES + "ElementWiseVertex").put("op", "Add");
    add(name, vertex, width(from.get(0)), from);
  }

  /** Adds a vertex with the dot products of all pairs of vectors in the outputs of vertices. */
  void dots(String name, int dim, List<String> from) {
    ObjectNode vertex =
        LayerNodes.typed("io.idlalayer.modelloader.network.PairwiseDots").put("dim", dim);
    long vectors = from.stream().mapToInt(this::width).sum() / dim;
    add(name, vertex, Math.toIntExact(vectors * (vectors - 1) / 2), from);
  }

  private void add(String name, ObjectNode vertex, int width, List<String> from) {
    vertices.set(name, vertex);
    ArrayNode taken = sources.putArray(name);
    from.forEach(taken::add);
    widths.put(name, width);
  }

  ObjectNode build() {
    ObjectNode root = ConfigurationJson.object();
    begin(root);
    root.put("dataType", "FLOAT");
    root.set("defaultConfiguration", LayerNodes.training());
    root.put("epochCount", 0).put("inferenceWorkspaceMode", "ENABLED").put("iterationCount", 0);
    root.putArray("networkInputs").add(INPUT);
    root.putArray("networkOutputs").add(OUTPUT);
    lengths(root);
    root.putNull("topologicalOrder").putNull("topologicalOrderStr");
    end(root);
    root.set("vertexInputs", sources);
    root.set("vertices", vertices);
    return root;
  }

  static void begin(ObjectNode root) {
    root.put("backpropType", "Standard").put("cacheMode", "NONE");
  }

  static void lengths(ObjectNode root) {
    root.put("tbpttBackLength", TRUNCATED_LENGTH).put("tbpttFwdLength", TRUNCATED_LENGTH);
  }

  static ObjectNode end(ObjectNode root) {
    return root.put("trainingWorkspaceMode", "ENABLED").put("validateOutputLayerConfig", true);
  }
}
