package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;

/**
 * Builds the graphs of networks with embedding tables, which split their input into the columns
 * that come from tables and the others.
 */
final class EmbeddingGraphs {
  private static final String INPUT = "features";
  private static final String OUTPUT = "output";

  private EmbeddingGraphs() {}

  /**
   * Returns the configuration of a deep-learning recommendation model (Naumov 2019): bottom layers
   * over dense values and one-hots, whose outputs and the vectors of id features are multiplied
   * with each other, and top layers over the bottom's outputs and these dot products.
   *
   * @throws IllegalArgumentException if there is nothing for the bottom layers, or vectors are
   *     missing or of several lengths
   */
  static ComputationGraphConfiguration dlrm(
      ModelSpec spec, ModelSpec.Network.Dlrm dlrm, GraphBuilder graph) {
    int vectors = spec.vectorColumns();
    int dim = dim(spec);
    if (vectors == 0) {
      throw new IllegalArgumentException(
          "a dlrm network needs dense or categorical features besides those with tables: its bottom"
              + " layers take them");
    }
    begin(spec, graph);
    columns(graph, "dense", 0, vectors);
    String bottom = hidden(graph, "bottom", dlrm.bottom(), "dense");
    graph.addLayer("bottom", dense(dim), bottom);
    columns(graph, "vectors", vectors, spec.inputWidth());
    graph.addVertex("dots", new PairwiseDots(dim), "bottom", "vectors");
    graph.addVertex("interactions", new MergeVertex(), "bottom", "dots");
    String top = hidden(graph, "top", dlrm.top(), "interactions");
    return graph.addLayer(OUTPUT, LibraryBuilders.output(spec), top).setOutputs(OUTPUT).build();
  }

  private static int dim(ModelSpec spec) {
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
   * Returns the configuration of a wide and deep network (Cheng 2016): hidden layers over
   * everything but the wide columns, which are added to the outputs before their activation.
   *
   * @throws IllegalArgumentException if no feature has a table
   */
  static ComputationGraphConfiguration wideAndDeep(
      ModelSpec spec, ModelSpec.Network.WideAndDeep network, GraphBuilder graph) {
    if (spec.embeddings().uses().isEmpty()) {
      throw new IllegalArgumentException("a wide-and-deep network needs features with tables");
    }
    int wide = spec.inputWidth() - spec.wideColumns();
    begin(spec, graph);
    columns(graph, "narrow", 0, wide);
    String last = hidden(graph, "hidden", network.hidden(), "narrow");
    DenseLayer deep =
        new DenseLayer.Builder()
            .nOut(spec.outputWidth())
            .activation(Activation.IDENTITY)
            .weightInit(WeightInit.XAVIER)
            .build();
    graph.addLayer("deep", deep, last);
    columns(graph, "wide", wide, spec.inputWidth());
    graph.addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "deep", "wide");
    LossLayer loss =
        new LossLayer.Builder(LibraryBuilders.loss(spec))
            .activation(LibraryBuilders.outputActivation(spec))
            .build();
    return graph.addLayer(OUTPUT, loss, "sum").setOutputs(OUTPUT).build();
  }

  private static void begin(ModelSpec spec, GraphBuilder graph) {
    graph.addInputs(INPUT).setInputTypes(InputType.feedForward(spec.inputWidth()));
  }

  /**
   * Adds a vertex for the columns of the input from one index (inclusive) to another (exclusive).
   */
  private static void columns(GraphBuilder graph, String name, int from, int to) {
    // Deeplearning4j counts the last one too.
    graph.addVertex(name, new SubsetVertex(from, to - 1), INPUT);
  }

  /** Adds hidden layers one after the other, and returns the name of the last one. */
  private static String hidden(
      GraphBuilder graph, String name, List<Integer> widths, String source) {
    String last = source;
    for (int i = 0; i < widths.size(); i++) {
      String layer = name + (i + 1);
      graph.addLayer(layer, dense(widths.get(i)), last);
      last = layer;
    }
    return last;
  }

  private static DenseLayer dense(int outputs) {
    return new DenseLayer.Builder().nOut(outputs).activation(Activation.RELU).build();
  }
}
