package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a learner serves is no worse than a rule of one line. */
final class ReferencesTest {
  private static final int SAMPLES = 4_000;
  private static final int NUMBERS = 20;

  private static ApplicationSettings settings(boolean regression, boolean references) {
    return settings(regression, references, null);
  }

  private static ApplicationSettings settings(
      boolean regression, boolean references, SampleSchema.@Nullable History history) {
    SampleSchema.Label label =
        regression
            ? new SampleSchema.Label("label", SampleSchema.Task.REGRESSION, List.of())
            : new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1"));
    ApplicationSettings settings =
        LearnerSettings.learning(
            LearnerSimulation.settings(
                UpdateSettings.of(RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(32)),
                DataSettings.defaults()),
            new SampleSchema(
                    List.of(),
                    List.of(new SampleSchema.DenseFeature("x", NUMBERS, 1)),
                    List.of(),
                    label,
                    null)
                .with(history),
            new ModelSpec.Network.Mlp(List.of(64)),
            // So large and fast that it learns noise by heart.
            new ModelSpec.Fit(16, 5, ModelSpec.Updater.ADAM, 0.01, 0));
    return references ? settings : LearnerSettings.withoutReferences(settings);
  }

  private static VirtualTimeLearner learner(ApplicationSettings settings) throws Exception {
    return VirtualTimeLearner.of(
            settings,
            () ->
                EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new)
                    .trainer(settings.name(), false),
            Dl4jModel::load)
        .open();
  }

  /** Numbers that tell nothing about the label. */
  private static Sample noise(int number, boolean regression) {
    SplittableRandom random = new SplittableRandom(number);
    double[] dense = random.doubles(NUMBERS).toArray();
    double label = regression ? random.nextGaussian() : random.nextInt(5) == 0 ? 1 : 0;
    return new Sample("s" + number, dense, new int[0], label);
  }

  private static void arrive(VirtualTimeLearner learner, boolean regression, int from, int to)
      throws Exception {
    for (int i = from; i < to; i++) {
      Sample sample = noise(i, regression);
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(1);
    }
  }

  private static PrequentialSummary served(boolean regression, boolean references)
      throws Exception {
    try (VirtualTimeLearner learner = learner(settings(regression, references))) {
      arrive(learner, regression, 0, SAMPLES);
      learner.pass(5_000);
      return learner.last().status().prequential();
    }
  }

  /** Numbers that tell nothing, and labels of which each is most often the one before it. */
  private static PrequentialSummary servedWithHistory(boolean regression, int stream)
      throws Exception {
    SampleSchema.History history = new SampleSchema.History(null, 1, false, 1);
    try (VirtualTimeLearner learner = learner(settings(regression, true, history))) {
      SplittableRandom random = new SplittableRandom(stream);
      double label = 0;
      for (int i = 0; i < SAMPLES; i++) {
        if (regression) {
          label += random.nextGaussian() / 10;
        } else if (random.nextInt(20) == 0) {
          label = 1 - label;
        }
        Sample sample = noise(i, regression).withLabel(label);
        learner.arrive(sample, ContentHasher.of(sample));
        learner.pass(1);
      }
      learner.pass(5_000);
      return learner.last().status().prequential();
    }
  }

  @Test
  void served_labelsRepeatAndNumbersAreNoise_isAsGoodAsNoChange() throws Exception {
    PrequentialSummary.Classification served = servedWithHistory(false, 1).classification();
    assertThat(served.noChangeAccuracy()).isGreaterThan(0.94);
    // The first hundreds of samples decide on the weights.
    assertThat(served.accuracy()).isGreaterThan(served.noChangeAccuracy() - 0.01);
    assertThat(served.recentAccuracy()).isGreaterThan(served.recentNoChangeAccuracy() - 0.003);
    double entropy = -0.05 * Math.log(0.05) - 0.95 * Math.log(0.95);
    assertThat(served.logLoss()).isLessThan(entropy + 0.02);
  }

  @Test
  void served_targetsMoveSlowlyAndNumbersAreNoise_isAsGoodAsNoChange() throws Exception {
    double ratios = 0;
    for (int stream = 1; stream <= 3; stream++) {
      PrequentialSummary.Regression served = servedWithHistory(true, stream).regression();
      ratios += served.meanAbsoluteError() / served.noChangeMeanAbsoluteError();
    }
    assertThat(ratios / 3).isLessThan(1.1);
  }

  private static byte[] mixture(VirtualTimeLearner learner) {
    learner.learner().beforeCheckpoint();
    return AcceptedModel.restore(
            Objects.requireNonNull(learner.state.get(Slot.MODEL)),
            Objects.requireNonNull(learner.state.get(Slot.ARTIFACT)))
        .artifact()
        .files()
        .get(ModelArtifact.MIXTURE_FILE);
  }

  @Test
  void served_labelsAreNoise_isAsGoodAsTheMostFrequentLabel() throws Exception {
    PrequentialSummary.Classification alone = served(false, false).classification();
    PrequentialSummary.Classification served = served(false, true).classification();
    assertThat(alone.accuracy()).isLessThan(alone.majorityAccuracy() - 0.02);
    assertThat(served.accuracy()).isGreaterThan(served.majorityAccuracy() - 0.003);
    double entropy = -0.2 * Math.log(0.2) - 0.8 * Math.log(0.8);
    assertThat(alone.logLoss()).isGreaterThan(entropy + 0.05);
    assertThat(served.logLoss()).isLessThan(entropy + 0.01);
  }

  @Test
  void served_targetsAreNoise_isAsGoodAsTheirMean() throws Exception {
    PrequentialSummary.Regression alone = served(true, false).regression();
    PrequentialSummary.Regression served = served(true, true).regression();
    assertThat(alone.rootMeanSquaredError()).isGreaterThan(1.1);
    assertThat(served.rootMeanSquaredError()).isLessThan(1.03);
  }

  @Test
  void restart_midway_goesOnWithTheSameWeights() throws Exception {
    try (VirtualTimeLearner whole = learner(settings(false, true));
        VirtualTimeLearner stopped = learner(settings(false, true))) {
      arrive(whole, false, 0, 500);
      whole.pass(2_000);
      arrive(whole, false, 500, 1_000);
      arrive(stopped, false, 0, 500);
      stopped.pass(2_000);
      stopped.restart();
      arrive(stopped, false, 500, 1_000);
      assertThat(mixture(stopped)).isEqualTo(mixture(whole));
    }
  }

  @Test
  void arrive_referencesAreOff_versionsHaveNone() throws Exception {
    try (VirtualTimeLearner learner = learner(settings(false, false))) {
      arrive(learner, false, 0, 200);
      assertThat(mixture(learner)).isNull();
      assertThat(learner.state.get(Slot.MIXTURE)).isNull();
    }
  }
}
