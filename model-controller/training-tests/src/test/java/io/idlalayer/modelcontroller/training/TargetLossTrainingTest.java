package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/** What networks learn with each loss of targets, and that both engines learn the same. */
final class TargetLossTrainingTest {
  private static final int STEPS = 10;
  private static final List<TargetLoss> LOSSES =
      List.of(
          TargetLoss.ABSOLUTE, TargetLoss.huber(0.5), TargetLoss.quantile(0.9), TargetLoss.POISSON);

  private static ModelSpec spec(TargetLoss loss, int members) {
    return new ModelSpec(
            Trainings.target(2),
            new ModelSpec.Network.Mlp(List.of(16), members),
            new ModelSpec.Fit(32, 2, ModelSpec.Updater.ADAM, 0.005, 0),
            true)
        .with(loss);
  }

  /** What updates of 300 samples make of a stream. */
  private static Dl4jModel learned(ModelSpec spec, List<Sample> samples) throws Exception {
    ModelArtifact base = null;
    try (NetworkTrainer trainer =
        new NetworkTrainer(spec, false, new TapeEngine(spec, MachineKernels.best()))) {
      int update = 1;
      for (int from = 0; from < samples.size(); from += 300, update++) {
        List<Sample> some = samples.subList(from, Math.min(samples.size(), from + 300));
        TrainingBatch batch = Trainings.batch(update, some);
        base = trainer.train(new TrainingRequest(base, batch, update)).model();
      }
    }
    return Dl4jModel.load(base);
  }

  private static List<Sample> samples(int count, long seed, Targets targets) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] x = {random.nextDouble(), random.nextDouble()};
      samples.add(Sample.of(x, targets.of(x, random)));
    }
    return samples;
  }

  @FunctionalInterface
  private interface Targets {
    double of(double[] x, SplittableRandom random);
  }

  private static double poisson(double rate, SplittableRandom random) {
    double limit = Math.exp(-rate);
    double product = random.nextDouble();
    int count = 0;
    while (product > limit) {
      count++;
      product *= random.nextDouble();
    }
    return count;
  }

  private static double mean(double[][] predictions) {
    double sum = 0;
    for (double[] each : predictions) {
      sum += each[0];
    }
    return sum / predictions.length;
  }

  /** The spread grows with a feature, so that a constant offset from the mean would not do. */
  @Example
  void train_quantile_isExceededByItsShareOfTargetsEverywhere() throws Exception {
    Targets wide = (x, random) -> 1e4 + 500 * x[0] * random.nextDouble() + 20 * random.nextDouble();
    try (Dl4jModel model = learned(spec(TargetLoss.quantile(0.9), 1), samples(12_000, 1, wide))) {
      List<Sample> tests = samples(4_000, 2, wide);
      double[][] predictions = model.predict(tests);
      for (int half = 0; half < 2; half++) {
        int below = 0;
        int all = 0;
        for (int i = 0; i < predictions.length; i++) {
          if (tests.get(i).dense()[0] > 0.5 == (half == 1)) {
            all++;
            below += tests.get(i).label() <= predictions[i][0] ? 1 : 0;
          }
        }
        assertThat((double) below / all).isCloseTo(0.9, within(0.05));
      }
    }
  }

  @Example
  void train_oneSidedOutliers_moveTheMeanAndNotHuberNorTheMedian() throws Exception {
    Targets spoiled =
        (x, random) -> 100 * x[0] + 5 * random.nextDouble() + (random.nextInt(8) == 0 ? 150 : 0);
    List<Sample> stream = samples(12_000, 1, spoiled);
    Sample middle = Sample.of(new double[] {0.5, 0.5}, 0);
    double[] found = new double[3];
    List<TargetLoss> losses =
        List.of(TargetLoss.SQUARED, TargetLoss.huber(0.1), TargetLoss.ABSOLUTE);
    for (int i = 0; i < found.length; i++) {
      try (Dl4jModel model = learned(spec(losses.get(i), 1), stream)) {
        found[i] = model.predict(List.of(middle))[0][0];
      }
    }
    assertThat(found[0]).as("the mean").isBetween(63.0, 81.0);
    assertThat(found[1]).as("Huber").isBetween(48.0, 58.0);
    assertThat(found[2]).as("the median").isBetween(48.0, 58.0);
  }

  @Example
  void train_counts_givesTheirRateAndNeverANegativeOne() throws Exception {
    Targets counts = (x, random) -> poisson(Math.exp(3 * x[0] - 2), random);
    for (int members : new int[] {1, 3}) {
      try (Dl4jModel model =
          learned(spec(TargetLoss.POISSON, members), samples(12_000, 1, counts))) {
        for (double x : new double[] {0.1, 0.5, 0.9}) {
          double rate = Math.exp(3 * x - 2);
          assertThat(model.predict(List.of(Sample.of(new double[] {x, 0.5}, 0)))[0][0])
              .isCloseTo(rate, within(0.15 * rate + 0.05));
        }
        List<Sample> far = List.of(Sample.of(new double[] {-1e9, 1e9}, 0));
        assertThat(model.predict(far)[0][0]).isNotNegative();
      }
    }
  }

  /**
   * Fewer than one in 64 is not 0: a scale that takes them for outliers would lose most of them.
   */
  @Example
  void train_rareCounts_givesTheirMean() throws Exception {
    Targets rare = (x, random) -> random.nextInt(100) == 0 ? 1 + random.nextInt(2) : 0;
    List<Sample> stream = samples(30_000, 1, rare);
    double mean = stream.stream().mapToDouble(Sample::label).average().orElseThrow();
    try (Dl4jModel model = learned(spec(TargetLoss.POISSON, 1), stream)) {
      assertThat(mean(model.predict(samples(2_000, 2, rare)))).isCloseTo(mean, within(0.4 * mean));
    }
  }

  @Example
  void train_countsInAnotherUnit_areFollowed() throws Exception {
    for (double unit : new double[] {1e-3, 1e6}) {
      Targets amounts = (x, random) -> unit * (1 + 3 * x[0]) * (0.5 + random.nextDouble());
      try (Dl4jModel model = learned(spec(TargetLoss.POISSON, 1), samples(12_000, 1, amounts))) {
        assertThat(mean(model.predict(samples(2_000, 2, amounts))))
            .isCloseTo(2.5 * unit, within(0.1 * 2.5 * unit));
      }
    }
  }

  @Example
  void train_anyLoss_makesTheMeanLossLessAndTheNormsThoseOfItsSlope() throws Exception {
    Targets line = (x, random) -> 3 + 2 * x[0] + random.nextDouble();
    for (TargetLoss loss : LOSSES) {
      ModelSpec spec = spec(loss, 1);
      List<Sample> stream = samples(600, 1, line);
      try (NetworkTrainer trainer =
          new NetworkTrainer(spec, false, new TapeEngine(spec, MachineKernels.best()))) {
        TrainingResult first =
            trainer.train(new TrainingRequest(null, Trainings.batch(1, stream), 1));
        TrainingResult second =
            trainer.train(new TrainingRequest(first.model(), Trainings.batch(2, stream), 2));
        assertThat(second.meanLossAfter()).isLessThan(first.meanLossBefore()).isNotNegative();
        assertThat(second.contributions())
            .allSatisfy(each -> assertThat(each.gradientNorm()).isBetween(0f, 10f));
      }
    }
  }

  @Tag("natives")
  @Example
  void decode_networkOfAnotherLoss_isRefused() throws Exception {
    ModelSpec rates = spec(TargetLoss.POISSON, 1);
    byte[] file;
    try (var network = Trainings.initialised(rates, 1)) {
      file = network.encode();
    }
    assertThatThrownBy(() -> NetworkFactory.decode(spec(TargetLoss.quantile(0.5), 1), file))
        .hasMessageContaining("POISSON")
        .hasMessageContaining("QUANTILE");
  }

  @Tag("natives")
  @Property(tries = 12, shrinking = ShrinkingMode.OFF, maxDiscardRatio = 20)
  void manySteps_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed) throws Exception {
    SplittableRandom chosen = new SplittableRandom(seed);
    ModelSpec.Updater[] updaters = ModelSpec.Updater.values();
    ModelSpec.Updater updater = updaters[chosen.nextInt(updaters.length)];
    ModelSpec spec =
        new ModelSpec(
                Trainings.target(3),
                new ModelSpec.Network.Mlp(List.of(6), 1 + chosen.nextInt(3)),
                new ModelSpec.Fit(32, 1, updater, 0.002, 0),
                true)
            .with(LOSSES.get(chosen.nextInt(LOSSES.size())));
    int rows = 4 + chosen.nextInt(12);
    float[] features = Parity.features(new SplittableRandom(7), rows * spec.inputWidth(), 1);
    Parity.assertTrainsAlike(
        spec,
        seed,
        network -> {
          SplittableRandom random = new SplittableRandom(seed);
          try (TrainingSteps steps = network.steps(1)) {
            for (int step = 0; step < STEPS; step++) {
              float[] labels = Parity.features(random, rows * spec.networkOutputs(), 1);
              for (int i = 0; i < labels.length; i++) {
                labels[i] = Math.abs(labels[i]);
              }
              float[] weights = null;
              if (step % 2 == 1) {
                weights = new float[rows];
                for (int i = 0; i < rows; i++) {
                  weights[i] = random.nextInt(3);
                }
              }
              steps.fit(
                  Parity.features(random, rows * spec.inputWidth(), 1), labels, rows, weights);
            }
          }
        },
        features,
        rows);
  }

  @Provide
  Arbitrary<Long> seeds() {
    return Parity.seeds();
  }
}
