package io.idlalayer.console;

import io.idlalayer.console.history.FollowedPlan;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.history.MoveHistory;
import io.idlalayer.console.history.Note;
import io.idlalayer.console.history.StatusTable;
import io.idlalayer.console.history.UpdateEntry;
import io.idlalayer.console.server.ConsoleInfo;
import io.idlalayer.console.server.ConsoleJson;
import io.idlalayer.console.server.RecordedAnswers;
import io.idlalayer.console.store.VersionTable;
import io.idlalayer.console.topics.EventFeed;
import io.idlalayer.console.topics.RecordingFeed;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a page that shows recorded events without a server. */
@Command(
    name = "idla report",
    mixinStandardHelpOptions = true,
    version = "iDlaLayer " + ConsoleInfo.VERSION,
    description = {
      "Writes recorded events as a page of the console, in one file that any browser opens without"
          + " a network.",
      "`idla run --decisions FILE.jsonl` records the events of a run."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:ok", "1:failed", "2:bad usage or environment"})
public final class ReportMain implements Callable<Integer> {
  private static final int MOST_UPDATES = 10_000;
  private static final int MOST_NOTES = 2_000;

  @Spec CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "FILE.jsonl",
      description = "Recorded events, plain or gzip.")
  Path recording;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "APP.yaml",
      description = "Application files, for facts that are not in the events, such as prices.")
  @Nullable List<Path> files;

  @Option(
      names = "--html",
      required = true,
      paramLabel = "FILE.html",
      description = "Where to write the page.")
  Path page;

  @Option(
      names = "--models-dir",
      paramLabel = "DIR",
      description = "Folder of published models, or s3://BUCKET/PREFIX, to show them too.")
  @Nullable String modelsDirectory;

  @Option(names = "--debug", description = "Print stack traces of errors.")
  boolean debug;

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    Terminal.settle();
    LogFile.begin(System.getenv(LogFile.VARIABLE));
    System.exit(Terminal.commandLine(new ReportMain()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    if (!Files.isReadable(recording)) {
      throw new UsageException(recording + ": no such file, or it cannot be read");
    }
    String models = modelsDirectory;
    if (models != null && !ModelStore.isAddress(models) && !Files.isDirectory(Path.of(models))) {
      throw new UsageException("--models-dir: there is no folder " + models);
    }
    List<ApplicationSettings> applications = files == null ? List.of() : Applications.read(files);
    Learners learners = new Learners();
    String note;
    try (EventFeed feed = new RecordingFeed(recording, 0, System::nanoTime)) {
      feed.history(learners::take);
      note = feed.note();
    }
    if (!note.isEmpty()) {
      spec.commandLine().getErr().println("note: " + note);
      spec.commandLine().getErr().flush();
    }
    String content =
        ConsoleJson.mapper().writeValueAsString(content(applications, learners, models, note));
    ReportPage.write(content, page);
    spec.commandLine().getOut().println("report: " + page);
    spec.commandLine().getOut().flush();
    return Terminal.OK;
  }

  private static VersionTable published(String models, Learners.Learner each) throws IOException {
    try (ModelStore store =
        ModelStore.open(models, InstantSource.system(), PublisherIdentity.ofThisProcess())) {
      return VersionTable.read(store, each.application(), each.partition());
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--models-dir: " + refused.getMessage());
    }
  }

  /**
   * Returns the answers that a server would give to the page's requests. The report contains them.
   */
  private RecordedAnswers content(
      List<ApplicationSettings> applications,
      Learners learners,
      @Nullable String models,
      String note)
      throws IOException {
    TreeMap<String, StatusTable> history = new TreeMap<>();
    TreeMap<String, List<UpdateEntry>> updates = new TreeMap<>();
    TreeMap<String, List<Note>> events = new TreeMap<>();
    TreeMap<String, MoveHistory> moves = new TreeMap<>();
    TreeMap<String, FollowedPlan> plans = new TreeMap<>();
    TreeMap<String, VersionTable> published = new TreeMap<>();
    long newestMillis = 0;
    for (Learners.Learner each : learners.learners()) {
      String name = each.learner();
      newestMillis = Math.max(newestMillis, each.last().atMillis());
      learners.table(name).ifPresent(it -> history.put(name, it));
      learners.updates(name, MOST_UPDATES).ifPresent(it -> updates.put(name, it));
      learners.notes(name, MOST_NOTES).ifPresent(it -> events.put(name, it));
      learners.moves(name).ifPresent(it -> moves.put(name, it));
      learners.plan(name).ifPresent(it -> plans.put(name, it));
      if (models != null) {
        published.put(name, published(models, each));
      }
    }
    ConsoleInfo console =
        new ConsoleInfo(
            ConsoleInfo.VERSION,
            ConsoleInfo.Source.RECORDING,
            String.valueOf(recording.getFileName()),
            newestMillis,
            false,
            true,
            note,
            ConsoleInfo.applications(applications, learners));
    return new RecordedAnswers(
        console, learners.learners(), history, updates, events, moves, plans, published);
  }
}
