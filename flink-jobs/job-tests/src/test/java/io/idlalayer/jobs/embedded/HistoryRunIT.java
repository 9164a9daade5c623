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
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.ContextEvaluation;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.ServingHistories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run with a history of keys: it learns, is tested and served with and without it, goes on. */
final class HistoryRunIT {
  private static final long EVENTS = 3_000;

  @TempDir Path folder;

  private ApplicationSettings demo(int labels) throws Exception {
    Path file = folder.resolve("demo.yaml");
    ApplicationFiles.demo(
        file, "\npublishing: {onnx: true}\nhistory: {labels: %d}\n".formatted(labels));
    return ApplicationFiles.read(file, Files.readString(file));
  }

  private static InputPlan input(ApplicationSettings demo, long events) {
    return new InputPlan(demo, "test", () -> new DriftingStream(3, events), Long.MAX_VALUE, 1_750);
  }

  @Test
  void run_withAHistory_learnsPublishesServesAndContinues() throws Exception {
    ApplicationSettings demo = demo(2);
    Path work = folder.resolve("work");
    Status before = run(demo, work, EVENTS);
    assertThat(before.prequential().scored()).isPositive();
    assertThat(before.history().keys()).isEqualTo(1);
    double without = before.history().classification().accuracy();
    assertThat(without).isBetween(0.1, 1.0);
    assertThat(without).isNotEqualTo(before.prequential().classification().accuracy());
    assertServed(work, before.modelVersion());

    Status after = run(demo, work, 2 * EVENTS);
    assertThat(after.samples().received()).isEqualTo(2 * EVENTS);
    assertThat(after.trainedNewSamples()).isGreaterThan(before.trainedNewSamples());
    assertThat(after.history().keys()).isEqualTo(1);
    assertServed(work, after.modelVersion());

    ApplicationSettings fewer = demo(1);
    EmbeddedRun.Plan changed =
        new EmbeddedRun.Plan(List.of(fewer), work, null, input(fewer, EVENTS));
    assertThatThrownBy(() -> new EmbeddedRun(changed, new FakeMonitor()).run(() -> false))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("history.labels: 2 before, 1 now");
  }

  private static Status run(ApplicationSettings demo, Path work, long events) throws Exception {
    RunOutcome outcome =
        new EmbeddedRun(
                new EmbeddedRun.Plan(List.of(demo), work, null, input(demo, events)),
                new FakeMonitor())
            .run(() -> false);
    assertThat(outcome.finished()).isTrue();
    return outcome.view().learners().get(0).status();
  }

  /** An evaluation in context is one of what a serving process predicts. */
  private static void assertEvaluated(Dl4jModel model, List<Sample> events) {
    ServingHistories histories = new ServingHistories(model.spec());
    ContextEvaluation evaluation = new ContextEvaluation(model, model.spec());
    double loss = 0;
    for (int i = 0; i < events.size(); i++) {
      int label = i % 3 == 0 ? 1 : 0;
      Sample event = Sample.of(events.get(i).dense(), label);
      loss -= Math.log(model.predict(List.of(histories.arrived(event)))[0][label]);
      evaluation.add(event);
    }
    assertThat(evaluation.result().samples()).isEqualTo(events.size());
    assertThat(evaluation.result().meanLoss()).isCloseTo(loss / events.size(), within(1e-6));
  }

  /** Plain Java and Deeplearning4j agree, with context and without. */
  private static void assertServed(Path work, long version) throws Exception {
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    ModelCheckpoint checkpoint = store.read("demo", 0, version);
    SortedMap<String, byte[]> files = store.load(checkpoint);
    assertThat(files.get(OnnxModel.FILE)).isEqualTo(OnnxModel.of(new ModelArtifact(files), "demo"));
    PlainModel plain = new PlainModelLoader().load(store, checkpoint);
    ServingHistories histories = new ServingHistories(plain.spec());
    SplittableRandom random = new SplittableRandom(version);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      double[] values = random.doubles(DriftingStream.FEATURES, -2, 2).toArray();
      Sample event = histories.arrived("any", Sample.of(values, Sample.NO_LABEL));
      samples.add(event);
      samples.add(event.withContext(KeyContext.NONE));
      histories.label(event, random.nextInt(2));
    }
    double[][] found = plain.predict(samples);
    assertThat(found[98]).isNotEqualTo(found[99]);
    try (Dl4jModel library = new Dl4jModelLoader().load(store, checkpoint)) {
      assertEvaluated(library, samples);
      double[][] expected = library.predict(samples);
      for (int i = 0; i < expected.length; i++) {
        assertThat(found[i]).containsExactly(expected[i], within(1e-6));
        assertThat(found[i][0] + found[i][1]).isCloseTo(1, within(1e-6));
      }
    }
  }
}
