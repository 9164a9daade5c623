package io.idlalayer.jobs.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.recovery.RunFolder;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.checkpoint.ModelDraft;
import io.idlalayer.middleware.checkpoint.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobStartTest {
  @TempDir Path folder;
  private Path work;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void make() throws IOException {
    work = Files.createDirectories(folder.resolve("work"));
  }

  private ApplicationSettings application(String extra) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(file, "name: demo\ninput: {features: [a], label: y, classes: 2}\n" + extra);
    return ApplicationFileReader.read(file, name -> null);
  }

  private JobStart start(StartOver over, ApplicationSettings application) throws Exception {
    return JobStart.prepare(request(work, over, application), said::add);
  }

  private static JobStart.Request request(
      Path work, StartOver over, ApplicationSettings application) throws IOException {
    return new JobStart.Request(
        List.of(application),
        new JobLocations("none:1", work, "group"),
        WorkIdentity.open(work),
        JobStart.Place.EMBEDDED,
        over);
  }

  private void publish() throws IOException {
    new ModelStore(work.resolve("models"), InstantSource.system())
        .claim("demo", 0)
        .publish(
            new ModelDraft(
                "demo",
                0,
                1,
                0,
                "",
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>()));
  }

  @Test
  void prepare_firstStart_beginsFromNothing() throws Exception {
    try (JobStart start = start(StartOver.NO, application(""))) {
      assertThat(start.from()).isNull();
      assertThat(start.configuration().getOptional(StateRecoveryOptions.SAVEPOINT_PATH)).isEmpty();
      assertThat(start.configuration().get(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS))
          .isEqualTo(3);
      assertThat(start.configuration().get(CheckpointingOptions.CHECKPOINTS_DIRECTORY))
          .matches("idla://w[0-9a-f]{32}/checkpoints/demo/run-000001");
    }
  }

  @Test
  void prepare_runEndedBeforeItsFirstCheckpoint_beginsAgain() throws Exception {
    start(StartOver.NO, application("")).close();
    publish();
    try (JobStart again = start(StartOver.NO, application(""))) {
      assertThat(again.runFolder().getFileName()).hasToString("run-000002");
    }
  }

  @Test
  void prepare_modelsWithoutState_isRefusedUnlessToldToStartOver() throws Exception {
    publish();
    assertThatThrownBy(() -> start(StartOver.NO, application("")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("demo has published models up to version 1")
        .hasMessageContaining("no checkpoint or savepoint of it is there")
        .hasMessageContaining("--start-over");
    try (JobStart anew = start(StartOver.NOW, application(""))) {
      assertThat(anew.from()).isNull();
      assertThat(said).anyMatch(text -> text.startsWith("starting over"));
    }
  }

  @Test
  void prepare_startOverOnce_hasNoEffectASecondTime() throws Exception {
    publish();
    start(StartOver.once("monday"), application("")).close();
    said.clear();
    start(StartOver.once("monday"), application("")).close();
    assertThat(said).isEmpty();
    start(StartOver.once("tuesday"), application("")).close();
    assertThat(said).hasSize(1);
  }

  @Test
  void prepare_slowDirectory_foldersOfOthersSurvive() throws Exception {
    Path slow = Files.createDirectories(folder.resolve("slow"));
    Path foreign = Files.createDirectories(slow.resolve("job_payroll"));
    Files.writeString(foreign.resolve("salaries"), "theirs");
    ApplicationSettings application = application("memory: {slow-directory: " + slow + "}\n");
    Path live;
    try (JobStart first = start(StartOver.NO, application)) {
      live = Path.of(first.configuration().toMap().get("state.backend.rocksdb.localdir"));
      assertThat(live.getParent()).isEqualTo(slow);
      Files.createDirectories(live.resolve("job_1_op_2"));
      Path other = Files.createDirectories(folder.resolve("work2"));
      try (JobStart second =
          JobStart.prepare(request(other, StartOver.NO, application), said::add)) {
        assertThat(second.configuration().toMap().get("state.backend.rocksdb.localdir"))
            .isNotEqualTo(live.toString());
        assertThat(live.resolve("job_1_op_2")).as("of a run that lives").exists();
      }
    }
    start(StartOver.NO, application).close();
    assertThat(live.resolve("job_1_op_2")).as("of a run that was killed").doesNotExist();
    assertThat(foreign.resolve("salaries")).hasContent("theirs");
  }

  @Test
  void prepare_slowDirectoryThatCannotBeUsed_isRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    ApplicationSettings application = application("memory: {slow-directory: " + file + "}\n");
    assertThatThrownBy(() -> start(StartOver.NO, application))
        .hasMessageStartingWith("memory.slow-directory " + file + " cannot be used");
    assertThat(work.resolve("checkpoints")).as("nothing was begun").doesNotExist();
  }

  @Test
  void prepare_stateFolderOfSomebodyElse_isRefused() throws Exception {
    Path theirs = Files.createDirectories(work.resolve("state").resolve("embedded"));
    Files.writeString(theirs.resolve("notes"), "theirs");
    assertThatThrownBy(() -> start(StartOver.NO, application("")))
        .hasMessageContaining("no mark " + ScratchFolder.MARKER);
    assertThat(theirs.resolve("notes")).exists();
  }

  @Test
  void jobName_manyApplications_staysAFileName() {
    java.util.Set<String> many = new java.util.TreeSet<>();
    for (int i = 0; i < 64; i++) {
      many.add("application-" + i);
    }
    assertThat(RunFolder.jobName(many).length()).isLessThan(100);
  }
}
