package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Equal inputs lead to equal decisions, stages and trainings in every build. {@code
 * -Didlalayer.recordings=FOLDER} writes a learner's output on real streams with real networks to
 * text files, in order to compare two builds.
 */
final class LearnerRecordingTest {
  private static final String RECORDINGS = "idlalayer.recordings";
  private static final long SEED = 42;

  /** Digest of the demo stream with a logistic regression, as last recorded. */
  private static final String DEMO_DIGEST =
      "7428a6c9c73100ac0d093c810f9f68033d2c0fd23d358decbbed42a6c14eb93f";

  @TempDir Path folder;

  private static List<byte[]> demo(int events) {
    DriftingStream stream = new DriftingStream(SEED, events);
    List<byte[]> all = new ArrayList<>();
    while (stream.next()) {
      all.add(stream.record());
    }
    return all;
  }

  private ApplicationSettings demo() throws Exception {
    Path file = folder.resolve("demo.yaml");
    try (InputStream in = getClass().getResourceAsStream("/demo.yaml")) {
      Files.write(file, in.readAllBytes());
    }
    return ApplicationFileReader.read(file, name -> null);
  }

  private static LearnerRecording played(LearnerRecording recording, List<byte[]> events)
      throws Exception {
    try (recording) {
      for (int i = 0; i < events.size(); i++) {
        recording.event(events.get(i), i % 3 == 0 ? 1 : 0);
        if (i == events.size() / 3 || i == events.size() / 2) {
          recording.crash();
        }
      }
      recording.end();
      return recording;
    }
  }

  @Test
  void demoStream_decidesAsItDidBefore() throws Exception {
    LearnerRecording recording =
        played(
            new LearnerRecording(demo(), FakeLogisticTrainer::new, FakeLogisticTrainer.Model::new),
            demo(12_000));
    assertThat(recording.digest()).isEqualTo(DEMO_DIGEST);
  }

  @Test
  @EnabledIfSystemProperty(named = RECORDINGS, matches = ".+")
  void realNetworks_areWrittenDown() throws Exception {
    Path target = Path.of(System.getProperty(RECORDINGS));
    Files.createDirectories(target);
    write(
        target.resolve("demo-logistic.txt"),
        new LearnerRecording(demo(), FakeLogisticTrainer::new, FakeLogisticTrainer.Model::new),
        demo(12_000));
    write(
        target.resolve("demo-logistic-2.txt"),
        new LearnerRecording(demo(), FakeLogisticTrainer::new, FakeLogisticTrainer.Model::new),
        demo(12_000));
    if (System.getProperty("idlalayer.electricity") == null) {
      return;
    }
    write(target.resolve("demo.txt"), real(demo()), demo(8_000));
    ApplicationSettings electricity =
        ApplicationFileReader.read(Path.of("../../examples/electricity.yaml"), name -> null);
    List<byte[]> rows = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(
                    Files.newInputStream(Path.of(System.getProperty("idlalayer.electricity")))),
                StandardCharsets.UTF_8))) {
      in.readLine();
      for (String line = in.readLine();
          line != null && rows.size() < 20_000;
          line = in.readLine()) {
        rows.add(line.getBytes(StandardCharsets.UTF_8));
      }
    }
    write(target.resolve("electricity.txt"), real(electricity), rows);
  }

  private static LearnerRecording real(ApplicationSettings settings) throws Exception {
    return new LearnerRecording(
        settings,
        () ->
            EngineChoice.of(EngineName.DEEPLEARNING4J, settings.model(), null)
                .trainer(settings.name(), settings.data().needsHeldOutModel()),
        Dl4jModel::load);
  }

  private static void write(Path file, LearnerRecording recording, List<byte[]> events)
      throws Exception {
    Files.writeString(file, played(recording, events).text());
  }
}
