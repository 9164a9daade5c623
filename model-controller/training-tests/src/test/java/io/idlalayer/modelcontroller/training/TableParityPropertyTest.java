package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Random networks over features with tables: trained by Deeplearning4j and by the product's engine
 * as {@link GraphParityPropertyTest} does it, and the errors of their input compared with
 * differences of Deeplearning4j's loss in double precision.
 */
@Tag("natives")
final class TableParityPropertyTest {
  private static final int STEPS = 100;

  /** Half the distance of the points of a difference. */
  private static final double GAP = 1e-6;

  private record Plan(ModelSpec spec, int rows, boolean weighted, long seed) {
    static Plan of(long seed, ModelSpec.Network network, ModelSpec.Updater updater) {
      SplittableRandom random = new SplittableRandom(seed);
      double rate = updater == ModelSpec.Updater.ADAM ? 0.001 : 0.02;
      double penalty = random.nextBoolean() ? 0.01 : 0;
      var label =
          random.nextBoolean() ? Trainings.classes(1, 3).label() : Trainings.target(1).label();
      int dim = 2 + random.nextInt(4);
      // Only a dlrm network asks for one dimension.
      int other = network instanceof ModelSpec.Network.Dlrm ? dim : 1 + random.nextInt(4);
      ModelSpec.Fit fit = new ModelSpec.Fit(32, 1, updater, rate, penalty);
      ModelSpec spec = TestNetworks.tables(network, fit, label, List.of(dim, other));
      return new Plan(spec, 4 + random.nextInt(20), random.nextBoolean(), seed);
    }

    static Plan of(long seed) {
      SplittableRandom random = new SplittableRandom(-seed);
      ModelSpec.Updater[] updaters = ModelSpec.Updater.values();
      return of(
          seed, network(random, random.nextInt(3)), updaters[random.nextInt(updaters.length)]);
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, rows * spec.inputWidth(), 1);
    }

    float[] labels(SplittableRandom random) {
      return spec.outputWidth() > 1
          ? Parity.labels(random, rows, spec.outputWidth())
          : Parity.features(random, rows, 1);
    }

    /** Returns weights with mean 1; null if rows are not weighted. */
    float @Nullable [] weights() {
      if (!weighted) {
        return null;
      }
      float[] weights = new float[rows];
      for (int i = 0; i < rows; i++) {
        weights[i] = 2f * (i + 1) / (rows + 1);
      }
      return weights;
    }
  }

  private static ModelSpec.Network network(SplittableRandom random, int kind) {
    return switch (kind) {
      case 0 -> new ModelSpec.Network.Dlrm(widths(random), widths(random));
      case 1 -> new ModelSpec.Network.WideAndDeep(widths(random));
      default -> new ModelSpec.Network.Mlp(widths(random));
    };
  }

  private static List<Integer> widths(SplittableRandom random) {
    return IntStream.range(0, random.nextInt(3)).mapToObj(i -> 4 + random.nextInt(12)).toList();
  }

  @Provide
  Arbitrary<Long> seeds() {
    return Parity.seeds();
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        float[] features = plan.features(random);
        steps.fit(features, plan.labels(random), plan.rows(), plan.weights());
      }
    }
  }

  private static void assertTrainsAlike(long seed, int kind, ModelSpec.Updater updater)
      throws Exception {
    Plan plan = Plan.of(seed, network(new SplittableRandom(seed), kind), updater);
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(plan.spec(), seed, it -> train(it, plan), features, plan.rows());
  }

  @Property(tries = 3, shrinking = ShrinkingMode.OFF)
  void dlrm_hundredStepsOfSgd_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed)
      throws Exception {
    assertTrainsAlike(seed, 0, ModelSpec.Updater.SGD);
  }

  @Property(tries = 3, shrinking = ShrinkingMode.OFF, maxDiscardRatio = 20)
  void dlrm_hundredStepsOfAdam_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed)
      throws Exception {
    assertTrainsAlike(seed, 0, ModelSpec.Updater.ADAM);
  }

  @Property(tries = 3, shrinking = ShrinkingMode.OFF)
  void wideAndDeep_hundredStepsOfSgd_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed)
      throws Exception {
    assertTrainsAlike(seed, 1, ModelSpec.Updater.SGD);
  }

  @Property(tries = 3, shrinking = ShrinkingMode.OFF, maxDiscardRatio = 20)
  void wideAndDeep_hundredStepsOfAdam_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed)
      throws Exception {
    assertTrainsAlike(seed, 1, ModelSpec.Updater.ADAM);
  }

  /** Parts that overlap, and a loss layer, in a graph as users write them. */
  @Property(tries = 3, shrinking = ShrinkingMode.OFF, maxDiscardRatio = 20)
  void parts_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed) throws Exception {
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(6, 3),
            TestNetworks.graph(TestNetworks.parts()),
            Trainings.ADAM,
            false);
    Plan plan = new Plan(spec, 5, seed % 2 == 0, seed);
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(spec, seed, it -> train(it, plan), features, plan.rows());
  }

  /** Fits once, and gives the errors of what comes from tables. */
  private static float[] inputErrors(TrainableNetwork network, Plan plan, float[] features)
      throws Exception {
    ModelSpec spec = plan.spec();
    float[] errors = new float[plan.rows() * (spec.inputWidth() - spec.vectorColumns())];
    float[] labels = plan.labels(new SplittableRandom(plan.seed()));
    try (TrainingSteps steps = network.steps(1)) {
      steps.fit(features, labels, plan.rows(), plan.weights(), errors, null);
    }
    return errors;
  }

  /** Losses of rows, each alone. */
  private interface Losses {
    double[] of(INDArray features, INDArray labels);
  }

  private static Losses losses(ArrayNetwork network) {
    if (network instanceof GraphNetwork graph) {
      ComputationGraph exact = graph.layers().convertDataType(DataType.DOUBLE);
      return (features, labels) ->
          exact.scoreExamples(new DataSet(features, labels), false).data().asDouble();
    }
    MultiLayerNetwork exact = ((StackedNetwork) network).layers().convertDataType(DataType.DOUBLE);
    return (features, labels) ->
        exact.scoreExamples(new DataSet(features, labels), false).data().asDouble();
  }

  private static INDArray exact(float[] values, int rows) {
    double[] all = new double[values.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = values[i];
    }
    return Nd4j.createFromArray(all).reshape(rows, values.length / rows);
  }

  private static float[] differences(Plan plan, float[] features) throws Exception {
    ModelSpec spec = plan.spec();
    int rows = plan.rows();
    int first = spec.vectorColumns();
    int count = spec.inputWidth() - first;
    float[] weights = plan.weights();
    float[] slopes = new float[rows * count];
    try (ArrayNetwork network = Trainings.initialised(spec, plan.seed())) {
      Losses losses = losses(network);
      INDArray labels = exact(plan.labels(new SplittableRandom(plan.seed())), rows);
      for (int column = 0; column < count; column++) {
        List<double[]> both = new ArrayList<>();
        for (double move : new double[] {-GAP, GAP}) {
          INDArray moved = exact(features, rows);
          moved.getColumn(first + column).addi(move);
          both.add(losses.of(moved, labels));
        }
        for (int row = 0; row < rows; row++) {
          double slope = (both.get(1)[row] - both.get(0)[row]) / (2 * GAP);
          double weight = weights == null ? 1 : weights[row];
          slopes[row * count + column] = (float) (weight * slope / rows);
        }
      }
    }
    return slopes;
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void inputErrors_areTheSlopesOfTheMeanLoss(@ForAll("seeds") long seed) throws Exception {
    Plan plan = Plan.of(seed);
    ModelSpec spec = plan.spec();
    float[] features = plan.features(new SplittableRandom(seed));
    float[] expected = differences(plan, features);
    for (KernelLibrary kernels : MachineKernels.all()) {
      float[] found;
      try (TrainingEngine ours = new TapeEngine(spec, kernels);
          TrainableNetwork network = ours.create(seed)) {
        found = inputErrors(network, plan, features);
      }
      assertThat(Parity.distance(found, expected)).as(kernels.name()).isLessThan(1e-5);
      SmallDevices devices = SmallDevices.of(new SplittableRandom(seed));
      try (TrainingEngine placing =
          new TapeEngine(spec, kernels, devices.tenant(), new NetworkForms())) {
        assertThat(placing.begin(() -> {})).isTrue();
        try (TrainableNetwork placed = placing.create(seed)) {
          assertThat(inputErrors(placed, plan, features)).as(devices.toString()).isEqualTo(found);
        }
        devices.assertEmpty();
      }
    }
  }
}
