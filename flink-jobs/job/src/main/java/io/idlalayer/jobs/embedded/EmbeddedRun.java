package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.checkpoint.CheckpointWatch;
import io.idlalayer.jobs.checkpoint.CheckpointsFailedException;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.recovery.RecoveryPoint;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.recovery.WorkDirectory;
import io.idlalayer.jobs.report.DecisionHandover;
import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.FollowedJob;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.JobCheckpoints;
import io.idlalayer.jobs.run.JobStart;
import io.idlalayer.jobs.run.JobStop;
import io.idlalayer.jobs.run.JobWatch;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * The whole product in this process: a broker (unless the plan names servers), Flink, and the input
 * if there is one. A run keeps its state in its work directory. The next run with this directory
 * continues from the state, even if this process was killed.
 */
public final class EmbeddedRun {
  private final Plan plan;
  private final RunMonitor monitor;

  /**
   * The plan of a run: its applications, folders, broker and input.
   *
   * @param servers Kafka servers, "host:port,..."; null for a broker in this process
   * @param input the input to feed, or null to learn from the topic until stopped
   * @param startOver whether to start without state although models are published
   * @param stopLimit time limit of the last savepoint; null for a limit that depends on the size of
   *     the state
   * @param flink further settings of Flink, in addition to the settings that iDlaLayer makes
   * @param unsaved longest time that learning continues without a complete checkpoint
   * @param predictions absolute path of the file for the predictions for new events; null for none
   */
  public record Plan(
      List<ApplicationSettings> applications,
      Path workDirectory,
      @Nullable String servers,
      @Nullable InputPlan input,
      StartOver startOver,
      @Nullable Duration stopLimit,
      Map<String, String> flink,
      Duration unsaved,
      @Nullable Path predictions) {
    public Plan {
      flink = Map.copyOf(flink);
    }

    /**
     * Creates a plan with which learning continues without checkpoints for {@link
     * CheckpointWatch#TOLERATED}.
     */
    public Plan(
        List<ApplicationSettings> applications,
        Path workDirectory,
        @Nullable String servers,
        @Nullable InputPlan input,
        StartOver startOver,
        @Nullable Duration stopLimit,
        Map<String, String> flink) {
      this(
          applications,
          workDirectory,
          servers,
          input,
          startOver,
          stopLimit,
          flink,
          CheckpointWatch.TOLERATED,
          null);
    }

    /** Creates a plan that continues where the last run ended. */
    public Plan(
        List<ApplicationSettings> applications,
        Path workDirectory,
        @Nullable String servers,
        @Nullable InputPlan input) {
      this(applications, workDirectory, servers, input, StartOver.NO, null, Map.of());
    }
  }

  public EmbeddedRun(Plan plan, RunMonitor monitor) {
    this.plan = plan;
    this.monitor = monitor;
  }

  /**
   * Runs the job to the end of its input, or until it is stopped.
   *
   * @param stop returns whether to stop; called several times a second
   * @throws IOException with the reason. What was learned up to the last checkpoint is kept
   */
  public RunOutcome run(BooleanSupplier stop) throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (WorkDirectory work = WorkDirectory.open(plan.workDirectory())) {
      String warning = work.warning();
      if (warning != null) {
        monitor.phase(warning);
      }
      try (ScratchFolder temporary =
              ScratchFolder.open(
                  work.identity().temporary().resolve("embedded"),
                  "process " + ProcessHandle.current().pid());
          EmbeddedFlink flink = beginStarts(temporary.path())) {
        String servers = plan.servers();
        if (servers != null) {
          monitor.phase("starting Flink");
          return run(work, servers, flink, temporary.path(), stop, start);
        }
        monitor.phase("starting Flink and the embedded broker");
        try (EmbeddedBroker broker = EmbeddedBroker.start(work.path().resolve("kafka"), 0)) {
          String own = broker.bootstrapServers();
          monitor.phase("broker at %s; events are read from %s".formatted(own, topics()));
          return run(work, own, flink, temporary.path(), stop, start);
        }
      }
    }
  }

  /**
   * Begins to start Flink's cluster and to load the library that trains, because neither depends on
   * anything else. In the meantime the caller starts the broker and prepares the job.
   */
  private EmbeddedFlink beginStarts(Path temporary) throws IOException {
    Configuration settings = FlinkSettings.with(FlinkSettings.embedded(temporary), plan.flink());
    FlinkSettings.tolerate(settings, plan.unsaved());
    if (plan.applications().stream().anyMatch(EmbeddedRun::mayUseOwnEngine)) {
      Thread library = new Thread(EngineChoice::loadLibrary, "library-start");
      library.setDaemon(true);
      library.start();
    }
    return EmbeddedFlink.begin(parallelism(), settings);
  }

  private static boolean mayUseOwnEngine(ApplicationSettings application) {
    return application.engine() != EngineName.DEEPLEARNING4J;
  }

  private RunOutcome run(
      WorkDirectory work,
      String servers,
      EmbeddedFlink flink,
      Path temporary,
      BooleanSupplier stop,
      long start)
      throws IOException, InterruptedException {
    Topics.ensure(plan.applications(), servers);
    JobStart.Request request =
        new JobStart.Request(
            plan.applications(),
            servers,
            work.identity(),
            JobStart.Place.EMBEDDED,
            TaskMemory.ofThisProcess(),
            plan.startOver(),
            plan.predictions());
    // The order matters: Flink ends before the folder of RocksDB is released, and before the broker
    // ends.
    try (JobStart begun = JobStart.prepare(request, monitor::phase);
        flink;
        JobWatch watch =
            new JobWatch(plan.applications(), servers, monitor, DecisionHandover.process())) {
      JobClient job = submit(begun, flink, temporary);
      JobStop stopping = new JobStop(begun, monitor::phase);
      try (CheckpointWatch checkpoints = checkpoints(begun, flink, job.getJobID())) {
        monitor.submitted(servers);
        boolean finished = watch.follow(job, checkpoints, plan.input(), stop);
        monitor.phase(finished ? "saving" : "stopping");
        SavedState.Checkpoints counted =
            JobCheckpoints.askOrWarn(flink::restAddress, job.getJobID().toString(), monitor::phase);
        SavedState.Savepoint savepoint = stopping.stop(job, plan.stopLimit());
        return new RunOutcome(
            watch.view(),
            finished,
            (System.nanoTime() - start) / 1e9,
            new SavedState(begin(begun, watch, start), counted, savepoint));
      } catch (CheckpointsFailedException unsaved) {
        throw stopping.end(job, plan.stopLimit(), unsaved);
      } catch (IOException | RuntimeException failed) {
        // A job that keeps running would write into the work directory that this run is about to
        // release.
        JobStop.cancel(job, failed);
        throw failed;
      }
    }
  }

  private CheckpointWatch checkpoints(JobStart begun, EmbeddedFlink flink, JobID job) {
    return CheckpointWatch.of(
        new FollowedJob(
            flink::restAddress,
            job.toString(),
            begun::run,
            begun.workingFolders(),
            () -> flink.takeWhole(job)),
        begun.points(),
        plan.unsaved());
  }

  /** Returns how the job started and how long the start took; null if no learner has reported. */
  private static SavedState.@Nullable Start begin(JobStart begun, JobWatch watch, long start) {
    Long heard = watch.heardNanos();
    if (heard == null) {
      return null;
    }
    RecoveryPoint from = begun.from();
    return new SavedState.Start(
        from == null ? null : begun.relative(from.folder()),
        from == null ? 0 : from.bytes(),
        (heard - start) / 1e9);
  }

  private JobClient submit(JobStart begun, EmbeddedFlink flink, Path temporary)
      throws IOException, InterruptedException {
    Configuration conf =
        FlinkSettings.with(FlinkSettings.embedded(begun.configuration(), temporary), plan.flink());
    FlinkSettings.tolerate(conf, plan.unsaved());
    StreamExecutionEnvironment environment = flink.environment(conf);
    begun.assemble(environment);
    monitor.phase("starting the job");
    flink.awaitStart();
    return begun.submitAssembled(environment);
  }

  /**
   * Returns the number of subtasks. It is at most the number of cores, because more subtasks gain
   * nothing.
   */
  private int parallelism() {
    return OnlineLearningJob.parallelism(
        plan.applications(), Runtime.getRuntime().availableProcessors());
  }

  private String topics() {
    return String.join(
        ", ", plan.applications().stream().flatMap(it -> it.input().topics().stream()).toList());
  }
}
