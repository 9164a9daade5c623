package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first run of the launcher, at whose end the JVM archives its classes. */
final class FirstRunIT {
  private static final int SECONDS = 120;

  /** The jars that the launcher runs. */
  private static final Path JARS = Path.of("../cli/target/lib").toAbsolutePath().normalize();

  @TempDir Path folder;

  /** Two equal lambdas of an interface from an old class file would crash Java 17 (JDK-8274944). */
  @Test
  void run_archivesItsClasses_endsWell() throws Exception {
    Path log = folder.resolve("log");
    Path archive = folder.resolve("app.jsa");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:ArchiveClassesAtExit=" + archive,
                "-cp",
                JARS + "/*",
                "io.idlalayer.jobs.cli.Idla",
                "run",
                "--help")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    assertThat(ended).as("ended in time").isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    assertThat(archive).isNotEmptyFile();
  }
}
