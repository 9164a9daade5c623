package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * Random recurrent networks over rows that are time series: as {@link EngineParityPropertyTest}.
 */
final class RecurrentParityPropertyTest {
  private static final int CLASSES = 3;
  private static final int STEPS = 10;

  private static final List<IUpdater> UPDATERS =
      List.of(new Sgd(0.1), new Nesterovs(0.05, 0.9), new Adam(0.01));

  /**
   * @param end how the series becomes a row: its last step, its mean or its maximum
   */
  private record Plan(
      int size, int steps, List<Integer> units, int end, int updater, int rows, long seed) {
    ModelSpec spec() {
      GraphBuilder graph =
          new NeuralNetConfiguration.Builder()
              .updater(UPDATERS.get(updater))
              .l2(seed % 2 == 0 ? 0.01 : 0)
              .activation(seed % 3 == 0 ? Activation.SIGMOID : Activation.TANH)
              .graphBuilder()
              .addInputs("in")
              .addVertex("series", new ReshapeVertex(-1, size, steps), "in");
      if (seed % 5 > 0) {
        graph.setInputTypes(InputType.feedForward((long) size * steps));
      }
      String last = "series";
      for (int i = 0; i < units.size(); i++) {
        graph.addLayer(
            "lstm" + i, new LSTM.Builder().nIn(width(i)).nOut(units.get(i)).build(), last);
        last = "lstm" + i;
      }
      switch (end) {
        case 0 -> graph.addVertex("end", new LastTimeStepVertex("in"), last);
        case 1 -> graph.addLayer("end", new GlobalPoolingLayer(PoolingType.AVG), last);
        default -> graph.addLayer("end", new GlobalPoolingLayer(PoolingType.MAX), last);
      }
      graph.addLayer(
          "out",
          new OutputLayer.Builder(LossFunction.MCXENT)
              .nIn(width(units.size()))
              .nOut(CLASSES)
              .activation(Activation.SOFTMAX)
              .build(),
          "end");
      return new ModelSpec(
          Trainings.classes(size * steps, CLASSES),
          new ModelSpec.Network.Dl4jJson(graph.setOutputs("out").build().toJson()),
          Trainings.ADAM,
          false);
    }

    private int width(int layer) {
      return layer == 0 ? size : units.get(layer - 1);
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, rows * size * steps, 2);
    }

    float[] labels(SplittableRandom random) {
      return Parity.labels(random, rows, CLASSES);
    }
  }

  @Provide
  Arbitrary<Plan> plans() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 5),
            Arbitraries.integers().between(1, 6),
            Arbitraries.integers().between(1, 12).list().ofMinSize(1).ofMaxSize(2),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, UPDATERS.size() - 1),
            Arbitraries.integers().between(1, 12),
            Arbitraries.longs().between(1, 1_000_000))
        .as(Plan::new);
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        steps.fit(plan.features(random), plan.labels(random), plan.rows(), null);
      }
    }
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void tenSteps_giveTheParametersOfDeeplearning4j(@ForAll("plans") Plan plan) throws Exception {
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(
        plan.spec(), plan.seed(), it -> train(it, plan), features, plan.rows());
  }
}
