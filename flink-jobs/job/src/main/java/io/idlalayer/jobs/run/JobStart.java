package io.idlalayer.jobs.run;

import io.idlalayer.jobs.capacity.IndexSpaceCheck;
import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.capacity.TensorSpaceCheck;
import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.predictions.PredictionFiles;
import io.idlalayer.jobs.recovery.HashKeyFile;
import io.idlalayer.jobs.recovery.RecoveryPoint;
import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.RunFolder;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.settings.ApplicationSet;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.KafkaPartitionOffsets;
import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * The steps that all ways to start a job share, up to its submission. It finds the newest state of
 * the applications, refuses to start without state if models are published, deletes files that are
 * no longer needed, and creates the folders of the new run and the job's configuration. All checks
 * that can make a start fail belong in {@link #prepare}. The caller holds the lock of the work
 * directory.
 */
public final class JobStart implements AutoCloseable {
  private static final long LEAST_FREE_BYTES = 256L << 20;

  /** The processes in which the tasks of a job run. */
  public enum Place {
    /** This process runs the tasks. */
    EMBEDDED,
    /**
     * Processes on this machine run the tasks, each with a folder for RocksDB in its own
     * configuration.
     */
    LOCAL_CLUSTER,
    /** Processes anywhere run the tasks. This process might not see the slow directory. */
    CLUSTER
  }

  /**
   * The description of a job to be started.
   *
   * @param servers Kafka servers, "host:port,..."
   * @param work the identity of the work directory
   * @param memory memory of the processes that will run the tasks
   * @param predictions file for the predictions of new events; null for none
   * @param given checkpoint or savepoint from which Flink was told to start, instead of the
   *     recovery points in the work directory; null for none
   */
  public record Request(
      List<ApplicationSettings> applications,
      String servers,
      WorkIdentity work,
      Place place,
      TaskMemory memory,
      StartOver startOver,
      @Nullable Path predictions,
      @Nullable String given) {
    /** Creates a request that starts from the newest recovery point of the work directory. */
    public Request(
        List<ApplicationSettings> applications,
        String servers,
        WorkIdentity work,
        Place place,
        TaskMemory memory,
        StartOver startOver,
        @Nullable Path predictions) {
      this(applications, servers, work, place, memory, startOver, predictions, null);
    }

    /** Creates a request without a file of predictions. */
    public Request(
        List<ApplicationSettings> applications,
        String servers,
        WorkIdentity work,
        Place place,
        TaskMemory memory,
        StartOver startOver) {
      this(applications, servers, work, place, memory, startOver, null);
    }

    public Request {
      applications = List.copyOf(applications);
    }

    /** Returns the locations that the job reads from and writes to. */
    public JobLocations locations() {
      return new JobLocations(
          servers,
          work.models(),
          work.tensors(),
          "idla-" + applications.get(0).name(),
          predictions,
          null);
    }

    Set<String> names() {
      return JobNames.of(applications);
    }

    /** Returns the request with a secret key of the hashes of ids. */
    private Request with(HashKey key) {
      return new Request(
          applications.stream().map(each -> each.with(key)).toList(),
          servers,
          work,
          place,
          memory,
          startOver,
          predictions,
          given);
    }

    /** Returns this request with a checkpoint or savepoint from which Flink was told to start. */
    public Request from(@Nullable String restore) {
      return new Request(
          applications, servers, work, place, memory, startOver, predictions, restore);
    }
  }

  private final Request request;
  private final RecoveryPoints points;
  private final RunFolder run;
  private final Configuration configuration;
  private final String savepoints;
  private final @Nullable RecoveryPoint from;
  private final StartPositions starts;
  private final @Nullable ScratchFolder scratch;

  private JobStart(
      Request request,
      RecoveryPoints points,
      RunFolder run,
      FlinkSettings.Storage storage,
      @Nullable RecoveryPoint from,
      StartPositions starts,
      @Nullable ScratchFolder scratch) {
    this.request = request;
    this.points = points;
    this.run = run;
    this.configuration = FlinkSettings.configuration(storage);
    this.savepoints = storage.savepoints();
    this.from = from;
    this.starts = starts;
    this.scratch = scratch;
  }

  /**
   * Checks whether a job can start, and prepares its folders and its configuration.
   *
   * @param say receives sentences about where the job continues, and about what is lost if the
   *     newest state cannot be used
   * @throws IOException with the reason and advice; nothing was submitted
   */
  public static JobStart prepare(Request asked, Consumer<String> say)
      throws IOException, InterruptedException {
    Request request = asked.with(HashKeyFile.open(asked.work().directory()));
    ApplicationSet.check(request.applications());
    checkSpace(request);
    RecoveryPoints points = new RecoveryPoints(request.work());
    Set<String> names = request.names();
    RecoveryPoints.Search search = points.search(names);
    String given = request.given();
    Decision decision =
        given == null ? decide(request, points, search) : given(request, given, search, say);
    if (request.place() == Place.EMBEDDED) {
      StartingNetworkCheck.check(
          request.applications().stream()
              .filter(each -> decision.origin().apply(each) == FirstStarts.Origin.NOTHING)
              .toList());
    }
    FirstStarts first =
        FirstStarts.find(
            request.applications(),
            decision.origin(),
            decision.begun(),
            new KafkaPartitionOffsets(request.applications().get(0).kafka(), request.servers()));
    if (request.startOver().applies(search.startOver())) {
      PublishedIdentity.startedOver(request.applications(), request.work().models());
    } else {
      PublishedIdentity.check(request.applications(), request.work().models());
    }
    Path predictions = request.predictions();
    if (predictions != null) {
      PredictionFiles.claim(
          predictions,
          request.applications(),
          request.work().directory(),
          request.startOver().applies(search.startOver()));
    }
    if (given == null) {
      announce(decision, request, points, search, say);
    }
    first.sentences().forEach(say);
    ScratchFolder scratch = rocksDirectory(request);
    try {
      points.sweep(names);
      RecoveryPoint from = decision.from();
      RunFolder run =
          given == null
              ? points.create(names, from, decision.word(), first.notes())
              : points.createFrom(given, names, decision.word());
      WorkIdentity work = request.work();
      String restored = from == null ? given : work.address(from.folder()).toString();
      FlinkSettings.Storage storage =
          new FlinkSettings.Storage(
              work.address(run.folder()).toString(),
              work.address(run.savepoints()).toString(),
              scratch == null ? null : scratch.path().toString(),
              restored);
      return new JobStart(request, points, run, storage, from, first.positions(), scratch);
    } catch (IOException | RuntimeException failed) {
      if (scratch != null) {
        scratch.close();
      }
      throw failed;
    }
  }

  /**
   * Checks that learners and tensors fit into the processes that will run them, and onto the disk.
   */
  private static void checkSpace(Request request) throws IOException {
    List<String> problems = new ArrayList<>();
    problems.addAll(IndexSpaceCheck.problems(request.applications(), request.memory()));
    problems.addAll(
        TensorSpaceCheck.problems(
            request.applications(), request.work().tensors(), request.memory()));
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
  }

  /**
   * Returns the start of a job that already runs, in order to end the job.
   *
   * @throws IOException if there is no run of the job
   */
  public static JobStart attached(Request request) throws IOException {
    RecoveryPoints points = new RecoveryPoints(request.work());
    RunFolder run =
        points
            .newestRun(request.names())
            .orElseThrow(
                () ->
                    new IOException(
                        "no run of %s is in %s"
                            .formatted(sorted(request.names()), request.work().directory())));
    WorkIdentity work = request.work();
    FlinkSettings.Storage storage =
        new FlinkSettings.Storage(
            work.address(run.folder()).toString(),
            work.address(run.savepoints()).toString(),
            null,
            null);
    return new JobStart(request, points, run, storage, null, StartPositions.EARLIEST, null);
  }

  /**
   * The decision from which state a job starts.
   *
   * @param from recovery point to start from, null to start without state
   * @param word word with which the lineage was started over, null if it was not
   * @param origin tells what an application begins with
   * @param begun where applications began to read in a run that had no recovery point
   */
  private record Decision(
      @Nullable RecoveryPoint from,
      @Nullable String word,
      Function<ApplicationSettings, FirstStarts.Origin> origin,
      Map<String, FirstStart> begun) {
    /** Returns the decision to start without state. */
    static Decision fromNothing(@Nullable String word, Map<String, FirstStart> begun) {
      return new Decision(null, word, application -> FirstStarts.Origin.NOTHING, begun);
    }
  }

  private static Decision decide(
      Request request, RecoveryPoints points, RecoveryPoints.Search search) throws IOException {
    if (request.startOver().applies(search.startOver())) {
      return Decision.fromNothing(request.startOver().word(), Map.of());
    }
    RunFolder mixed = search.mixed();
    if (mixed != null) {
      throw new IOException(
          "the newest state of %s is in a job of %s (%s): start these together, or begin from nothing with --start-over"
              .formatted(
                  sorted(request.names()),
                  sorted(mixed.applications()),
                  points.relative(mixed.folder())));
    }
    RecoveryPoint point = search.point();
    RunFolder unused = search.unused();
    if (unused != null) {
      return Decision.fromNothing(search.startOver(), unused.starts());
    }
    Set<String> covered = point == null ? Set.of() : point.run().applications();
    for (ApplicationSettings application : request.applications()) {
      if (!covered.contains(application.name())) {
        refuseLineage(request, points, search, application);
      }
    }
    return new Decision(
        point,
        search.startOver(),
        application ->
            covered.contains(application.name())
                ? FirstStarts.Origin.STATE
                : FirstStarts.Origin.NOTHING,
        Map.of());
  }

  /** Checks the state from which Flink was told to start, and reports where the job continues. */
  private static Decision given(
      Request request, String given, RecoveryPoints.Search search, Consumer<String> say)
      throws IOException {
    if (request.startOver().applies(search.startOver())) {
      throw new IOException(GivenState.startOverToo(given));
    }
    return new Decision(
        null,
        search.startOver(),
        GivenState.check(given, request.applications(), request.work().models(), say),
        Map.of());
  }

  private static void refuseLineage(
      Request request,
      RecoveryPoints points,
      RecoveryPoints.Search search,
      ApplicationSettings application)
      throws IOException {
    ModelLineage lineage = ModelLineage.of(application, request.work().models());
    if (!lineage.exists() && !points.knows(application.name())) {
      return;
    }
    String found =
        search.passedOver().isEmpty()
            ? "no checkpoint or savepoint of it is there"
            : "nothing there can be used: " + String.join("; ", search.passedOver());
    throw new IOException(
        "%s has %s, but there is no state to go on from in %s: %s. Bring the work directory back, or begin from nothing with --start-over: version numbers go on, and what the topic still holds is learned again"
            .formatted(
                application.name(),
                lineage.exists() ? lineage.describe() : "been learned here before",
                request.work().directory().resolve("checkpoints"),
                found));
  }

  private static void announce(
      Decision decision,
      Request request,
      RecoveryPoints points,
      RecoveryPoints.Search search,
      Consumer<String> say)
      throws IOException {
    RecoveryPoint from = decision.from();
    if (from == null) {
      if (request.startOver().applies(search.startOver())) {
        say.accept(
            "starting over: nothing that was learned is used; older recovery points stay until there are %d new ones"
                .formatted(RecoveryPoints.RETAINED));
      } else if (search.startOver() == null) {
        // After a start over, the models might be older than the start over.
        announceUnsaved(request, say);
      }
      return;
    }
    if (search.damaged()) {
      search.passedOver().forEach(text -> say.accept("warning: passed over " + text));
      long events = eventsAfter(from, request, search);
      if (events > 0) {
        say.accept(
            "warning: this start goes back by at least %,d events. They are read and learned again, and model versions trained from them stay as an abandoned branch"
                .formatted(events));
      }
    }
    say.accept("continuing from " + points.relative(from.folder()));
  }

  /** Reports models that were published by a run that was killed before its first checkpoint. */
  private static void announceUnsaved(Request request, Consumer<String> say) throws IOException {
    for (ApplicationSettings application : request.applications()) {
      ModelLineage lineage = ModelLineage.of(application, request.work().models());
      if (lineage.exists()) {
        say.accept(
            "warning: %s has %s, but the run that made them was killed before its first checkpoint; its events are learned again from where it began, and the next version says so in 'branch'"
                .formatted(application.name(), lineage.describe()));
      }
    }
  }

  /**
   * Returns how many events were read after a recovery point, and are perhaps in published models.
   */
  private static long eventsAfter(RecoveryPoint from, Request request, RecoveryPoints.Search search)
      throws IOException {
    Map<String, Long> reached = new TreeMap<>(search.newest());
    for (ApplicationSettings application : request.applications()) {
      ModelLineage.of(application, request.work().models())
          .inputOffsets()
          .forEach((key, offset) -> reached.merge(key, offset, Math::max));
    }
    return from.eventsBefore(reached);
  }

  private static String sorted(Set<String> names) {
    return String.join(", ", new TreeSet<>(names));
  }

  /** Returns the folder of RocksDB's working files; null if each process has its own folder. */
  private static @Nullable ScratchFolder rocksDirectory(Request request) throws IOException {
    String slow =
        request.applications().stream()
            .map(application -> application.memory().slowDirectory())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    WorkIdentity work = request.work();
    String owner =
        "process %d, work directory %s".formatted(ProcessHandle.current().pid(), work.directory());
    if (slow == null) {
      return request.place() == Place.EMBEDDED
          ? ScratchFolder.open(request.work().state().resolve("embedded"), owner)
          : null;
    }
    Path directory = Path.of(slow).toAbsolutePath().normalize();
    if (request.place() == Place.CLUSTER && !Files.isDirectory(directory)) {
      throw new IOException(
          "memory.slow-directory %s is not there for the JobManager: mount it into every container"
              .formatted(directory));
    }
    try {
      String name = "idla-%s-%s".formatted(request.applications().get(0).name(), work.id());
      ScratchFolder folder = ScratchFolder.open(directory.resolve(name), owner);
      long free = Files.getFileStore(directory).getUsableSpace();
      if (free < LEAST_FREE_BYTES) {
        folder.close();
        throw new IOException(
            "it has %d MiB left, at least %d are needed"
                .formatted(free >> 20, LEAST_FREE_BYTES >> 20));
      }
      return folder;
    } catch (IOException refused) {
      throw new IOException(
          "memory.slow-directory %s cannot be used: %s".formatted(directory, refused.getMessage()),
          refused);
    }
  }

  /**
   * Adds the job to an environment that has {@link #configuration()}, and submits it.
   *
   * @throws IOException if Flink refuses the job
   */
  public JobClient submit(StreamExecutionEnvironment env) throws IOException {
    assemble(env);
    return submitAssembled(env);
  }

  /** Adds the job to an environment that has {@link #configuration()}. */
  public void assemble(StreamExecutionEnvironment env) {
    OnlineLearningJob.assemble(env, request.applications(), request.locations(), starts);
  }

  /**
   * Submits the job of an environment to which {@link #assemble} has added it.
   *
   * @throws IOException if Flink refuses it
   */
  public JobClient submitAssembled(StreamExecutionEnvironment env) throws IOException {
    try {
      return env.executeAsync(JobNames.name(request.applications()));
    } catch (Exception refused) {
      throw new IOException("Flink refuses the job: " + JobAnswers.rootCause(refused), refused);
    }
  }

  /** Returns the configuration of Flink with which the job is submitted. */
  public Configuration configuration() {
    return new Configuration(configuration);
  }

  /** Returns the address of the folder for savepoints. */
  public String savepoints() {
    return savepoints;
  }

  /** Returns the folder of the run's checkpoints and savepoints. */
  public Path runFolder() {
    return run.folder();
  }

  /** Returns the run's folder and descriptor. */
  public RunFolder run() {
    return run;
  }

  /** Returns the recovery points of the work directory. */
  public RecoveryPoints points() {
    return points;
  }

  /** Returns the folders of this process that a checkpoint needs, except the folder of the run. */
  public List<Path> workingFolders() {
    return scratch == null ? List.of() : List.of(scratch.path());
  }

  /** Returns the newest complete recovery point of this run; null if the run has none yet. */
  public @Nullable RecoveryPoint newestOfRun() throws IOException {
    RecoveryPoint newest = points.search(run.applications()).point();
    return newest != null && newest.run().number() == run.number() ? newest : null;
  }

  /** Deletes recovery points of the job that are no longer needed. */
  public void sweep() throws IOException {
    points.sweep(run.applications());
  }

  /** Returns a path relative to the work directory, for messages. */
  public String relative(Path inside) {
    return points.relative(inside);
  }

  /** Returns the recovery point that the job starts from, or null if it starts without state. */
  public @Nullable RecoveryPoint from() {
    return from;
  }

  /**
   * Releases the folder of RocksDB's working files. The caller calls this method when the job has
   * ended.
   */
  @Override
  public void close() throws IOException {
    if (scratch != null) {
      scratch.close();
    }
  }
}
