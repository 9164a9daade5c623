package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts the vertices of a network into nodes of a plan, in order, and records the shape of a row
 * after each node.
 */
final class NodeReader {
  /** Axis of the numbers of a row, or of the channels of an image. */
  private static final int FEATURES = 1;

  private final List<NetworkPlan.Node> nodes = new ArrayList<>();
  private final Map<String, PlanShape> shapes = new HashMap<>();

  /**
   * For each vertex that computes nothing, the name of the node whose outputs the vertex passes on.
   */
  private final Map<String, String> aliases = new HashMap<>();

  private NodeReader() {}

  /**
   * Returns the nodes of the plan of a network.
   *
   * @param inputs number of input values of one row
   */
  static List<NetworkPlan.Node> read(NetworkConfiguration network, int inputs)
      throws UncompilableException {
    if (network.outputs().size() != 1) {
      throw new WrongConfigurationException(
          "a network needs one output, and the graph has " + network.outputs());
    }
    String output = network.outputs().get(0);
    NodeReader reader = new NodeReader();
    reader.shapes.put(NetworkPlan.INPUT, new PlanShape.Flat(inputs));
    NetworkConfiguration.@Nullable Vertex last = null;
    for (NetworkConfiguration.Vertex vertex : network.vertices()) {
      if (vertex.name().equals(output)) {
        last = vertex;
      } else {
        reader.read(vertex, false);
      }
    }
    if (last == null) {
      throw new WrongConfigurationException("the graph has no vertex '%s'".formatted(output));
    }
    reader.read(last, true);
    reader.checkUsed();
    return reader.nodes;
  }

  private void read(NetworkConfiguration.Vertex vertex, boolean last) throws UncompilableException {
    checkNew(vertex.name());
    List<String> sources = new ArrayList<>();
    for (String source : vertex.sources()) {
      if (!shapes.containsKey(source)) {
        throw new UncompilableException(
            "layer '%s' has the input '%s', but that is the output layer of the network"
                .formatted(vertex.name(), source));
      }
      sources.add(aliases.getOrDefault(source, source));
    }
    NetworkConfiguration.Layer layer = vertex.layer();
    Settings other = vertex.other();
    if (layer != null) {
      if (sources.size() != 1) {
        throw new UncompilableException(
            "layer '%s' has %d inputs instead of one".formatted(vertex.name(), sources.size()));
      }
      read(vertex, layer.settings(), sources.get(0), last);
    } else if (other != null) {
      read(vertex.name(), other, vertex.sources(), sources);
    }
  }

  private void read(NetworkConfiguration.Vertex vertex, Settings layer, String source, boolean last)
      throws UncompilableException {
    String name = vertex.name();
    PlanShape shape =
        LayerPlanReader.prepared(name, vertex.before(), shapeOf(vertex.sources().get(0)));
    String from = source;
    LayerPlan.Dropped dropout = LayerPlanReader.dropout(name, layer, shape);
    if (dropout != null) {
      add(dropout, List.of(from), shape);
      from = dropout.name();
    }
    LayerPlanReader.Read read = LayerPlanReader.layer(name, layer, shape, last);
    if (read == null) {
      stand(name, from, shape);
    } else {
      add(read.layer(), List.of(from), read.outputs());
    }
  }

  /**
   * Converts one vertex into nodes and adds them.
   *
   * @param names names of the sources in the graph
   * @param sources names of the plan's nodes for these sources
   */
  private void read(String name, Settings vertex, List<String> names, List<String> sources)
      throws UncompilableException {
    List<PlanShape> inputs = new ArrayList<>();
    for (String each : names) {
      inputs.add(shapeOf(each));
    }
    PlanShape first = inputs.get(0);
    String type = vertex.simpleName();
    switch (type) {
      case "ElementWiseVertex" ->
          add(
              new LayerPlan.Combined(name, first.values(), combination(name, vertex, inputs)),
              sources,
              first);
      case "MergeVertex" -> {
        PlanShape shape = merged(name, vertex, inputs);
        add(new LayerPlan.Merged(name, shape.values()), sources, shape);
      }
      case "SubsetVertex" -> {
        LayerPlan.Part part = part(name, vertex, only(name, inputs));
        add(part, sources, new PlanShape.Flat(part.outputs()));
      }
      case "PairwiseDots" -> {
        LayerPlan plan =
            new LayerPlan.Dots(name, pairs(name, vertex, inputs), vertex.integer("dim"));
        add(plan, sources, new PlanShape.Flat(plan.outputs()));
      }
      case "ReshapeVertex" ->
          stand(name, sources.get(0), reshaped(name, vertex, only(name, inputs)));
      case "LastTimeStepVertex" -> {
        if (!(only(name, inputs) instanceof PlanShape.Sequence series)) {
          throw unknown(name, type);
        }
        LayerPlan plan = new LayerPlan.LastStep(name, series.size(), series.steps());
        add(plan, sources, new PlanShape.Flat(series.size()));
      }
      case "PreprocessorVertex" ->
          stand(
              name,
              sources.get(0),
              LayerPlanReader.prepared(
                  name, vertex.part("the preprocessor", "preProcessor"), only(name, inputs)));
      default -> throw unknown(name, type);
    }
  }

  private static PlanShape only(String name, List<PlanShape> inputs) throws UncompilableException {
    if (inputs.size() != 1) {
      throw new UncompilableException(
          "vertex '%s' has %d inputs instead of one".formatted(name, inputs.size()));
    }
    return inputs.get(0);
  }

  private static UncompilableException unknown(String name, String type) {
    return new UncompilableException(
        "vertex '%s' is a %s; only layers, ElementWiseVertex, MergeVertex, SubsetVertex and PairwiseDots of rows, ReshapeVertex, LastTimeStepVertex of a time series and PreprocessorVertex are known"
            .formatted(name, type));
  }

  private static LayerPlan.Part part(String name, Settings vertex, PlanShape inputs)
      throws UncompilableException {
    int from = vertex.integer("from");
    int to = vertex.integer("to");
    if (!(inputs instanceof PlanShape.Flat) || from < 0 || to < from || to >= inputs.values()) {
      throw UncompilableException.of(
          "subset from %d to %d of %s".formatted(from, to, inputs), name);
    }
    // Deeplearning4j includes the last index.
    return new LayerPlan.Part(name, from, to - from + 1);
  }

  private static int pairs(String name, Settings vertex, List<PlanShape> inputs)
      throws UncompilableException {
    int dim = vertex.integer("dim");
    long vectors = 0;
    for (PlanShape each : inputs) {
      if (!(each instanceof PlanShape.Flat) || dim < 1 || each.values() % dim != 0) {
        throw UncompilableException.of(
            "dot products of vectors of %d in %s".formatted(dim, each), name);
      }
      vectors += each.values() / dim;
    }
    long pairs = vectors * (vectors - 1) / 2;
    if (pairs < 1 || pairs > Integer.MAX_VALUE) {
      throw UncompilableException.of("number of pairs of %,d vectors".formatted(vectors), name);
    }
    return (int) pairs;
  }

  /** Returns the shape after a reshape vertex, which keeps the numbers in their order. */
  private static PlanShape reshaped(String name, Settings vertex, PlanShape inputs)
      throws UncompilableException {
    int[] sizes = vertex.integers("newShape");
    double numbers = 1;
    for (int i = 1; i < sizes.length; i++) {
      numbers *= Math.max(0, sizes[i]);
    }
    PlanShape shape =
        switch (sizes.length) {
          case 2 -> new PlanShape.Flat(sizes[1]);
          case 3 -> new PlanShape.Sequence(sizes[1], sizes[2]);
          case 4 -> new PlanShape.Image(sizes[1], sizes[2], sizes[3]);
          default -> throw UncompilableException.of("shape " + Arrays.toString(sizes), name);
        };
    if (!vertex.text("reshapeOrder", "c").equals("c")
        || sizes[0] != -1
        || vertex.has("maskShape")
        || numbers != inputs.values()) {
      throw UncompilableException.of(
          "reshaping to %s, which is not -1 for the rows and then all numbers of a row"
              .formatted(Arrays.toString(sizes)),
          name);
    }
    return shape;
  }

  private static LayerPlan.Combination combination(
      String name, Settings vertex, List<PlanShape> inputs) throws UncompilableException {
    if (!inputs.stream().allMatch(inputs.get(0)::equals)) {
      throw new UncompilableException(
          "vertex '%s' combines inputs of different shapes".formatted(name));
    }
    String operation = vertex.text("op");
    if (operation.equals("Subtract") && inputs.size() != 2) {
      throw new UncompilableException(
          "vertex '%s' subtracts, and has %d inputs instead of two".formatted(name, inputs.size()));
    }
    return switch (operation) {
      case "Add" -> LayerPlan.Combination.SUM;
      case "Average" -> LayerPlan.Combination.MEAN;
      case "Subtract" -> LayerPlan.Combination.DIFFERENCE;
      case "Product" -> LayerPlan.Combination.PRODUCT;
      case "Max" -> LayerPlan.Combination.MAXIMUM;
      default ->
          throw new UncompilableException(
              "the operation %s of vertex '%s' is not known".formatted(operation, name));
    };
  }

  /**
   * Returns the shape after a merge of flat rows, or of images channel by channel: in both cases,
   * the numbers of the second input follow those of the first.
   */
  private static PlanShape merged(String name, Settings merge, List<PlanShape> inputs)
      throws UncompilableException {
    int axis = merge.has("mergeAxis") ? merge.integer("mergeAxis") : FEATURES;
    if (axis != FEATURES) {
      throw UncompilableException.of("merge axis " + axis, name);
    }
    if (inputs.get(0) instanceof PlanShape.Sequence) {
      throw UncompilableException.of("merging of time series", name);
    }
    if (inputs.stream().allMatch(PlanShape.Flat.class::isInstance)) {
      return new PlanShape.Flat(inputs.stream().mapToInt(PlanShape::values).sum());
    }
    if (inputs.get(0) instanceof PlanShape.Image first) {
      int channels = 0;
      for (PlanShape each : inputs) {
        if (!(each instanceof PlanShape.Image image)
            || image.height() != first.height()
            || image.width() != first.width()) {
          throw new UncompilableException(
              "vertex '%s' merges images of different sizes".formatted(name));
        }
        channels += image.channels();
      }
      return new PlanShape.Image(channels, first.height(), first.width());
    }
    throw new UncompilableException("vertex '%s' merges rows with images".formatted(name));
  }

  private void checkNew(String name) throws UncompilableException {
    if (shapes.containsKey(name)) {
      throw new UncompilableException("two layers have the name '%s'".formatted(name));
    }
  }

  private void add(LayerPlan layer, List<String> sources, PlanShape outputs)
      throws UncompilableException {
    checkNew(layer.name());
    nodes.add(new NetworkPlan.Node(layer, sources));
    shapes.put(layer.name(), outputs);
  }

  private void stand(String name, String source, PlanShape shape) {
    aliases.put(name, source);
    shapes.put(name, shape);
  }

  private PlanShape shapeOf(String name) {
    PlanShape shape = shapes.get(name);
    if (shape == null) {
      throw new IllegalStateException("no layer is called " + name);
    }
    return shape;
  }

  /**
   * Refuses a network with a layer whose outputs are not used, because such a layer has no
   * gradients.
   */
  private void checkUsed() throws UncompilableException {
    Set<String> used = new HashSet<>();
    nodes.forEach(node -> used.addAll(node.sources()));
    for (NetworkPlan.Node node : nodes.subList(0, nodes.size() - 1)) {
      if (!used.contains(node.layer().name())) {
        throw new UncompilableException(
            "the outputs of layer '%s' are not used".formatted(node.layer().name()));
      }
    }
  }
}
