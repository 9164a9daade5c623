package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The entry point of the containers, with a stand-in for Java that says how it was called. */
final class DockerEntryTest {
  @TempDir Path folder;
  private Path work;
  private Path state;
  private Path temporary;
  private Process holder;

  @BeforeEach
  void make() throws IOException {
    work = folder.resolve("work");
    state = Files.createDirectories(work.resolve("state"));
    temporary = Files.createDirectories(folder.resolve("tmp"));
    Path java = Files.createDirectories(folder.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/bash\nprintf '%s\\n' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  @AfterEach
  void end() {
    if (holder != null) {
      holder.destroyForcibly().onExit().join();
    }
  }

  private Path stateOf(String container) throws IOException {
    Path made = Files.createDirectories(state.resolve(container));
    Files.writeString(made.resolve("sst"), "rows");
    return made;
  }

  private String entry(int expectedExit, String... command) throws Exception {
    return entry(Map.of(), expectedExit, command);
  }

  private String entry(Map<String, String> environment, int expectedExit, String... command)
      throws Exception {
    ProcessBuilder builder = new ProcessBuilder("bash", "../../dev/docker-entry");
    builder.command().addAll(List.of(command));
    builder.environment().put("IDLA_WORK", work.toString());
    builder.environment().put("TMPDIR", temporary.toString());
    builder.environment().putAll(environment);
    builder
        .environment()
        .merge("PATH", folder.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
    Path log = folder.resolve("log");
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(expectedExit);
    return Files.readString(log);
  }

  /** Another process holds the lock on a mark, as a container that runs does. */
  private void hold(Path mark) throws Exception {
    holder =
        new ProcessBuilder("flock", mark.toString(), "-c", "echo held; exec sleep 600")
            .redirectErrorStream(true)
            .start();
    assertThat(holder.inputReader().readLine()).isEqualTo("held");
  }

  @Test
  void taskmanager_stateOfContainersThatAreGone_isDeletedAndNoOther() throws Exception {
    Path gone = stateOf("gone");
    Files.createFile(gone.resolve(".idla-scratch"));
    Path runs = stateOf("runs");
    Path unmarked = stateOf("unmarked");
    hold(Files.createFile(runs.resolve(".idla-scratch")));
    String said = entry(0, "taskmanager");
    assertThat(said).contains("org.apache.flink.runtime.taskexecutor.TaskManagerRunner");
    assertThat(gone).doesNotExist();
    assertThat(runs.resolve("sst")).hasContent("rows");
    assertThat(unmarked.resolve("sst")).hasContent("rows");
    try (Stream<Path> folders = Files.list(state)) {
      Path own =
          folders.filter(it -> !it.equals(runs) && !it.equals(unmarked)).findAny().orElseThrow();
      assertThat(own.resolve(".idla-scratch")).exists();
    }
  }

  @Test
  void taskmanager_anotherOfItsNameRuns_isRefused() throws Exception {
    entry(0, "taskmanager");
    Path own;
    try (Stream<Path> folders = Files.list(state)) {
      own = folders.findAny().orElseThrow();
    }
    Files.writeString(own.resolve("sst"), "live");
    hold(own.resolve(".idla-scratch"));
    assertThat(entry(1, "taskmanager")).contains("is in use by another container of the same name");
    assertThat(own.resolve("sst")).hasContent("live");
  }

  @Test
  void idla_anyCommand_leavesNothingInTheTemporaryFolder() throws Exception {
    assertThat(entry(0, "idla", "models", "list")).contains("io.idlalayer.jobs.cli.Idla", "models");
    assertThat(temporary).isEmptyDirectory();
    entry(0, "broker");
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void highAvailability_withoutItsLibrary_saysHowToAddIt() throws Exception {
    Path lib = Files.createDirectories(folder.resolve("lib"));
    Path additions = Files.createDirectories(folder.resolve("additions"));
    String jar = "flink-shaded-zookeeper-3-1.jar";
    Files.write(lib.resolve(jar), new byte[3_000_000]);
    Map<String, String> keeper =
        Map.of(
            "IDLA_IMAGE_LIB", lib.toString(),
            "IDLA_LIB", additions.toString(),
            "IDLA_FLINK_CONF", "  a.b: c\n  high-availability.type: ZOOKEEPER\n");
    for (String role : List.of("jobmanager", "taskmanager")) {
      assertThat(entry(keeper, 2, role))
          .contains("needs flink-shaded-zookeeper-3", "name it in IDLA_LIB");
    }
    Files.write(additions.resolve(jar), new byte[12_000_000]);
    assertThat(entry(keeper, 0, "taskmanager")).contains("TaskManagerRunner");
    Map<String, String> kubernetes =
        Map.of(
            "IDLA_IMAGE_LIB", lib.toString(), "IDLA_FLINK_CONF", "high-availability: 'kubernetes'");
    assertThat(entry(kubernetes, 2, "jobmanager")).contains("needs flink-kubernetes");
    assertThat(
            entry(
                Map.of(
                    "IDLA_IMAGE_LIB",
                    lib.toString(),
                    "IDLA_FLINK_CONF",
                    "high-availability.type: NONE"),
                0,
                "taskmanager"))
        .contains("TaskManagerRunner");
  }

  @Test
  void libFolder_ofAnotherPlatform_isRefused() throws Exception {
    Path lib = Files.createDirectories(folder.resolve("lib"));
    Map<String, String> image = Map.of("IDLA_IMAGE_LIB", lib.toString());
    Path uname = folder.resolve("bin").resolve("uname");
    Files.writeString(uname, "#!/bin/bash\necho aarch64\n");
    assertThat(uname.toFile().setExecutable(true)).isTrue();
    Path platform = lib.resolve("platform");
    Files.writeString(platform, "linux-x86_64\n");
    assertThat(entry(image, 2, "idla", "--help"))
        .contains("is for linux-x86_64, and this container's processor is aarch64");
    for (String fits : List.of("linux-arm64\n", "any\n")) {
      Files.writeString(platform, fits);
      assertThat(entry(image, 0, "idla", "--help")).contains("io.idlalayer.jobs.cli.Idla");
    }
  }

  @Test
  void unknownRole_isRefused() throws Exception {
    assertThat(entry(2, "worker")).contains("unknown role worker");
  }
}
