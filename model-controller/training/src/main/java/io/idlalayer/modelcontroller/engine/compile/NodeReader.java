package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelloader.network.PairwiseDots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.PreprocessorVertex;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.jspecify.annotations.Nullable;

/**
 * Converts the vertices of a network into nodes of a plan, in order, and keeps the shape of a row
 * after each.
 */
final class NodeReader {
  private final List<NetworkPlan.Node> nodes = new ArrayList<>();
  private final Map<String, PlanShape> shapes = new HashMap<>();

  /** For each vertex that computes nothing, the name of the node whose outputs it passes on. */
  private final Map<String, String> aliases = new HashMap<>();

  private NodeReader() {}

  /**
   * Returns the nodes of the plan of a network.
   *
   * @param inputs number of input values of one row
   */
  static List<NetworkPlan.Node> read(LibraryNetwork network, int inputs)
      throws UncompilableException {
    if (network.outputs().size() != 1) {
      throw new UncompilableException(
          "graphs with several outputs are not known: " + network.outputs());
    }
    String output = network.outputs().get(0);
    NodeReader reader = new NodeReader();
    reader.shapes.put(NetworkPlan.INPUT, new PlanShape.Flat(inputs));
    LibraryNetwork.@Nullable Vertex last = null;
    for (LibraryNetwork.Vertex vertex : network.vertices()) {
      if (vertex.name().equals(output)) {
        last = vertex;
      } else {
        reader.read(vertex, false);
      }
    }
    if (last == null) {
      throw new UncompilableException("the graph has no vertex '%s'".formatted(output));
    }
    reader.read(last, true);
    reader.checkUsed();
    return reader.nodes;
  }

  private void read(LibraryNetwork.Vertex vertex, boolean last) throws UncompilableException {
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
    NeuralNetConfiguration layer = vertex.layer();
    if (layer != null) {
      read(vertex, layer, sources.get(0), last);
    } else {
      read(vertex.name(), vertex.other(), vertex.sources(), sources);
    }
  }

  private void read(
      LibraryNetwork.Vertex vertex, NeuralNetConfiguration layer, String source, boolean last)
      throws UncompilableException {
    String name = vertex.name();
    PlanShape shape =
        LayerPlanReader.prepared(name, vertex.before(), shapeOf(vertex.sources().get(0)));
    String from = source;
    LayerPlan.Dropped dropout = LayerPlanReader.dropout(name, layer.getLayer(), shape);
    if (dropout != null) {
      add(dropout, List.of(from), shape);
      from = dropout.name();
    }
    LayerPlanReader.Read read = LayerPlanReader.layer(name, layer.getLayer(), shape, last);
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
  private void read(
      String name, @Nullable GraphVertex vertex, List<String> names, List<String> sources)
      throws UncompilableException {
    List<PlanShape> inputs = new ArrayList<>();
    for (String each : names) {
      inputs.add(shapeOf(each));
    }
    if (vertex instanceof ElementWiseVertex operation) {
      PlanShape shape = inputs.get(0);
      if (!inputs.stream().allMatch(shape::equals)) {
        throw new UncompilableException(
            "vertex '%s' combines inputs of different shapes".formatted(name));
      }
      if (operation.getOp() == ElementWiseVertex.Op.Subtract && inputs.size() != 2) {
        throw new UncompilableException(
            "vertex '%s' subtracts, and has %d inputs instead of two"
                .formatted(name, inputs.size()));
      }
      LayerPlan plan = new LayerPlan.Combined(name, shape.values(), combination(operation));
      add(plan, sources, shape);
    } else if (vertex instanceof MergeVertex merge) {
      PlanShape shape = merged(name, merge, inputs);
      add(new LayerPlan.Merged(name, shape.values()), sources, shape);
    } else if (vertex instanceof SubsetVertex columns) {
      LayerPlan.Part part = part(name, columns, inputs.get(0));
      add(part, sources, new PlanShape.Flat(part.outputs()));
    } else if (vertex instanceof PairwiseDots dots) {
      LayerPlan plan = new LayerPlan.Dots(name, pairs(name, dots, inputs), dots.getDim());
      add(plan, sources, new PlanShape.Flat(plan.outputs()));
    } else if (vertex instanceof ReshapeVertex reshape) {
      stand(name, sources.get(0), reshaped(name, reshape, inputs.get(0)));
    } else if (vertex instanceof LastTimeStepVertex
        && inputs.get(0) instanceof PlanShape.Sequence series) {
      LayerPlan plan = new LayerPlan.LastStep(name, series.size(), series.steps());
      add(plan, sources, new PlanShape.Flat(series.size()));
    } else if (vertex instanceof PreprocessorVertex preprocessor) {
      stand(
          name,
          sources.get(0),
          LayerPlanReader.prepared(name, preprocessor.getPreProcessor(), inputs.get(0)));
    } else {
      throw new UncompilableException(
          "vertex '%s' is a %s; only layers, ElementWiseVertex, MergeVertex, SubsetVertex and PairwiseDots of rows, ReshapeVertex, LastTimeStepVertex of a time series and PreprocessorVertex are known"
              .formatted(name, vertex == null ? "nothing" : vertex.getClass().getSimpleName()));
    }
  }

  private static LayerPlan.Part part(String name, SubsetVertex vertex, PlanShape inputs)
      throws UncompilableException {
    if (!(inputs instanceof PlanShape.Flat)
        || vertex.getFrom() < 0
        || vertex.getTo() < vertex.getFrom()
        || vertex.getTo() >= inputs.values()) {
      throw UncompilableException.of(
          "subset from %d to %d of %s".formatted(vertex.getFrom(), vertex.getTo(), inputs), name);
    }
    // Deeplearning4j includes the last index.
    return new LayerPlan.Part(name, vertex.getFrom(), vertex.getTo() - vertex.getFrom() + 1);
  }

  private static int pairs(String name, PairwiseDots vertex, List<PlanShape> inputs)
      throws UncompilableException {
    int vectors = 0;
    for (PlanShape each : inputs) {
      if (!(each instanceof PlanShape.Flat)
          || vertex.getDim() < 1
          || each.values() % vertex.getDim() != 0) {
        throw UncompilableException.of(
            "dot products of vectors of %d in %s".formatted(vertex.getDim(), each), name);
      }
      vectors += each.values() / vertex.getDim();
    }
    return PairwiseDots.pairs(vectors);
  }

  /** Returns the shape after a reshape vertex, which keeps the numbers in their order. */
  private static PlanShape reshaped(String name, ReshapeVertex vertex, PlanShape inputs)
      throws UncompilableException {
    int[] sizes = vertex.getNewShape();
    PlanShape shape =
        switch (sizes.length) {
          case 2 -> new PlanShape.Flat(sizes[1]);
          case 3 -> new PlanShape.Sequence(sizes[1], sizes[2]);
          case 4 -> new PlanShape.Image(sizes[1], sizes[2], sizes[3]);
          default -> throw UncompilableException.of("shape " + Arrays.toString(sizes), name);
        };
    if (vertex.getReshapeOrder() != 'c'
        || sizes[0] != -1
        || vertex.getMaskShape() != null
        || shape.values() != inputs.values()) {
      throw UncompilableException.of(
          "reshaping to %s, which is not -1 for the rows and then all numbers of a row"
              .formatted(Arrays.toString(sizes)),
          name);
    }
    return shape;
  }

  private static LayerPlan.Combination combination(ElementWiseVertex vertex) {
    return switch (vertex.getOp()) {
      case Add -> LayerPlan.Combination.SUM;
      case Average -> LayerPlan.Combination.MEAN;
      case Subtract -> LayerPlan.Combination.DIFFERENCE;
      case Product -> LayerPlan.Combination.PRODUCT;
      case Max -> LayerPlan.Combination.MAXIMUM;
    };
  }

  /**
   * Returns the shape after a merge of flat rows, or of images channel by channel: in both cases
   * the numbers of one input follow those of the other.
   */
  private static PlanShape merged(String name, MergeVertex merge, List<PlanShape> inputs)
      throws UncompilableException {
    if (merge.getMergeAxis() != MergeVertex.DEFAULT_MERGE_DIM) {
      throw UncompilableException.of("merge axis " + merge.getMergeAxis(), name);
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
