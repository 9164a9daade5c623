package io.idlalayer.modelcontroller.engine.compile;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a network in Deeplearning4j's JSON, with one view of its two forms, a stack
 * of layers and a graph of layers.
 *
 * @param vertices in an order in which each vertex comes after its sources
 * @param outputs names of the output vertices
 * @param backpropagation Deeplearning4j's name of the kind of training
 * @param numbers Deeplearning4j's name of the type of its numbers
 * @param averaged whether gradients are means over rows, and not sums
 * @param iterations count of updates in the file
 * @param epochs count of epochs
 */
public record NetworkConfiguration(
    List<Vertex> vertices,
    List<String> outputs,
    String backpropagation,
    String numbers,
    boolean averaged,
    int iterations,
    int epochs) {
  private static final String GRAPH_VERTICES = "vertices";
  private static final String STACKED_LAYERS = "confs";
  private static final String LAYER_VERTEX = "LayerVertex";
  private static final String FLOAT = "FLOAT";

  public NetworkConfiguration {
    vertices = List.copyOf(vertices);
    outputs = List.copyOf(outputs);
  }

  /**
   * A layer, or a vertex of a graph that is not a layer.
   *
   * @param sources names of vertices, or {@link NetworkPlan#INPUT}
   * @param layer the layer; null for another vertex
   * @param before preprocessor of its input; null if there is none
   * @param other the other vertex; null for a layer
   */
  public record Vertex(
      String name,
      List<String> sources,
      @Nullable Layer layer,
      @Nullable Settings before,
      @Nullable Settings other) {
    public Vertex {
      sources = List.copyOf(sources);
    }
  }

  /**
   * A layer.
   *
   * @param training how the layer is trained
   * @param settings settings of the layer itself
   */
  public record Layer(Settings training, Settings settings) {}

  /**
   * Returns true if a configuration is a graph of layers, and false if it is a stack of layers.
   *
   * @throws UncompilableException if the configuration is neither
   */
  public static boolean isGraph(JsonNode root) throws UncompilableException {
    boolean graph = root.has(GRAPH_VERTICES);
    if (graph == root.has(STACKED_LAYERS)) {
      throw new WrongConfigurationException(
          "it is not a DL4J configuration: a MultiLayerConfiguration has 'confs', a"
              + " ComputationGraphConfiguration has 'vertices'; write either with its toJson()");
    }
    return graph;
  }

  /**
   * Reads a configuration. The caller must not change {@code root} afterwards.
   *
   * @throws UncompilableException if {@code root} is no configuration, or has several inputs
   */
  public static NetworkConfiguration read(JsonNode root) throws UncompilableException {
    return isGraph(root) ? graph(root) : stack(root);
  }

  private static NetworkConfiguration stack(JsonNode root) throws UncompilableException {
    Settings settings = new Settings("the configuration", root);
    JsonNode layers = root.get(STACKED_LAYERS);
    if (!layers.isArray() || layers.isEmpty()) {
      throw new WrongConfigurationException("the DL4J configuration has no layers");
    }
    List<Vertex> vertices = new ArrayList<>();
    String source = NetworkPlan.INPUT;
    boolean averaged = true;
    for (int i = 0; i < layers.size(); i++) {
      Layer layer = layer("layer " + i, layers.get(i));
      String name = layer.settings().text("layerName", "layer" + i);
      Settings all = settings.part("the preprocessors", "inputPreProcessors");
      Settings before =
          all == null
              ? null
              : all.part("the preprocessor of layer '" + name + "'", Integer.toString(i));
      vertices.add(new Vertex(name, List.of(source), layer, before, null));
      averaged &= layer.training().flag("miniBatch", true);
      source = name;
    }
    return of(settings, vertices, List.of(source), averaged);
  }

  private static NetworkConfiguration graph(JsonNode root) throws UncompilableException {
    Settings settings = new Settings("the configuration", root);
    List<String> inputs = names(root.path("networkInputs"), "networkInputs");
    if (inputs.size() != 1) {
      throw new WrongConfigurationException(
          "a network needs one input, and the graph has " + inputs);
    }
    String input = inputs.get(0);
    JsonNode configured = root.get(GRAPH_VERTICES);
    List<String> order = GraphOrder.of(root, inputs);
    List<Vertex> vertices = new ArrayList<>();
    Set<String> known = new HashSet<>(List.of(NetworkPlan.INPUT));
    boolean averaged = true;
    for (String name : order) {
      if (name.equals(input)) {
        continue;
      }
      List<String> sources = new ArrayList<>();
      for (String each : names(root.path("vertexInputs").path(name), "inputs of " + name)) {
        String source = each.equals(input) ? NetworkPlan.INPUT : each;
        if (!known.contains(source)) {
          throw new WrongConfigurationException(
              "vertex '%s' comes before '%s', which it takes".formatted(name, source));
        }
        sources.add(source);
      }
      if (sources.isEmpty()) {
        throw new WrongConfigurationException("vertex '%s' has no inputs".formatted(name));
      }
      Vertex vertex = vertex(name, configured.path(name), sources);
      Layer layer = vertex.layer();
      averaged &= layer == null || layer.training().flag("miniBatch", true);
      vertices.add(vertex);
      known.add(name);
    }
    JsonNode shared = root.path("defaultConfiguration");
    averaged &= !shared.isObject() || new Settings("the graph", shared).flag("miniBatch", true);
    return of(settings, vertices, names(root.path("networkOutputs"), "networkOutputs"), averaged);
  }

  private static NetworkConfiguration of(
      Settings settings, List<Vertex> vertices, List<String> outputs, boolean averaged)
      throws UncompilableException {
    return new NetworkConfiguration(
        vertices,
        outputs,
        settings.text("backpropType", "Standard"),
        settings.text("dataType", FLOAT),
        averaged,
        settings.has("iterationCount") ? settings.integer("iterationCount") : 0,
        settings.has("epochCount") ? settings.integer("epochCount") : 0);
  }

  private static Vertex vertex(String name, JsonNode node, List<String> sources)
      throws UncompilableException {
    Settings settings = new Settings("vertex '" + name + "'", node);
    if (!settings.simpleName().equals(LAYER_VERTEX)) {
      return new Vertex(name, sources, null, null, settings);
    }
    return new Vertex(
        name,
        sources,
        layer("layer '" + name + "'", node.path("layerConf")),
        settings.part("the preprocessor", "preProcessor"),
        null);
  }

  private static Layer layer(String owner, JsonNode node) throws UncompilableException {
    return new Layer(new Settings(owner, node), new Settings(owner, node.path("layer")));
  }

  static List<String> names(JsonNode texts, String what) throws UncompilableException {
    if (!texts.isArray()) {
      throw new WrongConfigurationException("the configuration has no list of " + what);
    }
    List<String> names = new ArrayList<>();
    for (JsonNode each : texts) {
      if (!each.isTextual()) {
        throw new WrongConfigurationException(
            "the list of %s has something other than a name".formatted(what));
      }
      names.add(each.textValue());
    }
    return names;
  }
}
