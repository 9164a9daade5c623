package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.nd4j.linalg.activations.Activation;

/**
 * Random recurrent networks over rows that are time series: as {@link EngineParityPropertyTest}.
 */
@Tag("natives")
final class RecurrentParityPropertyTest {
  private static final int CLASSES = 3;
  private static final int STEPS = 10;

  /**
   * @param end how the series becomes a row: its last step, its mean or its maximum
   */
  private record Plan(int size, int steps, List<Integer> units, int end, int rows, long seed) {
    LearningPlan learning() {
      return LearningPlan.of(seed);
    }

    ModelSpec spec() {
      GraphBuilder graph =
          learning()
              .configuration()
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
          "out", learning().outputLayer(CLASSES).nIn(width(units.size())).build(), "end");
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
            Arbitraries.integers().between(1, 12),
            Arbitraries.longs().between(1, 1_000_000))
        .as(Plan::new);
  }

  private static void train(TrainableNetwork network, Plan plan, int from, int to)
      throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed() + from);
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = from; step < to; step++) {
        steps.fit(
            plan.features(random),
            plan.labels(random),
            plan.rows(),
            plan.learning().weights(plan.rows()));
      }
    }
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    train(network, plan, 0, STEPS / 2);
    train(network, plan, STEPS / 2, STEPS);
  }

  @Property(tries = 5, shrinking = ShrinkingMode.OFF)
  void tenSteps_giveTheParametersOfDeeplearning4j(@ForAll("plans") Plan plan) throws Exception {
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(
        plan.spec(), plan.seed(), it -> train(it, plan), features, plan.rows());
  }

  /** More rows, series and units than the kernels copy to the heap at a time. */
  @Example
  void tenStepsOfManyRows_giveTheParametersOfDeeplearning4j() throws Exception {
    Plan plan = new Plan(3, 45, List.of(30, 100), 0, 21, 4);
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(
        plan.spec(), plan.seed(), it -> train(it, plan), features, plan.rows());
  }

  @Property(tries = 5, shrinking = ShrinkingMode.OFF)
  void eachEngine_goesOnWithTheFileOfTheOther(@ForAll("plans") Plan plan) throws Exception {
    ModelSpec spec = plan.spec();
    try (TrainingEngine theirs = Trainings.dl4jEngine(spec);
        TrainingEngine ours = new TapeEngine(spec, MachineKernels.best());
        TrainableNetwork first = theirs.create(plan.seed());
        TrainableNetwork second = ours.create(plan.seed())) {
      train(first, plan, 0, STEPS / 2);
      train(second, plan, 0, STEPS / 2);
      try (TrainableNetwork taken = ours.decode(first.encode());
          TrainableNetwork given = theirs.decode(second.encode())) {
        train(first, plan, STEPS / 2, STEPS);
        ReferenceTraining reference =
            new ReferenceTraining(theirs, plan.seed(), it -> train(it, plan), first.encode());
        reference.assumeConditioned();
        train(taken, plan, STEPS / 2, STEPS);
        train(given, plan, STEPS / 2, STEPS);
        reference.assertSame("theirs, then ours", taken.encode());
        reference.assertSame("ours, then theirs", given.encode());
      }
    }
  }
}
