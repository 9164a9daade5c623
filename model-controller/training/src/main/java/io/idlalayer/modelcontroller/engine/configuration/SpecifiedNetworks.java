package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Builds the configurations of the networks that a specification names by their sizes. */
final class SpecifiedNetworks {
  private static final int KERNEL = 5;
  private static final int POOL = 2;

  private final ModelSpec spec;
  private final LayerNodes layers;

  private SpecifiedNetworks(ModelSpec spec) {
    this.spec = spec;
    layers = new LayerNodes(spec.fit());
  }

  /**
   * Returns the configuration of the network of a specification, without seeds.
   *
   * @throws IllegalArgumentException if the network does not fit the features
   */
  static ObjectNode of(ModelSpec spec) {
    SpecifiedNetworks networks = new SpecifiedNetworks(spec);
    if (spec.network() instanceof ModelSpec.Network.Mlp mlp) {
      return spec.members() == 1 ? networks.mlp(mlp) : networks.members(mlp);
    } else if (spec.network() instanceof ModelSpec.Network.Cnn cnn) {
      return networks.cnn(cnn);
    } else if (spec.network() instanceof ModelSpec.Network.Dlrm dlrm) {
      return networks.dlrm(dlrm);
    } else if (spec.network() instanceof ModelSpec.Network.WideAndDeep wide) {
      return networks.wideAndDeep(wide);
    }
    throw new IllegalArgumentException("unknown network " + spec.network());
  }

  private boolean regression() {
    return spec.schema().label().task() == SampleSchema.Task.REGRESSION;
  }

  private LayerNodes.Function outputFunction() {
    return regression() ? LayerNodes.Function.IDENTITY : LayerNodes.Function.SOFTMAX;
  }

  private ObjectNode loss() {
    return regression() ? LayerNodes.targetLoss(spec.loss(), true) : LayerNodes.softmaxLoss();
  }

  private ObjectNode mlp(ModelSpec.Network.Mlp mlp) {
    StackNodes stack = new StackNodes();
    int width = spec.inputWidth();
    for (int outputs : mlp.hidden()) {
      width = hidden(stack, width, outputs);
    }
    return ended(stack, width);
  }

  private int hidden(StackNodes stack, int inputs, int outputs) {
    stack.add(
        layers.dense(
            stack.nextName(), inputs, outputs, LayerNodes.Function.RELU, LayerNodes.Weights.RELU));
    return outputs;
  }

  private ObjectNode ended(StackNodes stack, int inputs) {
    stack.add(
        layers.output(stack.nextName(), inputs, spec.outputWidth(), outputFunction(), loss()));
    return stack.build();
  }

  private ObjectNode cnn(ModelSpec.Network.Cnn cnn) {
    StackNodes stack = new StackNodes();
    int channels = cnn.channels();
    int height = cnn.height();
    int width = cnn.width();
    stack.toImages(channels, height, width);
    for (int filters : cnn.filters()) {
      stack.add(layers.convolution(stack.nextName(), channels, filters, KERNEL));
      stack.add(LayerNodes.pooling(stack.nextName(), POOL));
      channels = filters;
      height = (height - POOL) / POOL + 1;
      width = (width - POOL) / POOL + 1;
    }
    stack.toRows(channels, height, width);
    return ended(stack, hidden(stack, channels * height * width, cnn.dense()));
  }

  /**
   * Returns the graph of several perceptrons side by side, which gives the outputs of all of them.
   * They share the input and nothing else. The loss is a sum over all outputs, each compared with
   * its own label, so no member's gradient depends on another member. The inputs of the first
   * members are the scaled numbers and the one-hots. The inputs of the next members are the
   * one-hots and the encoded numbers. The inputs of the last members are the context, the scaled
   * numbers and the one-hots.
   */
  private ObjectNode members(ModelSpec.Network.Mlp mlp) {
    if (!spec.embeddings().uses().isEmpty()) {
      throw new IllegalArgumentException("several members take no features with tables");
    }
    GraphNodes graph = new GraphNodes(layers, spec.inputWidth());
    int context = spec.schema().contextWidth();
    int encodedFrom = context + spec.schema().denseWidth();
    String scaled = columns(graph, "scaled", context, spec.vectorColumns());
    String encoded =
        spec.bins() == 0 ? scaled : columns(graph, "encoded", encodedFrom, spec.inputWidth());
    String inContext =
        spec.contextMembers() == 0 ? scaled : columns(graph, "context", 0, spec.vectorColumns());
    List<String> outputs = new ArrayList<>();
    for (int member = 0; member < spec.members(); member++) {
      String source = member < spec.plainMembers() - spec.encodedMembers() ? scaled : encoded;
      String taken = member < spec.plainMembers() ? source : inContext;
      outputs.add(member(graph, mlp, member + 1, taken));
    }
    graph.merge("members", outputs);
    if (regression()) {
      ObjectNode sum = LayerNodes.targetLoss(spec.loss(), false);
      graph.lossOnly(LayerNodes.Function.IDENTITY, sum, "members");
    } else {
      graph.lossOnly(LayerNodes.Function.SIGMOID, LayerNodes.sigmoidLoss(), "members");
    }
    return graph.build();
  }

  /**
   * Returns the name of the vertex with some columns of the input, and adds this vertex if it is
   * missing.
   */
  private String columns(GraphNodes graph, String name, int from, int to) {
    if (from == 0 && to == spec.inputWidth()) {
      return GraphNodes.INPUT;
    }
    graph.columns(name, from, to);
    return name;
  }

  /** Adds the layers of one member, and returns the name of the last one. */
  private String member(GraphNodes graph, ModelSpec.Network.Mlp mlp, int number, String source) {
    String prefix = String.format(Locale.ROOT, "member%d-", number);
    String last = hidden(graph, prefix + "hidden", mlp.hidden(), source);
    graph.linear(prefix + GraphNodes.OUTPUT, spec.outputWidth(), last);
    return prefix + GraphNodes.OUTPUT;
  }

  /** Adds hidden layers one after the other, and returns the name of the last one. */
  private static String hidden(GraphNodes graph, String name, List<Integer> widths, String source) {
    String last = source;
    for (int i = 0; i < widths.size(); i++) {
      String layer = name + (i + 1);
      graph.hidden(layer, widths.get(i), last);
      last = layer;
    }
    return last;
  }

  /**
   * Returns a deep-learning recommendation model (Naumov 2019): bottom layers over dense values and
   * one-hots, whose outputs and the vectors of id features are multiplied with each other, and top
   * layers over the bottom's outputs and these dot products.
   */
  private ObjectNode dlrm(ModelSpec.Network.Dlrm dlrm) {
    int vectors = spec.vectorColumns();
    int dim = dim();
    if (vectors == 0) {
      throw new IllegalArgumentException(
          "a dlrm network needs dense or categorical features besides those with tables: its bottom"
              + " layers take them");
    }
    GraphNodes graph = new GraphNodes(layers, spec.inputWidth());
    graph.columns("dense", 0, vectors);
    graph.hidden("bottom", dim, hidden(graph, "bottom", dlrm.bottom(), "dense"));
    graph.columns("vectors", vectors, spec.inputWidth());
    graph.dots("dots", dim, List.of("bottom", "vectors"));
    graph.merge("interactions", List.of("bottom", "dots"));
    String top = hidden(graph, "top", dlrm.top(), "interactions");
    graph.output(spec.outputWidth(), outputFunction(), loss(), top);
    return graph.build();
  }

  private int dim() {
    ModelSpec.Embeddings embeddings = spec.embeddings();
    List<Integer> dims =
        embeddings.uses().stream().map(use -> embeddings.table(use).dim()).distinct().toList();
    if (dims.size() != 1) {
      throw new IllegalArgumentException(
          "a dlrm network needs features with tables, all of one dimension; theirs are " + dims);
    }
    return dims.get(0);
  }

  /**
   * Returns a wide and deep network (Cheng 2016): hidden layers over all columns except the wide
   * columns. The wide columns are added to the outputs before the activation of the outputs.
   */
  private ObjectNode wideAndDeep(ModelSpec.Network.WideAndDeep network) {
    if (spec.embeddings().uses().isEmpty()) {
      throw new IllegalArgumentException("a wide-and-deep network needs features with tables");
    }
    GraphNodes graph = new GraphNodes(layers, spec.inputWidth());
    int wide = spec.inputWidth() - spec.wideColumns();
    graph.columns("narrow", 0, wide);
    graph.linear("deep", spec.outputWidth(), hidden(graph, "hidden", network.hidden(), "narrow"));
    graph.columns("wide", wide, spec.inputWidth());
    graph.sum("sum", List.of("deep", "wide"));
    graph.lossOnly(outputFunction(), loss(), "sum");
    return graph.build();
  }
}
