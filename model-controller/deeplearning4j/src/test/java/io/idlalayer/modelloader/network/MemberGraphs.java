package io.idlalayer.modelloader.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossBinaryXENT;
import org.nd4j.linalg.lossfunctions.impl.LossL2;

/**
 * Builds the graph of several perceptrons side by side, which gives the outputs of all of them.
 * They share the input and nothing else. The loss is a sum over all outputs, each compared with its
 * own label, so no member's gradient depends on another member.
 */
final class MemberGraphs {
  private static final String INPUT = "features";
  private static final String SCALED = "scaled";
  private static final String ENCODED = "encoded";
  private static final String CONTEXT = "context";
  private static final String OUTPUT = "output";

  private MemberGraphs() {}

  /**
   * Returns the configuration of the graph. Its first members take the scaled numbers and the
   * one-hots, the next ones the one-hots and the encoded numbers, and the last ones the context,
   * the scaled numbers and the one-hots.
   *
   * @throws IllegalArgumentException if the specification has tables
   */
  static ComputationGraphConfiguration mlp(
      ModelSpec spec, ModelSpec.Network.Mlp mlp, GraphBuilder graph) {
    if (!spec.embeddings().uses().isEmpty()) {
      throw new IllegalArgumentException("several members take no features with tables");
    }
    graph.addInputs(INPUT).setInputTypes(InputType.feedForward(spec.inputWidth()));
    int context = spec.schema().contextWidth();
    int encodedFrom = context + spec.schema().denseWidth();
    // Deeplearning4j counts the last column too.
    String scaled = columns(graph, spec, SCALED, context, spec.vectorColumns() - 1);
    String encoded =
        spec.bins() == 0
            ? scaled
            : columns(graph, spec, ENCODED, encodedFrom, spec.inputWidth() - 1);
    String inContext =
        spec.contextMembers() == 0
            ? scaled
            : columns(graph, spec, CONTEXT, 0, spec.vectorColumns() - 1);
    List<String> outputs = new ArrayList<>();
    for (int member = 0; member < spec.members(); member++) {
      String source = member < spec.plainMembers() - spec.encodedMembers() ? scaled : encoded;
      outputs.add(
          member(graph, spec, mlp, member + 1, member < spec.plainMembers() ? source : inContext));
    }
    graph.addVertex("members", new MergeVertex(), outputs.toArray(String[]::new));
    return graph.addLayer(OUTPUT, loss(spec), "members").setOutputs(OUTPUT).build();
  }

  /** Returns the name of the vertex with some columns of the input, which is added if necessary. */
  private static String columns(
      GraphBuilder graph, ModelSpec spec, String name, int from, int last) {
    if (from == 0 && last == spec.inputWidth() - 1) {
      return INPUT;
    }
    graph.addVertex(name, new SubsetVertex(from, last), INPUT);
    return name;
  }

  /** Adds the layers of one member, and returns the name of the last one. */
  private static String member(
      GraphBuilder graph, ModelSpec spec, ModelSpec.Network.Mlp mlp, int number, String source) {
    String last = source;
    for (int i = 0; i < mlp.hidden().size(); i++) {
      String name = String.format(Locale.ROOT, "member%d-hidden%d", number, i + 1);
      DenseLayer hidden =
          new DenseLayer.Builder().nOut(mlp.hidden().get(i)).activation(Activation.RELU).build();
      graph.addLayer(name, hidden, last);
      last = name;
    }
    String name = String.format(Locale.ROOT, "member%d-output", number);
    DenseLayer output =
        new DenseLayer.Builder()
            .nOut(spec.outputWidth())
            .activation(Activation.IDENTITY)
            .weightInit(WeightInit.XAVIER)
            .build();
    graph.addLayer(name, output, last);
    return name;
  }

  /** Returns the layer with the loss, which adds up what each member's own loss would be. */
  private static LossLayer loss(ModelSpec spec) {
    boolean regression = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
    ILossFunction squares = new LossL2();
    ILossFunction targets =
        spec.loss().equals(TargetLoss.SQUARED) ? squares : new TargetLossFunction(spec.loss());
    return new LossLayer.Builder(regression ? targets : new LossBinaryXENT())
        .activation(regression ? Activation.IDENTITY : Activation.SIGMOID)
        .build();
  }
}
