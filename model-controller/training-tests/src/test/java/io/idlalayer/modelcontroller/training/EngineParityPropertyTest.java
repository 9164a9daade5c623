package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelloader.network.Elu;
import io.idlalayer.modelloader.network.Gelu;
import io.idlalayer.modelloader.network.HardSigmoid;
import io.idlalayer.modelloader.network.HardSwish;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationHardSigmoid;
import org.nd4j.linalg.activations.impl.ActivationReLU6;
import org.nd4j.linalg.activations.impl.ActivationThresholdedReLU;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.MapSchedule;
import org.nd4j.linalg.schedule.ScheduleType;

/**
 * Random networks, trained for ten steps by Deeplearning4j and by the product's engine: they end
 * with the same parameters, predictions and updater state, and each reads the other's file.
 */
@Tag("natives")
final class EngineParityPropertyTest {
  private static final int INPUTS = 5;
  private static final int STEPS = 10;

  /** An output activation with a loss that goes with it. */
  private enum Output {
    SOFTMAX(Activation.SOFTMAX, LossFunction.MCXENT, 3),
    LIKELIHOOD(Activation.SOFTMAX, LossFunction.NEGATIVELOGLIKELIHOOD, 2),
    SIGMOID(Activation.SIGMOID, LossFunction.XENT, 2),
    MEAN_SQUARES(Activation.IDENTITY, LossFunction.MSE, 3),
    SQUARES_OF_TANH(Activation.TANH, LossFunction.L2, 2);

    private final Activation activation;
    private final LossFunction loss;
    private final int width;

    Output(Activation activation, LossFunction loss, int width) {
      this.activation = activation;
      this.loss = loss;
      this.width = width;
    }
  }

  private static final List<IActivation> ACTIVATIONS =
      Stream.concat(
              Stream.of(
                      Activation.RELU,
                      Activation.TANH,
                      Activation.SIGMOID,
                      Activation.IDENTITY,
                      Activation.LEAKYRELU,
                      Activation.ELU,
                      Activation.SELU,
                      Activation.SOFTPLUS,
                      Activation.SOFTSIGN,
                      Activation.SWISH,
                      Activation.MISH)
                  .map(Activation::getActivationFunction),
              Stream.of(new Gelu(), new Gelu("tanh")))
          .toList();

  /** Functions that have a number, or are made of pieces. */
  private static final List<IActivation> IN_PIECES =
      List.of(
          new ActivationReLU6(),
          new ActivationThresholdedReLU(0.25),
          new ActivationHardSigmoid(),
          new Elu(0.3),
          new HardSigmoid(0.4),
          new HardSwish());

  private static final List<IUpdater> UPDATERS =
      List.of(
          new Sgd(0.1),
          new Nesterovs(0.05, 0.9),
          new Nesterovs(0.05, new MapSchedule(ScheduleType.ITERATION, Map.of(0, 0.5, 4, 0.9))),
          new Adam(0.01),
          new Adam(0.02, 0.8, 0.99, 1e-6),
          new Sgd(new ExponentialSchedule(ScheduleType.ITERATION, 0.2, 0.8)));

  /**
   * What to build.
   *
   * @param activation place of the function of the layers among {@link #ACTIVATIONS}; below 0,
   *     among {@link #IN_PIECES} from the end on
   */
  private record Plan(
      List<Integer> hidden,
      int activation,
      Output output,
      int updater,
      int biasUpdater,
      double l1,
      double l2,
      double decay,
      GradientNormalization limit,
      boolean bias,
      int rows,
      boolean weighted,
      long seed) {
    private IActivation function(int width) {
      return activation < 0
          ? IN_PIECES.get(IN_PIECES.size() + activation)
          : ACTIVATIONS.get((activation + width) % ACTIVATIONS.size());
    }

    Plan with(int otherActivation) {
      return new Plan(
          hidden,
          otherActivation,
          output,
          updater,
          biasUpdater,
          l1,
          l2,
          decay,
          limit,
          bias,
          rows,
          weighted,
          seed);
    }

    ModelSpec spec() {
      var builder =
          new NeuralNetConfiguration.Builder()
              .updater(UPDATERS.get(updater))
              .gradientNormalization(limit)
              .gradientNormalizationThreshold(0.3);
      if (biasUpdater != updater) {
        builder.biasUpdater(UPDATERS.get(biasUpdater));
      }
      if (l1 > 0) {
        builder.l1(l1);
      }
      if (decay > 0) {
        builder.weightDecay(decay);
      } else if (l2 > 0) {
        builder.l2(l2);
      }
      var list = builder.list();
      int width = INPUTS;
      for (int next : hidden) {
        list.layer(
            new DenseLayer.Builder()
                .nIn(width)
                .nOut(next)
                .hasBias(bias)
                .activation(function(next))
                .build());
        width = next;
      }
      list.layer(
          new OutputLayer.Builder(output.loss)
              .nIn(width)
              .nOut(output.width)
              .activation(output.activation)
              .build());
      return new ModelSpec(
          Trainings.classes(INPUTS, output.width),
          new ModelSpec.Network.Dl4jJson(list.build().toJson()),
          Trainings.ADAM,
          false);
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, rows * INPUTS, 2);
    }

    float[] labels(SplittableRandom random) {
      return Parity.labels(random, rows, output.width);
    }

    float @Nullable [] weights() {
      if (!weighted) {
        return null;
      }
      float[] weights = new float[rows];
      float sum = 0;
      for (int i = 0; i < rows; i++) {
        weights[i] = 1 + i % 3;
        sum += weights[i];
      }
      for (int i = 0; i < rows; i++) {
        weights[i] *= rows / sum;
      }
      return weights;
    }
  }

  @Provide
  Arbitrary<Plan> plans() {
    Arbitrary<List<Integer>> hidden =
        Arbitraries.integers().between(1, 24).list().ofMinSize(0).ofMaxSize(3);
    Arbitrary<Integer> updaters = Arbitraries.integers().between(0, UPDATERS.size() - 1);
    Arbitrary<double[]> penalties =
        Combinators.combine(
                Arbitraries.of(0.0, 0.01), Arbitraries.of(0.0, 0.02), Arbitraries.of(0.0, 0.03))
            .as((l1, l2, decay) -> new double[] {l1, l2, decay});
    Arbitrary<int[]> choices =
        Combinators.combine(
                Arbitraries.integers().between(0, 5),
                updaters,
                updaters,
                Arbitraries.integers().between(1, 40))
            .as((activation, updater, bias, rows) -> new int[] {activation, updater, bias, rows});
    Arbitrary<boolean[]> flags =
        Combinators.combine(Arbitraries.of(true, false), Arbitraries.of(true, false))
            .as((bias, weighted) -> new boolean[] {bias, weighted});
    return Combinators.combine(
            hidden,
            choices,
            Arbitraries.of(Output.values()),
            penalties,
            Arbitraries.of(GradientNormalization.values()),
            flags,
            Arbitraries.longs().between(1, 1_000_000))
        .as(
            (layers, choice, output, penalty, limit, flag, seed) ->
                new Plan(
                    layers,
                    choice[0],
                    output,
                    choice[1],
                    choice[2],
                    penalty[0],
                    penalty[1],
                    penalty[2],
                    limit,
                    flag[0],
                    choice[3],
                    flag[1],
                    seed));
  }

  private static void train(TrainableNetwork network, Plan plan, int from, int to)
      throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed() + from);
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = from; step < to; step++) {
        steps.fit(plan.features(random), plan.labels(random), plan.rows(), plan.weights());
      }
    }
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    train(network, plan, 0, STEPS / 2);
    train(network, plan, STEPS / 2, STEPS);
  }

  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void tenSteps_giveTheParametersOfDeeplearning4j(@ForAll("plans") Plan plan) throws Exception {
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(
        plan.spec(), plan.seed(), it -> train(it, plan), features, plan.rows());
  }

  @Property(tries = 18, shrinking = ShrinkingMode.OFF)
  void tenSteps_functionsInPieces_giveTheParametersOfDeeplearning4j(
      @ForAll("plans") Plan plan, @ForAll @IntRange(min = -6, max = -1) int function)
      throws Exception {
    tenSteps_giveTheParametersOfDeeplearning4j(plan.with(function));
  }

  /** All four units of the first layer give zero for some rows, and the next layer has kinks. */
  @Example
  void tenSteps_overKinksAtExactlyZero_giveTheParametersOfDeeplearning4j() throws Exception {
    GradientNormalization limit = GradientNormalization.RenormalizeL2PerParamType;
    tenSteps_giveTheParametersOfDeeplearning4j(
        new Plan(
            List.of(4, 14, 2),
            2,
            Output.LIKELIHOOD,
            2,
            5,
            0,
            0.02,
            0.03,
            limit,
            true,
            5,
            false,
            3152));
  }

  @Property(tries = 12, shrinking = ShrinkingMode.OFF)
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
