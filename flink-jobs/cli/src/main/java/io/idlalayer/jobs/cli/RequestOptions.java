package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.produce.TopicPatterns;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Parameters that name an application and the Kafka servers through which a command reaches it. */
final class RequestOptions {
  @Parameters(index = "0", paramLabel = "APP.yaml", description = "Application file.")
  Path file;

  @Option(
      names = "--bootstrap-servers",
      required = true,
      paramLabel = "HOST:PORT,...",
      description = "Kafka servers.")
  String servers;

  /**
   * Reads the application file.
   *
   * @throws UsageException with all problems of the file
   */
  ApplicationSettings read() {
    return Applications.read(List.of(file)).get(0);
  }

  /**
   * Reads the application file, and finds the topics of its pattern if it has one.
   *
   * @throws UsageException with all problems of the file
   * @throws IOException if no topic matches, or the broker does not answer
   */
  ApplicationSettings application() throws IOException, InterruptedException {
    return TopicPatterns.find(List.of(read()), servers).applications().get(0);
  }
}
