package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Convolution1DLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Errors of several readers are added with the bits of plain training. */
class TensorSumsTest {
  private static final int STEPS = 3;

  private static ConvolutionLayer convolution(int filters) {
    return new ConvolutionLayer.Builder(3, 3)
        .convolutionMode(ConvolutionMode.Same)
        .nOut(filters)
        .activation(Activation.TANH)
        .build();
  }

  /** One large output that three convolutions read. */
  private static ComputationGraph three() {
    return graph(
        Nets.base(new Adam(0.01))
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(InputType.convolutional(Nets.SIDE, Nets.SIDE, 1))
            .addLayer("first", convolution(8), "in")
            .addLayer("a", convolution(2), "first")
            .addLayer("b", convolution(2), "first")
            .addLayer("c", convolution(2), "first")
            .addVertex("add", new ElementWiseVertex(ElementWiseVertex.Op.Add), "a", "b", "c")
            .addLayer("out", Nets.output(), "add")
            .setOutputs("out")
            .build());
  }

  /** A series that a recurrent layer and a convolution read: their errors' strides differ. */
  private static ComputationGraph unlike() {
    return graph(
        Nets.base(new Adam(0.01))
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(InputType.recurrent(5))
            .addLayer("first", new LSTM.Builder().nOut(40).build(), "in")
            .addLayer("a", new LSTM.Builder().nOut(6).build(), "first")
            .addLayer("b", new Convolution1DLayer.Builder(3).padding(1).nOut(6).build(), "first")
            .addLayer(
                "out",
                new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .nOut(Nets.CLASSES)
                    .build(),
                "a",
                "b")
            .setOutputs("out")
            .build());
  }

  private static ComputationGraph graph(ComputationGraphConfiguration configuration) {
    ComputationGraph graph = new ComputationGraph(configuration);
    graph.init();
    return graph;
  }

  private static PieceCounts compare(
      Supplier<ComputationGraph> graphs, IntFunction<Nets.Batch> batches, long fastBytes)
      throws Exception {
    ComputationGraph plain = graphs.get();
    ComputationGraph graph = graphs.get();
    PieceCounts policy = new PieceCounts();
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, fastBytes, null)) {
      try (PlacedNetwork placed = PlacedNetwork.of(graph, memory)) {
        for (int step = 0; step < STEPS; step++) {
          PlacedNetworkTest.fit(plain, batches.apply(step));
          PlacedNetworkTest.fit(placed, batches.apply(step));
          assertThat(graph.score()).isFinite().isEqualTo(plain.score());
          assertThat(memory.memory().verify(true).problems()).isEmpty();
        }
      }
      assertThat(memory.memory().objects()).isEmpty();
    }
    assertThat(graph.params().dup().data().asFloat())
        .isEqualTo(plain.params().dup().data().asFloat());
    return policy;
  }

  @ParameterizedTest
  @ValueSource(longs = {2048, 8192, 16_384})
  void largeErrors_areAddedInPieces(long fastBytes) throws Exception {
    PieceCounts counts = compare(TensorSumsTest::three, Nets::images, fastBytes);
    assertThat(counts.fewest("sum first")).isGreaterThan(4);
  }

  @ParameterizedTest
  @ValueSource(longs = {1024, 8192, 1 << 20})
  void errorsThatAreLaidOutOtherwise_areAddedAsAWhole(long fastBytes) throws Exception {
    PieceCounts counts = compare(TensorSumsTest::unlike, Nets::series, fastBytes);
    assertThat(counts.most("sum first")).isOne();
  }
}
