package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.recovery.Durable;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.recovery.WorkDirectory;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Demonstrates the product for about a minute: a broker, a Flink job and a built-in stream of
 * events in one process.
 */
@Command(
    name = "demo",
    description = {
      "Learns for about a minute from a built-in stream that drifts, with an embedded Kafka"
          + " broker and an embedded Flink job. Updates a model in Deeplearning4j's format"
          + " whenever waiting costs more than training, and publishes each version for 'idla models'.",
      "Ends by itself."
    })
final class DemoCommand implements Callable<Integer> {
  private static final String PREFIX = "idla-demo-";
  private static final String APPLICATION_FILE = "demo.yaml";
  private static final long SEED = 7;
  private static final int EVENTS_PER_SECOND = 600;

  /** Allowed share of malformed events: the built-in stream has a few. */
  private static final double MALFORMED = 0.01;

  @Spec CommandSpec spec;
  @Mixin FlinkOptions flink;
  @Mixin ConsoleOptions console;
  @Mixin RunSession.OutputOptions written;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Seconds during which events are sent (default: ${DEFAULT-VALUE}).",
      defaultValue = "45")
  int seconds;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Work directory (default: a temporary folder, which the next demo deletes).")
  @Nullable Path workDirectory;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seconds < 1 || seconds > 3600) {
      throw new UsageException("--seconds must be between 1 and 3600");
    }
    Path given = workDirectory;
    if (given != null) {
      return run(given);
    }
    sweep(Path.of(System.getProperty("java.io.tmpdir")));
    Path temporary = Files.createTempDirectory(PREFIX);
    try (ScratchFolder held =
        ScratchFolder.open(temporary, "process " + ProcessHandle.current().pid())) {
      return run(held.path());
    }
  }

  /** Deletes the folders of earlier demos of this user, except those of demos that still run. */
  static void sweep(Path folder) throws IOException {
    for (Path entry : Durable.children(folder)) {
      if (String.valueOf(entry.getFileName()).startsWith(PREFIX)
          && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
          && Files.isWritable(entry)) {
        ScratchFolder.sweep(entry);
      }
    }
  }

  private int run(Path work) throws IOException, InterruptedException {
    // Makes the folder private before the first file is in it.
    WorkDirectory.open(work).close();
    ApplicationSettings application = application(work);
    long events = (long) seconds * EVENTS_PER_SECOND;
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "%,d events of two classes, %d a second. What tells the classes apart changes slowly, and"
                + " after %d and %d s at once; about 15 %% of the events are repeats, 5 %% of the"
                + " labels are wrong, 1 %% are missing.%n",
            events,
            EVENTS_PER_SECOND,
            seconds / 3,
            2 * seconds / 3);
    InputPlan input =
        new InputPlan(
            application,
            "demo-" + seconds,
            () -> new DriftingStream(SEED, events),
            events,
            EVENTS_PER_SECOND);
    return new RunSession(spec.commandLine().getOut(), written, console.process(), MALFORMED)
        .run(
            new EmbeddedRun.Plan(
                List.of(application), work, null, input, StartOver.NO, null, flink.settings),
            List.of(work.resolve(APPLICATION_FILE)));
  }

  private static ApplicationSettings application(Path work) throws IOException {
    Files.createDirectories(work);
    Path file = work.resolve(APPLICATION_FILE);
    try (InputStream in = DemoCommand.class.getResourceAsStream("/demo.yaml")) {
      if (in == null) {
        throw new IOException("demo.yaml is not in the program's jar");
      }
      Files.write(file, in.readAllBytes());
    }
    return Applications.readToRun(List.of(file), new TrainingChecks()).get(0);
  }
}
