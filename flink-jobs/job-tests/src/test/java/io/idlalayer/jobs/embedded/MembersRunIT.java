package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run whose network has several members: it learns, publishes, is served, exported and goes on.
 */
final class MembersRunIT {
  private static final long EVENTS = 3_000;

  @TempDir Path folder;

  private ApplicationSettings demo(String model) throws Exception {
    Path file = folder.resolve("demo.yaml");
    ApplicationFiles.demo(file, "\npublishing: {onnx: true}\n");
    String text = Files.readString(file);
    assertThat(text).contains("hidden: [32, 16]");
    return ApplicationFiles.read(file, text.replace("hidden: [32, 16]", model));
  }

  private static InputPlan input(ApplicationSettings demo, long events) {
    return new InputPlan(demo, "test", () -> new DriftingStream(3, events), Long.MAX_VALUE, 1_750);
  }

  @Test
  void run_severalMembers_learnsPublishesServesAndContinues() throws Exception {
    ApplicationSettings demo = demo("hidden: [8]\n  members: 4");
    Path work = folder.resolve("work");
    RunOutcome first =
        new EmbeddedRun(
                new EmbeddedRun.Plan(List.of(demo), work, null, input(demo, EVENTS)),
                new FakeMonitor())
            .run(() -> false);
    assertThat(first.finished()).isTrue();
    Status before = first.view().learners().get(0).status();
    assertThat(before.prequential().scored()).isPositive();
    assertServed(work, before.modelVersion());

    RunOutcome second =
        new EmbeddedRun(
                new EmbeddedRun.Plan(List.of(demo), work, null, input(demo, 2 * EVENTS)),
                new FakeMonitor())
            .run(() -> false);
    Status after = second.view().learners().get(0).status();
    assertThat(after.samples().received()).isEqualTo(2 * EVENTS);
    assertThat(after.trainedNewSamples()).isGreaterThan(before.trainedNewSamples());
    assertServed(work, after.modelVersion());

    ApplicationSettings fewer = demo("hidden: [8]\n  members: 3");
    EmbeddedRun.Plan changed =
        new EmbeddedRun.Plan(List.of(fewer), work, null, input(fewer, EVENTS));
    assertThatThrownBy(() -> new EmbeddedRun(changed, new FakeMonitor()).run(() -> false))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("model.members: 4 before, 3 now");
  }

  /** What is served in plain Java is what Deeplearning4j predicts, and can be exported. */
  private static void assertServed(Path work, long version) throws Exception {
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    ModelCheckpoint checkpoint = store.read("demo", 0, version);
    SortedMap<String, byte[]> files = store.load(checkpoint);
    assertThat(files.get(OnnxModel.FILE)).isEqualTo(OnnxModel.of(new ModelArtifact(files), "demo"));
    FeatureScaler scaler = FeatureScaler.decode(files.get(ModelArtifact.SCALER_FILE));
    assertThat(scaler.bins()).isEqualTo(8);
    SplittableRandom random = new SplittableRandom(version);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      double[] values = random.doubles(DriftingStream.FEATURES, -2, 2).toArray();
      samples.add(Sample.of(values, Sample.NO_LABEL));
    }
    PlainModel plain = new PlainModelLoader().load(store, checkpoint);
    double[][] found = plain.predict(samples);
    try (Dl4jModel library = new Dl4jModelLoader().load(store, checkpoint)) {
      double[][] expected = library.predict(samples);
      for (int i = 0; i < expected.length; i++) {
        assertThat(found[i]).containsExactly(expected[i], within(1e-6));
        assertThat(found[i][0] + found[i][1]).isCloseTo(1, within(1e-6));
      }
    }
  }
}
