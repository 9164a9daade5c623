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
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.jspecify.annotations.Nullable;

/**
 * The whole product in this process: a broker (unless servers are named), Flink, and the input if
 * there is one. A run keeps its state in its work directory. The next run with this directory
 * continues there, even after this process was killed.
 */
public final class EmbeddedRun {
  private final Plan plan;
  private final RunMonitor monitor;

  /**
   * The plan of a run: its applications, folders, broker and input.
   *
   * @param servers Kafka servers, or null for a broker in this process
   * @param input the input to feed, or null to learn from the topic until stopped
   * @param startOver whether to start without state although models are published
   * @param stopLimit time limit of the last savepoint, null for one that suits the size of the
   *     state
   * @param flink settings of Flink beside those that iDlaLayer sets itself
   * @param unsaved longest time that learning goes on without a complete checkpoint
   * @param predictions file of what is predicted for new events, absolute; null for none
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

    /** Creates a plan that goes on without checkpoints for the usual time. */
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
   * @throws IOException with the reason; everything learned is kept
   */
  public RunOutcome run(BooleanSupplier stop) throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (WorkDirectory work = WorkDirectory.open(plan.workDirectory())) {
      String warning = work.warning();
      if (warning != null) {
        monitor.phase(warning);
      }
      String servers = plan.servers();
      if (servers != null) {
        return run(work, servers, stop, start);
      }
      monitor.phase("starting the embedded broker");
      try (EmbeddedBroker broker = EmbeddedBroker.start(work.path().resolve("kafka"), 0)) {
        monitor.phase(
            "broker at %s; events are read from %s".formatted(broker.bootstrapServers(), topics()));
        return run(work, broker.bootstrapServers(), stop, start);
      }
    }
  }

  private RunOutcome run(WorkDirectory work, String servers, BooleanSupplier stop, long start)
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
    String owner = "process " + ProcessHandle.current().pid();
    try (JobStart begun = JobStart.prepare(request, monitor::phase);
        ScratchFolder temporary =
            ScratchFolder.open(request.work().temporary().resolve("embedded"), owner);
        EmbeddedFlink flink = new EmbeddedFlink();
        JobWatch watch =
            new JobWatch(plan.applications(), servers, monitor, DecisionHandover.process())) {
      monitor.phase("starting Flink");
      JobClient job = submit(begun, flink, temporary.path());
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

  /** Returns how the job started and how long that took; null if no learner reported. */
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

  private JobClient submit(JobStart begun, EmbeddedFlink flink, Path temporary) throws IOException {
    Configuration conf =
        FlinkSettings.with(FlinkSettings.embedded(begun.configuration(), temporary), plan.flink());
    FlinkSettings.tolerate(conf, plan.unsaved());
    return begun.submit(flink.environment(parallelism(), conf));
  }

  /** Returns the number of subtasks; more of them than cores gain nothing. */
  private int parallelism() {
    return OnlineLearningJob.parallelism(
        plan.applications(), Runtime.getRuntime().availableProcessors());
  }

  private String topics() {
    return String.join(
        ", ", plan.applications().stream().flatMap(it -> it.input().topics().stream()).toList());
  }
}
