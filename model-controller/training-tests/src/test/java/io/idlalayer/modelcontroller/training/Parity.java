package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

/** Whether two engines train the same, up to rounding. */
final class Parity {
  /** Relative, in the Euclidean norm. */
  static final double TOLERANCE = 1e-5;

  private static final List<KernelLibrary> LIBRARIES = MachineKernels.all();

  private Parity() {}

  /**
   * Seeds of plans, each as likely as another: jqwik prefers small numbers, so a seed whose
   * training is passed over would come several times in few draws.
   */
  static Arbitrary<Long> seeds() {
    return Arbitraries.longs()
        .between(1, 1_000_000_000)
        .withDistribution(RandomDistribution.uniform())
        .withoutEdgeCases();
  }

  /**
   * Trains a network by Deeplearning4j and by the product's engine with every library of kernels,
   * and compares parameters, updater state and predictions; and by the product's engine once more
   * with its tensors in a small memory, where all bits must be the same. A training whose result
   * depends on the last bit of a number is passed over.
   *
   * @param features some to predict, row by row
   */
  static void assertTrainsAlike(
      ModelSpec spec, long seed, Conditioning.Training training, float[] features, int rows)
      throws Exception {
    try (TrainingEngine theirs = Trainings.dl4jEngine(spec);
        TrainableNetwork expected = theirs.create(seed)) {
      training.train(expected);
      byte[] wanted = expected.encode();
      ReferenceTraining reference = new ReferenceTraining(theirs, seed, training, wanted);
      reference.assumeConditioned();
      for (KernelLibrary kernels : LIBRARIES) {
        try (TrainingEngine ours = new TapeEngine(spec, kernels);
            TrainableNetwork network = ours.create(seed)) {
          training.train(network);
          reference.assertSame(kernels.name(), network.encode());
          assertPredictsAlike(kernels.name(), ours, wanted, features, rows, expected);
          float[] predicted = network.output(features, rows);
          SmallDevices devices = SmallDevices.of(new SplittableRandom(seed));
          try (TrainingEngine placing =
              new TapeEngine(spec, kernels, devices.tenant(), new NetworkForms())) {
            assertThat(placing.begin(() -> {})).isTrue();
            try (TrainableNetwork placed = placing.create(seed)) {
              training.train(placed);
              assertThat(placed.encode()).as(devices.toString()).isEqualTo(network.encode());
              assertThat(placed.output(features, rows)).as(devices.toString()).isEqualTo(predicted);
            }
            devices.assertEmpty();
          }
        }
      }
    }
  }

  /**
   * Compares predictions of the same parameters: what two trainings round differently may grow in a
   * prediction that nearly cancels.
   */
  private static void assertPredictsAlike(
      String what,
      TrainingEngine ours,
      byte[] file,
      float[] features,
      int rows,
      TrainableNetwork theirs)
      throws Exception {
    try (TrainableNetwork network = ours.decode(file)) {
      assertThat(distance(network.output(features, rows), theirs.output(features, rows)))
          .as("predictions, %s", what)
          .isLessThan(TOLERANCE);
    }
  }

  /** Numbers between a bound and its negative. */
  static float[] features(SplittableRandom random, int count, double bound) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) (bound * (2 * random.nextDouble() - 1));
    }
    return values;
  }

  /** A class for each row, row by row. */
  static float[] labels(SplittableRandom random, int rows, int classes) {
    float[] values = new float[rows * classes];
    for (int row = 0; row < rows; row++) {
      values[row * classes + random.nextInt(classes)] = 1;
    }
    return values;
  }

  /** Asserts that Deeplearning4j restores equal values from both files. */
  static void assertSame(String what, byte[] ours, byte[] theirs) throws Exception {
    try (Restored one = Restored.of(ours);
        Restored other = Restored.of(theirs)) {
      assertThat(distance(one.parameterValues(), other.parameterValues()))
          .as("parameters, %s", what)
          .isLessThan(TOLERANCE);
      assertThat(distance(one.stateValues(), other.stateValues()))
          .as("updater state, %s", what)
          .isLessThan(TOLERANCE);
      assertThat(one.configuration()).isEqualTo(other.configuration());
    }
  }

  /** The larger distance of parameters and updater state of two files. */
  static double distance(byte[] left, byte[] right) throws Exception {
    try (Restored one = Restored.of(left);
        Restored other = Restored.of(right)) {
      return Math.max(
          distance(one.parameterValues(), other.parameterValues()),
          distance(one.stateValues(), other.stateValues()));
    }
  }

  /** Relative, in the Euclidean norm. */
  static double distance(float[] left, float[] right) {
    assertThat(left).hasSameSizeAs(right);
    double gap = 0;
    double size = 0;
    for (int i = 0; i < left.length; i++) {
      gap += Math.pow((double) left[i] - right[i], 2);
      size += Math.pow(right[i], 2);
    }
    return Math.sqrt(gap / Math.max(1e-30, size));
  }
}
