package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner that begins with a trained network in a file. */
final class StartedLearnerTest {
  private static final int EVERY = 200;

  @TempDir Path folder;

  private static ApplicationSettings settings(@Nullable Path start) {
    ApplicationSettings plain =
        LearnerSettings.learning(
            LearnerSimulation.settings(
                UpdateSettings.of(RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(EVERY)),
                DataSettings.defaults()),
            new SampleSchema(
                List.of(),
                List.of(new SampleSchema.DenseFeature("x", 2, 1)),
                List.of(),
                new SampleSchema.Label(
                    "label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
                null),
            new ModelSpec.Network.Mlp(List.of(16)),
            new ModelSpec.Fit(16, 3, ModelSpec.Updater.ADAM, 0.01, 0));
    return start == null ? plain : plain.startingWith(start.toString());
  }

  private static VirtualTimeLearner learner(ApplicationSettings settings) {
    return VirtualTimeLearner.of(
        settings,
        () ->
            EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new)
                .trainer(settings.name(), false),
        Dl4jModel::load);
  }

  /** Numbers that are far from 0; the label is on which side of a line they lie. */
  private static Sample sample(int number) {
    SplittableRandom random = new SplittableRandom(number);
    double[] x = {500 + 30 * random.nextDouble(-1, 1), random.nextDouble(-1, 1)};
    return new Sample("s" + number, x, new int[0], (x[0] - 500) / 30 + x[1] > 0 ? 1 : 0);
  }

  private static void arrive(VirtualTimeLearner learner, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      Sample sample = sample(i);
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(1);
    }
  }

  /** The status after a while in which nothing arrives. */
  private static Status status(VirtualTimeLearner learner) throws Exception {
    learner.pass(5_000);
    return learner.last().status();
  }

  private static double accuracy(Status status) {
    return Objects.requireNonNull(status.prequential().classification()).accuracy();
  }

  /** The model of another learner of these events, as ONNX. */
  private Path onnx() throws Exception {
    try (VirtualTimeLearner other = learner(settings(null)).open()) {
      arrive(other, 10_000, 13_000);
      ModelArtifact model = Objects.requireNonNull(other.model());
      return Files.write(folder.resolve("net.onnx"), OnnxModel.of(model, "other"));
    }
  }

  @Test
  void start_withAFile_isBetterFromTheFirstEvent() throws Exception {
    Path file = onnx();
    FakeModels published = new FakeModels();
    try (VirtualTimeLearner begun = learner(settings(file)).published(published).open();
        VirtualTimeLearner fresh = learner(settings(null)).open()) {
      assertThat(begun.said(DecisionEvent.Type.INPUT))
          .first()
          .extracting(DecisionEvent::message)
          .asString()
          .startsWith("begins with net.onnx (SHA-256 ")
          .endsWith("2 inputs, dense 16 relu, output 2 softmax");
      arrive(begun, 0, EVERY - 1);
      arrive(fresh, 0, EVERY - 1);
      assertThat(status(begun).modelVersion()).isZero();
      assertThat(begun.last().status().prequential().scored()).isGreaterThan(100);
      assertThat(accuracy(begun.last().status())).isGreaterThan(0.95);
      assertThat(status(fresh).prequential().scored()).isZero();

      arrive(begun, EVERY, 2 * EVERY);
      arrive(fresh, EVERY, 2 * EVERY);
      assertThat(accuracy(status(begun)))
          .isGreaterThan(0.95)
          .isGreaterThan(accuracy(status(fresh)));
      FakeModels.Version first = published.version(1);
      assertThat(first.manifest().parentVersion()).isZero();
      assertThat(first.manifest().attributes())
          .containsEntry(VersionDrafts.START, "net.onnx")
          .containsEntry(VersionDrafts.START_DIGEST, digest(first.files().get("start.json")));
    }
  }

  private static String digest(byte[] start) throws Exception {
    return ModelStart.decode(start).sha256();
  }

  @Test
  void restart_beforeTheFirstUpdate_needsNoFile() throws Exception {
    Path file = onnx();
    try (VirtualTimeLearner begun = learner(settings(file)).open()) {
      arrive(begun, 0, 50);
      Files.delete(file);
      begun.restart();
      arrive(begun, 50, EVERY + 50);
      ModelArtifact model = Objects.requireNonNull(begun.model());
      assertThat(model.files()).containsKey(ModelArtifact.START_FILE);
      assertThat(begun.written().get(Slot.START)).isNull();
      assertThat(accuracy(status(begun))).isGreaterThan(0.95);

      begun.restart();
      arrive(begun, EVERY + 50, 3 * EVERY);
      assertThat(Objects.requireNonNull(begun.model()).files())
          .containsKey(ModelArtifact.START_FILE);
      assertThat(begun.said(DecisionEvent.Type.INPUT)).hasSize(1);
    }
  }

  @Test
  void restart_withAChangedFile_saysSoAndGoesOn() throws Exception {
    Path file = onnx();
    try (VirtualTimeLearner begun = learner(settings(file)).open()) {
      arrive(begun, 0, 2 * EVERY);
      Files.write(file, new byte[] {1, 2, 3});
      begun.restart();
      assertThat(begun.said(DecisionEvent.Type.INPUT))
          .last()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("net.onnx has changed since the application began with it")
          .contains("is not read again");
      arrive(begun, 2 * EVERY, 4 * EVERY);
      assertThat(accuracy(status(begun))).isGreaterThan(0.95);
    }
  }

  @Test
  void open_withoutTheFile_isRefusedWhileThereIsNoModel() {
    Path gone = folder.resolve("gone.onnx");
    assertThatThrownBy(() -> learner(settings(gone)).open())
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("application app cannot begin with 'model.start'")
        .hasMessageContaining("gone.onnx does not exist");
  }
}
