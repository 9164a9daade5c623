package io.idlalayer.console;

import io.idlalayer.console.history.Learners;
import io.idlalayer.console.server.ConsoleData;
import io.idlalayer.console.server.ConsoleInfo;
import io.idlalayer.console.server.ConsoleServer;
import io.idlalayer.console.subscribers.ReportedSubscribers;
import io.idlalayer.console.subscribers.SubscriberFollower;
import io.idlalayer.console.topics.EventFeed;
import io.idlalayer.console.topics.EventFollower;
import io.idlalayer.console.topics.RecordingSource;
import io.idlalayer.console.topics.TopicFeed;
import io.idlalayer.console.whatif.KeptPlans;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.StopSignals;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.http.ModelServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Shows running applications in the browser. The console is a separate process, which only reads.
 */
@Command(
    name = "idla console",
    mixinStandardHelpOptions = true,
    version = "iDlaLayer " + ConsoleInfo.VERSION,
    description = {
      "Shows running applications in the browser until Ctrl-C: why and when they "
          + "train, the costs and the effect of that, the use of memory, and the version "
          + "that serves. Prints its address with the token that changes need.",
      "Reads the status and decision topics and the folder of the models. A "
          + "failure of the console does not affect any job. With --recording it shows "
          + "recorded events instead."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:ok", "1:failed", "2:bad usage or environment"})
public final class ConsoleMain implements Callable<Integer> {
  private static final long LOOK_NANOS = 50_000_000;

  @Spec CommandSpec spec;
  @Mixin ServerOptions server;
  @Mixin ModelsPortOptions modelsPort;

  @Parameters(arity = "0..*", paramLabel = "APP.yaml", description = "Application files.")
  @Nullable List<Path> files;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Kafka servers; `idla run` prints those of its embedded broker.")
  @Nullable String servers;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description =
          "Work directory of the run; its models are in DIR/models, and plans of `idla plan` in"
              + " DIR/capacity (plans without this option: idla-work/<application>/capacity).")
  @Nullable Path workDirectory;

  @Option(
      names = "--models-dir",
      paramLabel = "DIR",
      description =
          "Folder of published models, or s3://BUCKET/PREFIX, of applications that name none.")
  @Nullable String modelsDirectory;

  @Option(
      names = "--recording",
      paramLabel = "FILE.jsonl",
      description = {
        "Show recorded events, plain or gzip: a file of `idla run --decisions`, or the messages of"
            + " the topics, one a line."
      })
  @Nullable Path recording;

  @Option(
      names = "--replay-speed",
      paramLabel = "X",
      description =
          "Replay the recorded events, X times as fast as they happened (default: show "
              + "all of them as the past).")
  @Nullable Double replaySpeed;

  @Option(names = "--debug", description = "Print stack traces of errors.")
  boolean debug;

  @Option(
      names = "--until-input-ends",
      hidden = true,
      description =
          "End when standard input ends, so that this process ends with the one that "
              + "started it.")
  boolean untilInputEnds;

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    Terminal.settle();
    LogFile.begin(System.getenv(LogFile.VARIABLE));
    System.exit(Terminal.commandLine(new ConsoleMain()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    try (StopSignals stop = new StopSignals()) {
      // Ctrl-C reaches the console of a run too; the console stays until the run has ended.
      return run(() -> !untilInputEnds && stop.received());
    }
  }

  /** Serves the console until {@code stop} returns true. */
  int run(BooleanSupplier stop) throws IOException {
    List<ApplicationSettings> applications = files == null ? List.of() : Applications.read(files);
    EventFeed.Source source = source(applications);
    try (SubscriberFollower subscribers = subscribers(applications)) {
      return serve(applications, source, subscribers, stop);
    }
  }

  private int serve(
      List<ApplicationSettings> applications,
      EventFeed.Source source,
      @Nullable SubscriberFollower subscribers,
      BooleanSupplier stop)
      throws IOException {
    Learners learners = new Learners();
    String models = models();
    ConsoleData data = new ConsoleData(applications, servers, models);
    AtomicReference<@Nullable EventFollower> following = new AtomicReference<>();
    ConsoleServer.Content content =
        new ConsoleServer.Content(
            () -> info(applications, learners, data, following.get()),
            learners,
            data,
            of -> subscribers == null ? ReportedSubscribers.NONE : subscribers.of(of),
            new KeptPlans(applications, files == null ? List.of() : files, workDirectory));
    try (ConsoleServer running = server.start(content, InstantSource.system());
        EventFollower follower = new EventFollower(source, learners, running.listener());
        ModelServer served = modelsPort.start(models, server)) {
      following.set(follower);
      follower.start();
      PrintWriter out = spec.commandLine().getOut();
      out.printf("console at %s#token=%s%n", running.address(), server.token());
      if (served != null) {
        out.printf("models at %s%n", served.address());
      }
      out.flush();
      BooleanSupplier inputEnded = inputEnded();
      while (!stop.getAsBoolean() && !inputEnded.getAsBoolean()) {
        LockSupport.parkNanos(LOOK_NANOS);
        if (Thread.currentThread().isInterrupted()) {
          break;
        }
      }
    }
    return Terminal.OK;
  }

  private ConsoleInfo info(
      List<ApplicationSettings> applications,
      Learners learners,
      ConsoleData data,
      @Nullable EventFollower follower) {
    Path file = recording;
    return new ConsoleInfo(
        ConsoleInfo.VERSION,
        file == null ? ConsoleInfo.Source.KAFKA : ConsoleInfo.Source.RECORDING,
        String.valueOf(file == null ? servers : file.getFileName()),
        InstantSource.system().millis(),
        data.writable(),
        follower != null && follower.connected(),
        follower == null ? "" : follower.problem(),
        ConsoleInfo.applications(applications, learners));
  }

  /**
   * Returns whether standard input has ended, which shows that the process that started this one is
   * gone: that process never writes to it.
   */
  private BooleanSupplier inputEnded() {
    if (!untilInputEnds) {
      return () -> false;
    }
    AtomicBoolean ended = new AtomicBoolean();
    Thread reader =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  // Bytes on standard input are not meant for the console.
                }
              } catch (IOException closed) {
                // Nothing is left to do except waiting for the end of the process.
              }
              ended.set(true);
            },
            "standard-input");
    reader.setDaemon(true);
    reader.start();
    return ended::get;
  }

  private @Nullable String models() {
    String named = modelsDirectory;
    Path work = workDirectory;
    if (named != null && work != null) {
      throw new UsageException("name one of --work-dir and --models-dir");
    }
    if (work != null) {
      LogFile.in(work, "console.log");
      return work.resolve("models").toString();
    }
    return named;
  }

  /**
   * Returns the follower of the subscribers' heartbeats; null for recorded events, because the
   * versions that serve now say nothing about the time of the recording.
   */
  private @Nullable SubscriberFollower subscribers(List<ApplicationSettings> applications) {
    String kafka = servers;
    return kafka == null || recording != null
        ? null
        : SubscriberFollower.start(applications, kafka, InstantSource.system());
  }

  private EventFeed.Source source(List<ApplicationSettings> applications) {
    Path file = recording;
    String kafka = servers;
    if (file != null) {
      if (kafka != null) {
        throw new UsageException("--recording and --bootstrap-servers contradict each other");
      }
      if (!Files.isReadable(file)) {
        throw new UsageException("--recording " + file + ": no such file, or it cannot be read");
      }
      Double speed = replaySpeed;
      if (speed != null && !(speed > 0 && speed <= 1e6)) {
        throw new UsageException("--replay-speed must be above 0 and at most 1e6, not " + speed);
      }
      return new RecordingSource(file, speed == null ? 0 : speed, System::nanoTime);
    }
    if (replaySpeed != null) {
      throw new UsageException("--replay-speed needs --recording FILE");
    }
    if (applications.isEmpty() || kafka == null) {
      throw new UsageException(
          "name the applications and their Kafka: idla console APP.yaml --bootstrap-servers"
              + " HOST:PORT; or --recording FILE");
    }
    return () -> new TopicFeed(applications, kafka);
  }
}
