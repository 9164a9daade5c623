package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.produce.TopicPatterns;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Runs applications in this process, with an embedded Flink and, unless Kafka servers are named, an
 * embedded broker.
 */
@Command(
    name = "run",
    description = {
      "Learns from a stream and publishes models, in one process.",
      "With --input, the command sends the file to the application's topic and ends when"
          + " everything is learned and published. Without --input, it runs until Ctrl-C.",
      "A run with the same --work-dir continues where the last one ended, also after a"
          + " crash or after the directory was moved. Ctrl-C ends the run cleanly, with a"
          + " savepoint; a second Ctrl-C ends it at once."
    })
final class RunCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin InputOptions input;
  @Mixin StartOptions start;
  @Mixin FlinkOptions flink;
  @Mixin ConsoleOptions console;
  @Mixin RunSession.OutputOptions written;
  @Mixin LossOptions losses;

  @Parameters(arity = "1..*", paramLabel = "APP.yaml", description = "Application files.")
  List<Path> files;

  @Option(
      names = "--predictions",
      paramLabel = "FILE",
      description = {
        "Where to write what was predicted for each labelled event before it was trained:",
        "CSV, or one JSON object a line if FILE ends with .jsonl or .json."
      })
  @Nullable Path predictions;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Work directory (default: idla-work/<application>).")
  @Nullable Path workDirectory;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Kafka to use instead of an embedded broker.")
  @Nullable String servers;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<ApplicationSettings> applications =
        topics(Applications.readToRun(files, new TrainingChecks()));
    Path work =
        workDirectory == null ? Path.of("idla-work", applications.get(0).name()) : workDirectory;
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(
            applications,
            work,
            servers,
            input.plan(applications),
            start.startOver(),
            start.stopLimit(),
            flink.settings,
            start.unsaved(),
            predictions == null ? null : predictions.toAbsolutePath().normalize());
    return new RunSession(
            spec.commandLine().getOut(), written, console.process(), losses.allowedShare)
        .run(plan, files);
  }

  /** Returns the applications with the topics that their patterns match, and prints those. */
  private List<ApplicationSettings> topics(List<ApplicationSettings> read)
      throws IOException, InterruptedException {
    if (servers == null) {
      for (ApplicationSettings each : read) {
        if (each.input().topicPattern() != null) {
          throw new UsageException(
              "%s has input.topic-pattern, and an embedded broker has no topics that could match: name Kafka by --bootstrap-servers, or a topic by input.topic"
                  .formatted(each.name()));
        }
      }
      return read;
    }
    TopicPatterns found = TopicPatterns.find(read, servers);
    found.sentences().forEach(spec.commandLine().getOut()::println);
    return found.applications();
  }
}
