package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.constraint.MaxNormConstraint;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.AMSGrad;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.AdaGrad;
import org.nd4j.linalg.learning.config.AdaMax;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nadam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/** Updates in pieces give the bits of whole ones, whatever the updater, and its state as well. */
class UpdatePiecesTest {
  private static final int STEPS = 2;

  /** Of which the second layer's arguments need several times as much. */
  private static final long[] BUDGETS = {4096, 12_288};

  enum Variant {
    PLAIN,
    L1_AND_L2,
    WEIGHT_DECAY,
    BIAS_UPDATER,
    SUMMED_GRADIENTS,
    DOUBLE,
    CLIPPED,
    CONSTRAINED
  }

  private static final Set<Variant> WHOLE = EnumSet.of(Variant.CLIPPED, Variant.CONSTRAINED);

  private static Map<String, Supplier<IUpdater>> updaters() {
    Map<String, Supplier<IUpdater>> all = new LinkedHashMap<>();
    all.put("AMSGrad", () -> new AMSGrad(0.01));
    all.put("AdaDelta", AdaDelta::new);
    all.put("AdaGrad", () -> new AdaGrad(0.01));
    all.put("AdaMax", () -> new AdaMax(0.01));
    all.put("Adam", () -> new Adam(0.01));
    all.put("Nadam", () -> new Nadam(0.01));
    all.put("Nesterovs", () -> new Nesterovs(0.05, 0.9));
    all.put("NoOp", NoOp::new);
    all.put("RmsProp", () -> new RmsProp(0.01));
    all.put("Sgd", () -> new Sgd(0.1));
    all.put(
        "Adam with a schedule",
        () -> new Adam(new ExponentialSchedule(ScheduleType.ITERATION, 0.02, 0.7)));
    all.put(
        "Nesterovs with schedules",
        () ->
            new Nesterovs(
                new StepSchedule(ScheduleType.ITERATION, 0.1, 0.5, 2),
                new ExponentialSchedule(ScheduleType.ITERATION, 0.9, 0.8)));
    return all;
  }

  private static final Map<String, Supplier<IUpdater>> UPDATERS = updaters();

  static Stream<Arguments> settings() {
    List<Arguments> all = new ArrayList<>();
    for (String updater : UPDATERS.keySet()) {
      for (Variant variant : Variant.values()) {
        if (!WHOLE.contains(variant)) {
          all.add(Arguments.of(updater, variant));
        }
      }
    }
    return all.stream();
  }

  /** Of which nobody knows whether it works element by element. */
  private static final class OwnAdam extends Adam {
    private static final long serialVersionUID = 1;

    OwnAdam() {
      super(0.01);
    }

    @Override
    public Adam clone() {
      return new OwnAdam();
    }
  }

  private static MultiLayerNetwork network(IUpdater updater, Variant variant) {
    NeuralNetConfiguration.Builder builder = Nets.base(updater);
    switch (variant) {
      case L1_AND_L2 -> builder.l1(1e-3).l2(1e-2).l1Bias(1e-3);
      case WEIGHT_DECAY -> builder.weightDecay(0.01).weightDecayBias(0.02, false);
      case BIAS_UPDATER ->
          builder.biasUpdater(updater instanceof Nadam ? new Sgd(0.2) : new Nadam(0.02));
      case SUMMED_GRADIENTS -> builder.miniBatch(false).l2(1e-3);
      case DOUBLE -> builder.dataType(DataType.DOUBLE).l2(1e-3);
      case CLIPPED ->
          builder
              .gradientNormalization(GradientNormalization.ClipL2PerLayer)
              .gradientNormalizationThreshold(0.05);
      case CONSTRAINED -> builder.constrainWeights(new MaxNormConstraint(0.5, 1));
      default -> builder.seed(7);
    }
    MultiLayerNetwork network =
        new MultiLayerNetwork(
            builder
                .list()
                .layer(new DenseLayer.Builder().nOut(96).activation(Activation.TANH).build())
                .layer(new DenseLayer.Builder().nOut(24).activation(Activation.RELU).build())
                .layer(Nets.output())
                .setInputType(InputType.feedForward(12))
                .build());
    network.init();
    return network;
  }

  private static Nets.Batch batch(int step, Variant variant) {
    Nets.Batch batch = Nets.flat(step);
    return variant == Variant.DOUBLE
        ? Nets.batch(
            batch.features()[0].castTo(DataType.DOUBLE), batch.labels()[0].castTo(DataType.DOUBLE))
        : batch;
  }

  private static double[] values(INDArray array) {
    return array == null ? new double[0] : array.dup().data().asDouble();
  }

  /** Trains twice in different memories, with the network given back in between. */
  private static List<PieceCounts> compare(IUpdater updater, Variant variant) throws Exception {
    MultiLayerNetwork plain = network(updater, variant);
    MultiLayerNetwork network = network(updater.clone(), variant);
    List<PieceCounts> counts = new ArrayList<>();
    int step = 0;
    for (long budget : BUDGETS) {
      PieceCounts policy = new PieceCounts();
      counts.add(policy);
      try (PlacedMemory memory = PlacedNetworkTest.memory(policy, budget, null)) {
        try (PlacedNetwork placed = PlacedNetwork.of(network, memory)) {
          for (int i = 0; i < STEPS; i++, step++) {
            PlacedNetworkTest.fit(plain, batch(step, variant));
            PlacedNetworkTest.fit(placed, batch(step, variant));
            assertThat(network.score()).isFinite().isEqualTo(plain.score());
            assertThat(memory.memory().verify(true).problems()).isEmpty();
          }
        }
        assertThat(memory.memory().objects()).isEmpty();
      }
      assertThat(values(network.params())).isEqualTo(values(plain.params()));
      assertThat(values(network.getUpdater().getStateViewArray()))
          .isEqualTo(values(plain.getUpdater().getStateViewArray()));
    }
    return counts;
  }

  @ParameterizedTest
  @MethodSource("settings")
  void pieces_giveTheSameBits(String updater, Variant variant) throws Exception {
    for (PieceCounts counts : compare(UPDATERS.get(updater).get(), variant)) {
      assertThat(counts.most("update")).isGreaterThan(4);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Variant.class,
      names = {"CLIPPED", "CONSTRAINED"})
  void whatLooksAtAllOfALayer_isNotDivided(Variant variant) throws Exception {
    for (PieceCounts counts : compare(new Adam(0.01), variant)) {
      // Constraints are those of the hidden layers' weights and of the output's.
      assertThat(counts.most("update")).isOne();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Variant.class,
      names = {"PLAIN", "L1_AND_L2", "DOUBLE"})
  void unknownUpdaters_areNotDivided(Variant variant) throws Exception {
    for (PieceCounts counts : compare(new OwnAdam(), variant)) {
      assertThat(counts.most("update")).isOne();
    }
  }
}
