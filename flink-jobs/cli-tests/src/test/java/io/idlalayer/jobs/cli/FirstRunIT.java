package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first run of the launcher, of whose classes it makes an archive. */
final class FirstRunIT {
  private static final int SECONDS = 240;

  /** The jars that the launcher runs. */
  private static final Path JARS = Path.of("../cli/target/lib").toAbsolutePath().normalize();

  private static final Path LAUNCHER = Path.of("../../idla").toAbsolutePath().normalize();

  @TempDir Path folder;

  private Path root;

  /** The folder of an archive of a release. */
  @BeforeEach
  void install() throws IOException {
    root = Files.createDirectory(folder.resolve("a release"));
    Files.copy(LAUNCHER, root.resolve("idla"));
    Files.createSymbolicLink(root.resolve("lib"), JARS);
    Files.createDirectory(root.resolve("lib-console"));
    // Other tests have the processors, so a process with a low priority might take minutes.
    Path nice = Files.createDirectory(folder.resolve("bin")).resolve("nice");
    Files.writeString(nice, "#!/bin/bash\nshift 2\nexec \"$@\"\n");
    assertThat(nice.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void saveClasses_listOfAStart_nextStartUsesTheArchive() throws Exception {
    Path state = Files.createDirectory(root.resolve(".idla"));
    // No process has this number.
    Path list = state.resolve("app-list.999999999.classes");
    run("help", java("-XX:DumpLoadedClassList=" + list, "run", "--help"));
    assertThat(list).isNotEmptyFile();

    run("save", List.of("bash", root.resolve("idla").toString(), "save-classes", list.toString()));

    assertThat(list).doesNotExist();
    try (Stream<Path> files = Files.list(state)) {
      List<Path> left = files.toList();
      assertThat(left).hasSize(1);
      assertThat(left.get(0).getFileName().toString()).matches("app-\\d+-\\d+\\.jsa");
      // With this option Java ends if it cannot use the archive.
      run("again", java("-Xshare:on", "-XX:SharedArchiveFile=" + left.get(0), "run", "--help"));
    }
  }

  private List<String> java(String... arguments) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    int options = arguments.length - 2;
    return Stream.of(
            Stream.of(java.toString()),
            Stream.of(arguments).limit(options),
            Stream.of("-cp", root.resolve("lib") + "/*", "io.idlalayer.jobs.cli.Idla"),
            Stream.of(arguments).skip(options))
        .flatMap(part -> part)
        .toList();
  }

  private void run(String name, List<String> command) throws Exception {
    Path log = folder.resolve(name + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    Process process = builder.start();
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    assertThat(ended).as("ended in time: " + Files.readString(log)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
  }
}
