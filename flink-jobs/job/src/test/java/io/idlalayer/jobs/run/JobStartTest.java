package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.recovery.RunFolder;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class JobStartTest {
  @TempDir Path folder;
  private Path work;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void make() throws IOException {
    work = Files.createDirectories(folder.resolve("work"));
  }

  private ApplicationSettings application(String extra) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        "name: demo\ninput: {features: [a], label: y, classes: 2}\n" + extra);
  }

  private JobStart start(StartOver over, ApplicationSettings application) throws Exception {
    return JobStart.prepare(request(work, over, application), said::add);
  }

  private static JobStart.Request request(
      Path work, StartOver over, ApplicationSettings application) throws IOException {
    return new JobStart.Request(
        List.of(application),
        "none:1",
        WorkIdentity.open(work),
        JobStart.Place.EMBEDDED,
        TaskMemory.ofThisProcess(),
        over);
  }

  private void publish() throws IOException {
    publish(null);
  }

  private void publish(@Nullable String settings) throws IOException {
    TreeMap<String, String> attributes = new TreeMap<>();
    if (settings != null) {
      attributes.put(SettingsIdentity.ATTRIBUTE, settings);
    }
    new ModelStore(work.resolve("models"), InstantSource.system())
        .claim("demo", 0)
        .publish(Drafts.of("demo", 0, null, attributes, Map.of(), Map.of()));
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
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("warning: demo has published models up to version 1")
        .contains("killed before its first checkpoint", "'branch'");
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

  private JobStart.Request request(JobStart.Place place, TaskMemory memory, String extra)
      throws Exception {
    return new JobStart.Request(
        List.of(application(extra)),
        "none:1",
        WorkIdentity.open(work),
        place,
        memory,
        StartOver.NO);
  }

  @ParameterizedTest
  @EnumSource(JobStart.Place.class)
  void prepare_slowDirectory_isInTheJobsConfigurationWhereverItRuns(JobStart.Place place)
      throws Exception {
    Path slow = Files.createDirectories(folder.resolve("slow"));
    JobStart.Request request =
        request(place, TaskMemory.ofThisProcess(), "memory: {slow-directory: " + slow + "}\n");
    try (JobStart start = JobStart.prepare(request, said::add)) {
      assertThat(Path.of(start.configuration().toMap().get("state.backend.rocksdb.localdir")))
          .hasParent(slow);
    }
  }

  @ParameterizedTest
  @EnumSource(JobStart.Place.class)
  void prepare_moreThanTheTaskProcessesHold_isRefusedWhereverTheJobRuns(JobStart.Place place)
      throws Exception {
    TaskMemory little =
        new TaskMemory(100 << 20, 200 << 20, 1, new TaskMemory.Settings("HEAP=%dm", "DIRECT=%dm"));
    JobStart.Request request =
        request(place, little, "memory: {tensors: {fast-bytes: 1GiB, slow-bytes: 1MiB}}\n");
    assertThatThrownBy(() -> JobStart.prepare(request, said::add))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("selection.max-samples of all learners need")
        .hasMessageContaining("memory.lend-bytes of all applications need 1,073,741,824")
        .hasMessageContainingAll("set HEAP=", "set DIRECT=");
    assertThat(work.resolve("checkpoints")).as("nothing was begun").doesNotExist();
  }

  /** Other processes may see other files, and have other heaps for them. */
  @ParameterizedTest
  @EnumSource(JobStart.Place.class)
  void prepare_startingNetworkIsMissing_isRefusedUnlessOthersReadIt(JobStart.Place place)
      throws Exception {
    Path missing = folder.resolve("missing.onnx");
    JobStart.Request request =
        request(
            place,
            TaskMemory.ofThisProcess(),
            "model: {hidden: [4], members: 1, start: " + missing + "}\n");
    if (place != JobStart.Place.EMBEDDED) {
      JobStart.prepare(request, said::add).close();
    } else {
      assertThatThrownBy(() -> JobStart.prepare(request, said::add))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("demo cannot begin with 'model.start': ")
          .hasMessageContaining(missing.toString());
      assertThat(work.resolve("checkpoints")).doesNotExist();
    }
  }

  @Test
  void prepare_settingsOtherThanThePublishedOnes_areRefused() throws Exception {
    publish(SettingsIdentity.of(application("")).json());
    start(StartOver.NOW, application("")).close();
    assertThatThrownBy(() -> start(StartOver.NO, application("partitions: 2\n")))
        .isInstanceOf(SettingsChangedException.class)
        .hasMessageContaining("partitions: 1 before, 2 now");
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
        .hasMessageContaining("not the marker " + ScratchFolder.MARKER);
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
