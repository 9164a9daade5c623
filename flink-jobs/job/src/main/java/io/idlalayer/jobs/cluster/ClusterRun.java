package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.checkpoint.CheckpointWatch;
import io.idlalayer.jobs.checkpoint.CheckpointsFailedException;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.produce.TopicPatterns;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.recovery.FolderLock;
import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.FollowedJob;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.JobCheckpoints;
import io.idlalayer.jobs.run.JobNames;
import io.idlalayer.jobs.run.JobStart;
import io.idlalayer.jobs.run.JobStop;
import io.idlalayer.jobs.run.JobWatch;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Submits applications to a running cluster and, if there is an input, follows them to its end. */
public final class ClusterRun {
  private final LocalCluster cluster;
  private final List<ApplicationSettings> applications;
  private final List<Path> files;
  private final RunMonitor monitor;

  /**
   * @param files files of the applications. They are needed to submit the job again after the
   *     JobManager was killed
   */
  public ClusterRun(
      LocalCluster cluster,
      List<ApplicationSettings> applications,
      List<Path> files,
      RunMonitor monitor) {
    this.cluster = cluster;
    this.applications = List.copyOf(applications);
    this.files = files.stream().map(file -> file.toAbsolutePath().normalize()).toList();
    this.monitor = monitor;
  }

  /**
   * The options of a submission.
   *
   * @param input the input to feed and to follow to its end, or null to leave the job in the
   *     cluster
   * @param stopLimit time limit of the last savepoint; null for a limit that depends on the size of
   *     the state
   * @param unsaved longest time that a followed job continues without a complete checkpoint
   */
  public record Options(
      @Nullable InputPlan input,
      StartOver startOver,
      @Nullable Duration stopLimit,
      Duration unsaved) {
    /**
     * Creates options with which a job continues without checkpoints for {@link
     * CheckpointWatch#TOLERATED}.
     */
    public Options(@Nullable InputPlan input, StartOver startOver, @Nullable Duration stopLimit) {
      this(input, startOver, stopLimit, CheckpointWatch.TOLERATED);
    }
  }

  /**
   * Submits the job, and follows the job if there is an input. The classes of the product are
   * already on the cluster's class path, so none are sent. If an input is given and a job of the
   * same application files already runs, this run feeds and follows the running job instead. The
   * process that followed the running job before might have died.
   *
   * @return how the run ended, or null if there is no input to follow
   * @throws IOException also if a job of one of the applications already runs on the cluster and
   *     cannot be followed. The message has the reason
   */
  public @Nullable RunOutcome run(Options options, BooleanSupplier stop)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    String servers = cluster.addresses().bootstrapServers();
    Topics.ensure(applications, servers);
    InputPlan input = options.input();
    if (input == null) {
      monitor.phase(
          "submitted job "
              + submit(options.startOver(), options.unsaved(), new JobID()).getJobID());
      return null;
    }
    SubmittedJobs.Submitted running = running(options.startOver());
    JobID id = running == null ? new JobID() : JobID.fromHexString(running.id());
    try (FolderLock alone = cluster.following(id.toHexString());
        JobWatch watch = new JobWatch(applications, servers, monitor, null)) {
      Objects.requireNonNull(alone, "follow one at a time");
      JobClient job =
          new PatientJobClient(
              running == null
                  ? submit(options.startOver(), options.unsaved(), id)
                  : cluster.client(running.id()),
              System::nanoTime);
      monitor.phase((running == null ? "submitted job " : "following job ") + id);
      boolean finished = follow(watch, job, options, stop);
      monitor.phase(finished ? "saving" : "stopping");
      SavedState.Checkpoints checkpoints =
          JobCheckpoints.askOrWarn(cluster::restAddress, job.getJobID().toString(), monitor::phase);
      SavedState.Savepoint savepoint;
      // The job might have been submitted again in the meantime, with another folder.
      try (JobStart attached = JobStart.attached(request(StartOver.NO))) {
        savepoint = new JobStop(attached, monitor::phase).stop(job, options.stopLimit());
      }
      new SubmittedJobs(cluster.workDirectory()).remove(JobNames.of(applications));
      return new RunOutcome(
          watch.view(),
          finished,
          (System.nanoTime() - start) / 1e9,
          new SavedState(null, checkpoints, savepoint));
    }
  }

  /**
   * Returns the running job of these applications; null if none runs. The applications and their
   * files must be the same as at the submission, so that the job can be followed.
   */
  private SubmittedJobs.@Nullable Submitted running(StartOver startOver)
      throws IOException, InterruptedException {
    LocalCluster.Job job = runningJob();
    if (job == null) {
      return null;
    }
    SubmittedJobs.Submitted submitted =
        new SubmittedJobs(cluster.workDirectory())
            .list().stream().filter(it -> it.id().equals(job.id())).findAny().orElse(null);
    if (submitted == null || !submitted.applications().equals(JobNames.of(applications))) {
      throw refused(job, "it has other applications as well, or was not submitted from here");
    }
    if (!startOver.equals(StartOver.NO)) {
      throw refused(job, "it cannot start over while it runs");
    }
    if (!submitted.digest().equals(SubmittedJobs.digest(files))) {
      throw refused(job, "the application file has changed since it was submitted");
    }
    return submitted;
  }

  private LocalCluster.@Nullable Job runningJob() throws IOException, InterruptedException {
    Set<String> names = JobNames.of(applications);
    for (LocalCluster.Job job : cluster.jobs()) {
      if (!job.ended() && !Collections.disjoint(JobNames.parse(job.name()), names)) {
        return job;
      }
    }
    return null;
  }

  private static IOException refused(LocalCluster.Job job, String why) {
    return new IOException(
        "job %s (%s) already runs on this cluster (%s), and %s. Feed it with 'idla produce', or end it with 'idla cluster stop' first"
            .formatted(job.id(), job.name(), job.state(), why));
  }

  private JobStart.Request request(StartOver startOver) throws IOException {
    return new JobStart.Request(
        applications,
        cluster.addresses().bootstrapServers(),
        WorkIdentity.read(cluster.workDirectory()),
        JobStart.Place.LOCAL_CLUSTER,
        cluster.taskMemory(),
        startOver);
  }

  /** Follows the job to the end of its input; ends it if its checkpoints fail for too long. */
  private boolean follow(JobWatch watch, JobClient job, Options options, BooleanSupplier stop)
      throws IOException, InterruptedException {
    RecoveryPoints points = new RecoveryPoints(WorkIdentity.read(cluster.workDirectory()));
    FollowedJob followed =
        new FollowedJob(
            cluster::restAddress,
            job.getJobID().toString(),
            () -> points.newestRun(JobNames.of(applications)).orElseThrow(this::noRun),
            List.of(),
            () -> cluster.takeWhole(job.getJobID()));
    try (CheckpointWatch checkpoints = CheckpointWatch.of(followed, points, options.unsaved())) {
      return watch.follow(job, checkpoints, options.input(), stop);
    } catch (CheckpointsFailedException unsaved) {
      try (JobStart attached = JobStart.attached(request(StartOver.NO))) {
        throw new JobStop(attached, monitor::phase).end(job, options.stopLimit(), unsaved);
      } finally {
        new SubmittedJobs(cluster.workDirectory()).remove(JobNames.of(applications));
      }
    }
  }

  private IOException noRun() {
    return new IOException(
        "no run of %s is in %s".formatted(JobNames.of(applications), cluster.workDirectory()));
  }

  private JobClient submit(StartOver startOver, Duration unsaved, JobID id)
      throws IOException, InterruptedException {
    JobStart.Request request = request(startOver);
    LocalCluster.Addresses addresses = cluster.addresses();
    try (FolderLock alone = cluster.submitting();
        JobStart start = prepare(alone, request)) {
      Configuration conf = start.configuration();
      conf.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, id.toHexString());
      cluster.clientSettings().forEach(conf::setString);
      FlinkSettings.tolerate(conf, unsaved);
      StreamExecutionEnvironment env =
          StreamExecutionEnvironment.createRemoteEnvironment(
              addresses.host(), addresses.restPort(), conf);
      env.setParallelism(OnlineLearningJob.parallelism(applications, ClusterConfig.SLOTS));
      JobClient job = start.submit(env);
      new SubmittedJobs(cluster.workDirectory())
          .add(
              new SubmittedJobs.Submitted(
                  id.toHexString(), JobNames.of(applications), files, SubmittedJobs.digest(files)));
      return job;
    }
  }

  private JobStart prepare(FolderLock alone, JobStart.Request request)
      throws IOException, InterruptedException {
    Objects.requireNonNull(alone, "submit one at a time");
    LocalCluster.Job running = runningJob();
    if (running != null) {
      throw refused(running, "two of them would publish over each other");
    }
    return JobStart.prepare(request, monitor::phase);
  }

  /**
   * Submits all jobs again that the JobManager of a cluster has lost, each from its newest recovery
   * point.
   *
   * @throws IOException with the names of all jobs that could not be submitted; all other jobs were
   *     submitted
   */
  public static void resume(LocalCluster cluster, RunMonitor monitor, Consumer<String> say)
      throws IOException, InterruptedException {
    List<String> problems = new ArrayList<>();
    List<LocalCluster.Job> known = cluster.jobs();
    for (SubmittedJobs.Submitted job : new SubmittedJobs(cluster.workDirectory()).list()) {
      if (known.stream().anyMatch(it -> it.id().equals(job.id()) && !it.ended())) {
        continue;
      }
      // Flink accepts the id of a failed job only once; a new JobManager knows no ids.
      boolean failed = known.stream().anyMatch(it -> it.id().equals(job.id()));
      String name = String.join(", ", job.applications());
      say.accept("submitting the job of " + name + " again");
      try {
        List<ApplicationSettings> applications = new ArrayList<>();
        for (Path file : job.files()) {
          applications.add(ApplicationFileReader.read(file, System::getenv));
        }
        TopicPatterns found =
            TopicPatterns.find(applications, cluster.addresses().bootstrapServers());
        found.sentences().forEach(say);
        new ClusterRun(cluster, found.applications(), job.files(), monitor)
            .submit(
                StartOver.NO,
                CheckpointWatch.TOLERATED,
                failed ? new JobID() : JobID.fromHexString(job.id()));
      } catch (IOException | SettingsException refused) {
        problems.add(name + ": " + refused.getMessage());
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException("not submitted again: " + String.join("; ", problems));
    }
  }
}
