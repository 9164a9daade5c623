package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.learner.comparison.VersionComparison;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.comparison.ComparisonSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A learner compares what it serves with older versions, as a computation of its own says. */
final class VersionComparisonLearnerTest {
  private static final int EVERY = 500;
  private static final int SAMPLES = 2_400;
  private static final int JUMP = 1_500;
  private static final int WINDOW = 1_000;
  private static final Offset<Double> EXACT = Offset.offset(1e-12);

  private static ApplicationSettings settings(boolean regression, ComparisonSettings comparison) {
    SampleSchema.Label label =
        regression
            ? new SampleSchema.Label("label", SampleSchema.Task.REGRESSION, List.of())
            : new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1"));
    return LearnerSettings.learning(
            LearnerSimulation.settings(
                UpdateSettings.of(RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(32)),
                DataSettings.defaults()),
            new SampleSchema(
                List.of(),
                List.of(new SampleSchema.DenseFeature("x", 2, 1)),
                List.of(),
                label,
                null),
            new ModelSpec.Network.Mlp(List.of(16)),
            new ModelSpec.Fit(16, 3, ModelSpec.Updater.ADAM, 0.01, 0))
        .with(comparison);
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

  /** The label is on which side of a line a point lies, or how far; later it is the other way. */
  private static Sample sample(int number, boolean regression) {
    SplittableRandom random = new SplittableRandom(number);
    double[] x = {random.nextDouble() * 2 - 1, random.nextDouble() * 2 - 1};
    double side = (x[0] + x[1]) * (number < JUMP ? 1 : -1);
    // A target far away once in a while, which the model counts as one at the edge of its range.
    double target = number % 97 == 0 ? 1_000 * side : side;
    return new Sample("s" + number, x, new int[0], regression ? target : side > 0 ? 1 : 0);
  }

  /** What one model predicts, and how a comparison counts it: all, and the last 1,000. */
  private static final class Own {
    final List<Double> marks = new ArrayList<>();
    private @Nullable ModelArtifact artifact;
    private @Nullable TaskModel model;

    void serve(ModelArtifact other) throws Exception {
      if (model != null) {
        model.close();
      }
      artifact = other;
      model = Dl4jModel.load(other);
    }

    double predict(Sample sample) {
      return ScoredBatch.predicted(model.predict(List.of(sample))[0]);
    }

    double mean(boolean recent) {
      List<Double> some =
          marks.subList(recent ? Math.max(0, marks.size() - WINDOW) : 0, marks.size());
      return some.stream().mapToDouble(each -> each).average().orElseThrow();
    }
  }

  private static void arrive(VirtualTimeLearner learner, Sample sample) throws Exception {
    learner.arrive(sample, ContentHasher.of(sample));
    learner.pass(1);
  }

  private static ComparedVersions compared(VirtualTimeLearner learner) throws Exception {
    learner.pass(5_000);
    return learner.last().status().compared();
  }

  /** Runs a learner and, beside it, a computation that scores the same events on its own. */
  private static ComparedVersions compare(boolean regression, Own model, Own once, Own renewed)
      throws Exception {
    try (VirtualTimeLearner learner =
        learner(settings(regression, new ComparisonSettings(EVERY)))) {
      long tested = 0;
      long renewedAt = 0;
      long updates = 0;
      for (int i = 0; i < SAMPLES; i++) {
        Sample sample = sample(i, regression);
        if (once.artifact != null && tested++ % VersionComparison.ONE_OF == 0) {
          double label = model.model.counted(sample.label());
          for (Own each : List.of(model, once, renewed)) {
            double predicted = each.predict(sample);
            each.marks.add(
                regression ? Math.abs(predicted - label) : predicted == sample.label() ? 1.0 : 0.0);
          }
        }
        arrive(learner, sample);
        AcceptedModel now = LearnerWorld.accepted(learner.written());
        if (now != null && now.update().number() > updates) {
          updates = now.update().number();
          long learned = now.lineage().trainedNewSamples();
          model.serve(now.artifact());
          if (learned >= EVERY && once.artifact == null) {
            once.serve(now.artifact());
          }
          if (learned / EVERY > renewedAt / EVERY) {
            renewed.serve(now.artifact());
            renewedAt = learned;
          }
        }
      }
      return compared(learner);
    }
  }

  private static void assertSame(ComparedVersions.MetricValues said, Own own) {
    assertThat(said.value()).isCloseTo(own.mean(false), EXACT);
    assertThat(said.recent()).isCloseTo(own.mean(true), EXACT);
  }

  @Test
  void compared_classes_equalThoseOfASeparateComputation() throws Exception {
    Own model = new Own();
    Own once = new Own();
    Own renewed = new Own();
    ComparedVersions said = compare(false, model, once, renewed);
    assertThat(said.measure()).isEqualTo("accuracy");
    assertThat(said.every()).isEqualTo(EVERY);
    assertThat(said.samples()).isEqualTo(once.marks.size()).isGreaterThan(400);
    assertThat(said.once().learned()).isBetween(500L, 531L);
    assertThat(said.renewed().learned()).isBetween(2_000L, 2_031L);
    assertSame(said.model(), model);
    assertSame(said.once().quality(), once);
    assertSame(said.renewed().quality(), renewed);
    // The world has changed: who learns on is better than who learns seldom, and than who stopped.
    assertThat(said.model().value()).isGreaterThan(said.renewed().quality().value());
    assertThat(said.renewed().quality().value()).isGreaterThan(said.once().quality().value() + 0.1);
  }

  @Test
  void compared_targets_equalThoseOfASeparateComputation() throws Exception {
    Own model = new Own();
    Own once = new Own();
    Own renewed = new Own();
    ComparedVersions said = compare(true, model, once, renewed);
    assertThat(settings(true, ComparisonSettings.NONE).metric()).isEqualTo(QualityMetric.MASE);
    assertThat(said.higherIsBetter()).isFalse();
    double scale = said.model().value() / model.mean(false);
    // Predictions have 32 bits, and rounding depends on the machine.
    assertThat(said.once().quality().value())
        .isCloseTo(once.mean(false) * scale, Offset.offset(1e-7));
    assertThat(said.renewed().quality().value())
        .isCloseTo(renewed.mean(false) * scale, Offset.offset(1e-7));
  }

  @Test
  void compared_afterARestart_goOn() throws Exception {
    try (VirtualTimeLearner learner = learner(settings(false, new ComparisonSettings(EVERY)))) {
      for (int i = 0; i < JUMP; i++) {
        arrive(learner, sample(i, false));
      }
      ComparedVersions before = compared(learner);
      learner.restart();
      assertThat(compared(learner)).isEqualTo(before).isNotNull();
      for (int i = JUMP; i < SAMPLES; i++) {
        arrive(learner, sample(i, false));
      }
      ComparedVersions after = compared(learner);
      assertThat(after.once().version()).isEqualTo(before.once().version());
      assertThat(after.samples() - before.samples())
          .isCloseTo((long) (SAMPLES - JUMP) / VersionComparison.ONE_OF, Offset.offset(1L));
      assertThat(after.once().quality().value())
          .as("the world has changed since")
          .isLessThan(before.once().quality().value() - 0.2);
    }
  }

  @Test
  void compared_switchedOff_areNeitherToldNorInState() throws Exception {
    try (VirtualTimeLearner learner = learner(settings(false, ComparisonSettings.NONE))) {
      for (int i = 0; i < 2 * EVERY; i++) {
        arrive(learner, sample(i, false));
      }
      assertThat(compared(learner)).isNull();
      assertThat(learner.written().get(Slot.COMPARISON)).isNull();
      assertThat(learner.written().get(Slot.COMPARED_VERSIONS)).isNull();
    }
  }

  @Test
  void compared_switchedOffLater_areNotTold() throws Exception {
    try (VirtualTimeLearner learner = learner(settings(false, new ComparisonSettings(EVERY)))) {
      for (int i = 0; i < 2 * EVERY; i++) {
        arrive(learner, sample(i, false));
      }
      assertThat(compared(learner)).isNotNull();
      learner.learner().beforeCheckpoint();
      try (VirtualTimeLearner without =
          VirtualTimeLearner.of(
              settings(false, ComparisonSettings.NONE),
              VersionComparisonLearnerTest::noTrainer,
              Dl4jModel::load)) {
        without.state = learner.state;
        without.open();
        assertThat(compared(without)).isNull();
        without.learner().beforeCheckpoint();
        assertThat(without.written().get(Slot.COMPARED_VERSIONS)).isNull();
        assertThat(without.written().get(Slot.COMPARISON)).isNull();
      }
    }
  }

  private static Trainer noTrainer() {
    throw new IllegalStateException("nothing trains");
  }
}
