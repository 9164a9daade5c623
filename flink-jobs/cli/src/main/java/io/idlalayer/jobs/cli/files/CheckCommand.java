package io.idlalayer.jobs.cli.files;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.findings.InputOutcome;
import io.idlalayer.jobs.inspection.ClaimedMemory;
import io.idlalayer.jobs.inspection.SampleInspection;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.keys.JsonSchema;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.StartingNetwork;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks an application file, and shows what its model would see of some events. */
@Command(
    name = "check",
    description = {
      "Reads an application file and reports all of its problems; nothing is sent or learned.",
      "With --sample it reads events as a run does, and shows each feature, what is missing, which"
          + " events would be refused, and what the settings cost."
    },
    exitCodeList = {
      "0:ok",
      "1:failed",
      "2:problems in the file, or bad usage",
      "3:events of the sample would be refused",
      "4:nothing of the sample could be learned"
    })
public final class CheckCommand implements Callable<Integer> {
  private static final int MOST_ROWS = 10_000_000;

  @Spec CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "APP.yaml", description = "Application file.")
  @Nullable Path file;

  @Option(
      names = "--sample",
      paramLabel = "FILE",
      description = "File of events, as for 'idla run --input'.")
  @Nullable Path sample;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "10000",
      description =
          "Maximum number of events to read, from the start of the sample (default: ${DEFAULT-VALUE}).")
  int rows;

  @Option(
      names = "--no-training",
      description = "Do not measure how long an update takes, which needs about two seconds.")
  boolean noTraining;

  @Option(
      names = "--schema",
      description = "Print the JSON Schema of application files, for editors, and end.")
  boolean schema;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (schema) {
      if (file != null || sample != null) {
        throw new UsageException("--schema takes no file");
      }
      out.print(JsonSchema.of(ApplicationFileReader.keys()));
      out.flush();
      return Terminal.OK;
    }
    Path application = file;
    if (application == null) {
      throw new UsageException("name an application file: idla check APP.yaml");
    }
    if (rows < 1 || rows > MOST_ROWS) {
      throw new UsageException("--rows must be between 1 and %,d".formatted(MOST_ROWS));
    }
    ApplicationSettings settings =
        Applications.readToRun(List.of(application), new TrainingChecks()).get(0);
    StartingNetwork start = start(settings);
    out.println(application + ": no problems");
    if (start != null) {
      out.printf("it begins with %s: %s%n", start.start().describe(), start.layers());
    }
    SampleInspection found = inspect(settings);
    if (found != null) {
      found.lines().forEach(out::println);
    }
    ClaimedMemory.lines(settings, found).forEach(out::println);
    out.flush();
    if (!noTraining) {
      training(settings, out);
    }
    out.flush();
    InputOutcome outcome = found == null ? InputOutcome.LEARNED : found.outcome();
    return outcome.exitCode();
  }

  /** Returns the network that the application begins with; null for a new one. */
  private static @Nullable StartingNetwork start(ApplicationSettings settings) {
    String named = settings.start();
    try {
      return named == null ? null : StartingNetwork.read(Path.of(named), settings.model());
    } catch (IOException refused) {
      throw new UsageException("model.start: " + refused.getMessage());
    }
  }

  private @Nullable SampleInspection inspect(ApplicationSettings settings) throws IOException {
    Path events = sample;
    if (events == null) {
      return null;
    }
    try {
      ApplicationSettings read =
          settings.input().format().ofRecords() ? ofRecords(settings, events) : settings;
      return SampleInspection.read(read, InputSource.file(events, read), rows);
    } catch (UnreadableFileException damaged) {
      throw new UsageException(
          String.valueOf(damaged.adding("nothing of it is shown").getMessage()));
    } catch (IOException unreadable) {
      throw new UsageException(String.valueOf(unreadable.getMessage()));
    }
  }

  /** Returns the settings by which a file is read as events of an application of records. */
  private static ApplicationSettings ofRecords(ApplicationSettings settings, Path events)
      throws IOException {
    boolean avro =
        settings.input().format() == ApplicationSettings.Format.AVRO
            && Files.isRegularFile(events)
            && InputFiles.kind(events) == InputFiles.Kind.AVRO;
    if (!avro) {
      // A record gives the sample that JSON with equal fields gives; people can write JSON.
      return settings.withJsonEvents();
    }
    return Inputs.toRead(events, settings);
  }

  private static void training(ApplicationSettings settings, PrintWriter out)
      throws InterruptedException {
    try {
      MeasuredTraining measured =
          EngineChoice.of(settings.engine(), settings.model(), null).warmUp(System::nanoTime);
      if (measured == null) {
        out.println("an update takes more than ten seconds the first time on this machine");
      } else {
        out.printf(
            Locale.ROOT,
            "an update of %,d new samples trains for about %.2g ms on this machine (made-up samples,"
                + " one learner)%n",
            measured.rows(),
            1e3 * measured.seconds());
      }
    } catch (TrainingFailedException failed) {
      out.println("a first training failed: " + failed.getMessage());
    }
  }
}
