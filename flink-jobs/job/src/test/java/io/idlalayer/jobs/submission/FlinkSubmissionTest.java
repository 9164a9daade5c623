package io.idlalayer.jobs.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.lineage.HashKeyNote;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FlinkSubmissionTest {
  @TempDir Path folder;
  private final List<String> said = new ArrayList<>();

  private Path models() {
    return folder.resolve("models");
  }

  private ModelStore store() {
    return new ModelStore(models(), InstantSource.system());
  }

  private ApplicationSettings application(String publishing) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        "name: demo\ninput: {features: [a], label: y, classes: 2}\n" + publishing);
  }

  private FlinkSubmission submit(StartOver over, String... flink) throws Exception {
    Configuration user = new Configuration();
    for (int i = 0; i < flink.length; i += 2) {
      user.setString(flink[i], flink[i + 1]);
    }
    return submit(application("publishing: {directory: " + models() + "}\n"), over, user);
  }

  private FlinkSubmission submit(
      ApplicationSettings application, StartOver over, Configuration flink)
      throws IOException, InterruptedException {
    return FlinkSubmission.prepare(
        new FlinkSubmission.Request(
            List.of(application), "none:1", flink, TaskMemory.ofThisProcess(), over),
        said::add);
  }

  private void publish() throws IOException {
    try (ModelStore store = store()) {
      store
          .claim("demo", 0)
          .publish(Drafts.of("demo", 0, null, new TreeMap<>(), Map.of(), Map.of()));
    }
  }

  private Submissions.Submission noted() throws IOException {
    try (ModelStore store = store()) {
      return Objects.requireNonNull(Submissions.read(store, "demo").newest());
    }
  }

  @Test
  void prepare_noModels_mayBeginFromNothing() throws Exception {
    FlinkSubmission submission = submit(StartOver.NO);
    assertThat(noted().fresh()).isTrue();
    assertThat(submission.configuration().toMap())
        .containsEntry("state.backend.type", "rocksdb")
        .containsEntry("$internal.pipeline.job-id", noted().job())
        .doesNotContainKey("execution.checkpointing.dir");
    assertThat(said).singleElement().asString().contains("execution.checkpointing.dir is not set");
  }

  @Test
  void prepare_eachSubmission_usesOneKeyOfIds() throws Exception {
    submit(StartOver.NO);
    try (ModelStore store = store()) {
      HashKey made = HashKeyNote.open(store, "demo");
      assertThat(made.secret()).isTrue();
      submit(StartOver.NO);
      assertThat(HashKeyNote.open(store, "demo")).isEqualTo(made);
    }
  }

  @Test
  void prepare_damagedKey_isRefusedWithoutItsText() throws Exception {
    Files.createDirectories(models().resolve("demo"));
    Files.writeString(models().resolve("demo/id-key"), "secret", StandardCharsets.US_ASCII);
    assertThatThrownBy(() -> submit(StartOver.NO))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("demo/id-key in " + models())
        .hasMessageNotContaining("secret");
  }

  @Test
  void prepare_modelsWithoutPath_isRefusedWithTheLastJob() throws Exception {
    submit(StartOver.NO);
    String job = noted().job();
    publish();
    assertThatThrownBy(() -> submit(StartOver.NO))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("demo has published models up to version 1")
        .hasMessageContaining("flink run -s PATH")
        .hasMessageContaining("of job " + job)
        .hasMessageContaining("--start-over=WORD");
    assertThat(noted().job()).as("nothing was noted").isEqualTo(job);
  }

  @Test
  void prepare_modelsAndHighAvailability_leavesItToTheLearners() throws Exception {
    publish();
    String job = "0123456789abcdef0123456789abcdef";
    submit(
        StartOver.NO,
        "high-availability.type",
        "zookeeper",
        "high-availability.storageDir",
        folder.toUri().toString(),
        "$internal.pipeline.job-id",
        job);
    assertThat(noted()).isEqualTo(new Submissions.Submission(job, null, false, null, 1, null));
    assertThat(said).anyMatch(text -> text.contains("high availability decides"));
  }

  @Test
  void prepare_sameJobAgainUnderHighAvailability_beginsWhereItBegan() throws Exception {
    String job = "0123456789abcdef0123456789abcdef";
    SortedMap<Integer, Long> offsets = new TreeMap<>(Map.of(0, 7L));
    FirstStart start =
        new FirstStart(
            "latest", new StartPositions(new TreeMap<>(Map.of("demo-samples", offsets))));
    Submissions.Submission first = new Submissions.Submission(job, null, true, null, 0, start);
    try (ModelStore store = store()) {
      Submissions.read(store, "demo").add(store, "demo", first);
    }
    ApplicationSettings latest =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            "name: demo\ninput: {start: latest, features: [a], label: y, classes: 2}\n"
                + "publishing: {directory: %s}\n".formatted(models()));
    Configuration flink = new Configuration();
    flink.setString("high-availability.type", "zookeeper");
    flink.setString("high-availability.storageDir", folder.toUri().toString());
    flink.setString("$internal.pipeline.job-id", job);
    // No broker answers here: the offsets are those of the note.
    submit(latest, StartOver.NO, flink);
    assertThat(said)
        .anyMatch(
            text ->
                text.equals(
                    "demo begins where an earlier run, which had no checkpoint, began (latest):"
                        + " demo-samples-0 from offset 7, unless Flink finds a state of it"));
    assertThat(noted()).isEqualTo(first);
  }

  @Test
  void prepare_startOver_takesEffectOnce() throws Exception {
    publish();
    submit(StartOver.once("monday"));
    assertThat(noted().fresh()).isTrue();
    assertThat(noted().startOver()).isEqualTo("monday");
    publish();
    assertThatThrownBy(() -> submit(StartOver.once("monday")))
        .hasMessageContaining("was told to start this job from nothing");
  }

  @Test
  void prepare_startOverOfAJobThatPublishedNothing_takesEffectAgain() throws Exception {
    publish();
    submit(StartOver.once("monday"));
    String refused = noted().job();
    submit(StartOver.once("monday"));
    assertThat(noted().job()).isNotEqualTo(refused);
    assertThat(noted().fresh()).isTrue();
  }

  @Test
  void prepare_startOverAndPath_isRefused() throws Exception {
    publish();
    assertThatThrownBy(
            () -> submit(StartOver.once("monday"), "execution.state-recovery.path", "file:/none"))
        .hasMessageContaining("leave out one of them");
  }

  @Test
  void prepare_pathWithoutCheckpoint_isRefused() throws Exception {
    assertThatThrownBy(
            () -> submit(StartOver.NO, "execution.state-recovery.path", "file:/none/chk-7"))
        .hasMessageContaining("cannot continue from file:/none/chk-7")
        .hasMessageContaining("nothing is lost");
  }

  @Test
  void prepare_settingsThatCannotWork_areAllRefused() throws Exception {
    Configuration flink = new Configuration();
    flink.setString("state.backend.type", "forst");
    flink.setString("execution.checkpointing.mode", "AT_LEAST_ONCE");
    flink.setString("execution.checkpointing.storage", "jobmanager");
    flink.setString("pipeline.max-parallelism", "7");
    flink.setString("execution.runtime-mode", "BATCH");
    ApplicationSettings application = application("memory: {slow-directory: /slow}\n");
    flink.setString("state.backend.rocksdb.localdir", "/local");
    assertThatThrownBy(() -> submit(application, StartOver.NO, flink))
        .hasMessageContainingAll(
            "publishing.directory is missing",
            "state.backend.type is forst",
            "execution.checkpointing.mode is AT_LEAST_ONCE",
            "execution.checkpointing.storage is jobmanager",
            "pipeline.max-parallelism is 7",
            "execution.runtime-mode is BATCH",
            "memory.slow-directory is");
    assertThat(models()).doesNotExist();
  }

  @Test
  void prepare_settingsOfTheUser_win() throws Exception {
    Map<String, String> added =
        submit(
                StartOver.NO,
                "state.backend.type",
                "hashmap",
                "execution.checkpointing.interval",
                "1min",
                "execution.checkpointing.dir",
                "s3://bucket/checkpoints",
                "restart-strategy.type",
                "exponential-delay",
                "parallelism.default",
                "4")
            .configuration()
            .toMap();
    assertThat(added)
        .doesNotContainKeys(
            "state.backend.type",
            "execution.checkpointing.interval",
            "execution.checkpointing.dir",
            "restart-strategy.type",
            "restart-strategy.fixed-delay.attempts")
        .containsKey("execution.checkpointing.externalized-checkpoint-retention");
    assertThat(said)
        .singleElement()
        .asString()
        .contains("parallelism 4 is more than the 1 learners use");
  }

  @Test
  void prepare_unalignedCheckpoints_areRefusedIfModelsAreMixed() throws Exception {
    Configuration unaligned = new Configuration();
    unaligned.setString("execution.checkpointing.unaligned.enabled", "true");
    String publishing = "publishing: {directory: " + models() + "}\n";
    ApplicationSettings mixed =
        application(publishing + "partitions: 2\nmixing: {action: average}\n");
    assertThatThrownBy(() -> submit(mixed, StartOver.NO, unaligned))
        .hasMessageContaining("execution.checkpointing.unaligned.enabled is true")
        .hasMessageContaining("mixing of models needs aligned");
    assertThat(SubmissionSettings.problems(unaligned, List.of(application(publishing)))).isEmpty();
  }
}
