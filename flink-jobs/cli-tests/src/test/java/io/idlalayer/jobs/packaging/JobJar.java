package io.idlalayer.jobs.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The jars of the module job-jar, which this build has made before these tests. */
final class JobJar {
  private static final Path TARGET =
      Path.of("..", "job-jar", "target").toAbsolutePath().normalize();

  private JobJar() {}

  /** The job with all its libraries. */
  static Path whole() throws IOException {
    return find("idlalayer-job-(?!.*-submit\\.jar).*\\.jar");
  }

  /** Names the main class and holds nothing. */
  static Path submit() throws IOException {
    return find("idlalayer-job-.*-submit\\.jar");
  }

  private static Path find(String pattern) throws IOException {
    try (Stream<Path> files = Files.list(TARGET)) {
      return files
          .filter(file -> file.getFileName().toString().matches(pattern))
          .findAny()
          .orElseThrow(
              () ->
                  new AssertionError(
                      TARGET + " has no job jar: mvn package -pl flink-jobs/job-jar -am"));
    }
  }
}
