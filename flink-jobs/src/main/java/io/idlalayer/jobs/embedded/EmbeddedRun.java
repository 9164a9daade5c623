package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.job.FlinkSettings;
import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.JobNames;
import io.idlalayer.jobs.job.JobStart;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.job.StartOver;
import io.idlalayer.jobs.operator.IndexRoom;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.recovery.ScratchFolder;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * The whole product in this process: a broker (unless servers are named), Flink, and the input if
 * there is one. What a run keeps is in its work directory, where the next run with it goes on, also
 * after this process was killed.
 */
public final class EmbeddedRun {
  private final Plan plan;
  private final RunMonitor monitor;

  /**
   * What to run.
   *
   * @param servers Kafka servers, or null for a broker in this process
   * @param input what to feed, or null to learn from the topic until stopped
   * @param startOver whether to begin from nothing over published models
   * @param stopLimit how long the last savepoint may take, null for a time that suits the state
   */
  public record Plan(
      List<ApplicationSettings> applications,
      Path workDirectory,
      @Nullable String servers,
      @Nullable InputPlan input,
      StartOver startOver,
      @Nullable Duration stopLimit) {

    /** A plan that goes on where the last run ended. */
    public Plan(
        List<ApplicationSettings> applications,
        Path workDirectory,
        @Nullable String servers,
        @Nullable InputPlan input) {
      this(applications, workDirectory, servers, input, StartOver.NO, null);
    }
  }

  /**
   * How a run ended.
   *
   * @param finished whether the input was learned to its end; false if the run was stopped
   */
  public record Outcome(RunView view, boolean finished, double wallSeconds) {}

  public EmbeddedRun(Plan plan, RunMonitor monitor) {
    this.plan = plan;
    this.monitor = monitor;
  }

  /**
   * Runs to the end of the input, or until stopped.
   *
   * @param stop asked several times a second
   * @throws IOException with what went wrong; everything learned is kept
   */
  public Outcome run(BooleanSupplier stop) throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (WorkDirectory work = WorkDirectory.open(plan.workDirectory())) {
      String warning = work.warning();
      if (warning != null) {
        monitor.phase(warning);
      }
      TensorRoom.check(plan.applications(), work.path().resolve("tensors"));
      String indexProblem = IndexRoom.problem(plan.applications());
      if (indexProblem != null) {
        throw new IOException(indexProblem);
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

  private Outcome run(WorkDirectory work, String servers, BooleanSupplier stop, long start)
      throws IOException, InterruptedException {
    Topics.ensure(plan.applications(), servers);
    JobLocations locations =
        new JobLocations(servers, work.path(), "idla-" + plan.applications().get(0).name());
    JobStart.Request request =
        new JobStart.Request(
            plan.applications(),
            locations,
            work.identity(),
            JobStart.Place.EMBEDDED,
            plan.startOver());
    String owner = "process " + ProcessHandle.current().pid();
    try (JobStart begun = JobStart.prepare(request, monitor::phase);
        ScratchFolder temporary =
            ScratchFolder.open(locations.temporary().resolve("embedded"), owner);
        DecisionFollower decisions = new DecisionFollower(plan.applications(), servers)) {
      monitor.phase("starting Flink");
      RunView view = JobWatch.history(decisions);
      JobClient job = submit(begun, locations, temporary.path());
      try {
        JobWatch watch = new JobWatch(job, decisions, monitor, view);
        boolean finished = follow(watch, servers, stop);
        monitor.phase(finished ? "saving" : "stopping");
        new Saving(begun, monitor::phase).stop(watch, job, plan.stopLimit());
        return new Outcome(view, finished, (System.nanoTime() - start) / 1e9);
      } catch (IOException | RuntimeException failed) {
        // A job that runs on would write into the work directory we are about to give up.
        Saving.cancel(job, failed);
        throw failed;
      }
    }
  }

  private boolean follow(JobWatch watch, String servers, BooleanSupplier stop)
      throws IOException, InterruptedException {
    InputPlan input = plan.input();
    if (input == null) {
      return watch.follow(null, stop);
    }
    try (InputFeed feed = new InputFeed(input, servers)) {
      feed.start();
      return watch.follow(feed, stop);
    }
  }

  private JobClient submit(JobStart begun, JobLocations locations, Path temporary)
      throws IOException {
    Configuration conf = FlinkSettings.embedded(begun.configuration(), temporary);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism(), conf);
    OnlineLearningJob.assemble(env, plan.applications(), locations);
    try {
      return env.executeAsync(JobNames.name(plan.applications()));
    } catch (Exception refused) {
      throw new IOException(
          "Flink does not start the job: " + JobWatch.rootCause(refused), refused);
    }
  }

  /** More subtasks than cores gain nothing. */
  private int parallelism() {
    return OnlineLearningJob.parallelism(
        plan.applications(), Runtime.getRuntime().availableProcessors());
  }

  private String topics() {
    return String.join(", ", plan.applications().stream().map(it -> it.input().topic()).toList());
  }
}
