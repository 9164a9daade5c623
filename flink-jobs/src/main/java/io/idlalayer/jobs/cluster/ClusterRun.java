package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.InputFeed;
import io.idlalayer.jobs.embedded.InputPlan;
import io.idlalayer.jobs.embedded.JobWatch;
import io.idlalayer.jobs.embedded.RunMonitor;
import io.idlalayer.jobs.embedded.Saving;
import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.JobNames;
import io.idlalayer.jobs.job.JobStart;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.job.StartOver;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.recovery.FolderLock;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptionsInternal;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Submits applications to a running cluster and, with an input, follows them to its end. */
public final class ClusterRun {
  private final LocalCluster cluster;
  private final List<ApplicationSettings> applications;
  private final List<Path> files;
  private final RunMonitor monitor;

  /**
   * @param files where the applications were read from, to submit them again after the JobManager
   *     was killed
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
   * How to run.
   *
   * @param input what to feed and to follow to its end, or null to leave the job in the cluster
   * @param stopLimit how long the last savepoint may take, null for a time that suits the state
   */
  public record Options(
      @Nullable InputPlan input, StartOver startOver, @Nullable Duration stopLimit) {}

  /**
   * Submits; the classes are on the cluster's class path already, so none are sent.
   *
   * @return the view of the finished run, or null if there is no input to follow
   * @throws IOException also if a job of one of the applications runs on the cluster already
   */
  public @Nullable RunView run(Options options, BooleanSupplier stop)
      throws IOException, InterruptedException {
    LocalCluster.Addresses addresses = cluster.addresses();
    Topics.ensure(applications, addresses.bootstrapServers());
    InputPlan input = options.input();
    if (input == null) {
      monitor.phase("submitted job " + submit(options.startOver(), new JobID()).getJobID());
      return null;
    }
    try (DecisionFollower decisions =
            new DecisionFollower(applications, addresses.bootstrapServers());
        InputFeed feed = new InputFeed(input, addresses.bootstrapServers())) {
      RunView view = JobWatch.history(decisions);
      JobClient job =
          new PatientJobClient(submit(options.startOver(), new JobID()), System::nanoTime);
      monitor.phase("submitted job " + job.getJobID());
      feed.start();
      JobWatch watch = new JobWatch(job, decisions, monitor, view);
      watch.follow(feed, stop);
      monitor.phase("saving");
      // It may have been submitted again meanwhile, with a folder of its own.
      try (JobStart running = JobStart.attached(request(StartOver.NO))) {
        new Saving(running, monitor::phase).stop(watch, job, options.stopLimit());
      }
      new SubmittedJobs(cluster.workDirectory()).remove(JobNames.of(applications));
      return watch.view();
    }
  }

  private JobStart.Request request(StartOver startOver) throws IOException {
    JobLocations locations =
        new JobLocations(
            cluster.addresses().bootstrapServers(),
            cluster.workDirectory(),
            "idla-" + applications.get(0).name());
    return new JobStart.Request(
        applications,
        locations,
        WorkIdentity.read(cluster.workDirectory()),
        JobStart.Place.LOCAL_CLUSTER,
        startOver);
  }

  private JobClient submit(StartOver startOver, JobID id) throws IOException, InterruptedException {
    JobStart.Request request = request(startOver);
    LocalCluster.Addresses addresses = cluster.addresses();
    try (FolderLock alone = cluster.submitting();
        JobStart start = prepare(alone, request)) {
      Configuration conf = start.configuration();
      conf.set(PipelineOptionsInternal.PIPELINE_FIXED_JOB_ID, id.toHexString());
      StreamExecutionEnvironment env =
          StreamExecutionEnvironment.createRemoteEnvironment(
              addresses.host(), addresses.restPort(), conf);
      env.setParallelism(OnlineLearningJob.parallelism(applications, ClusterConfig.SLOTS));
      OnlineLearningJob.assemble(env, applications, request.locations());
      JobClient job = execute(env);
      new SubmittedJobs(cluster.workDirectory())
          .add(new SubmittedJobs.Submitted(id.toHexString(), JobNames.of(applications), files));
      return job;
    }
  }

  private JobStart prepare(FolderLock alone, JobStart.Request request)
      throws IOException, InterruptedException {
    java.util.Objects.requireNonNull(alone, "submit one at a time");
    Set<String> names = JobNames.of(applications);
    for (LocalCluster.Job job : cluster.jobs()) {
      if (!job.ended() && !Collections.disjoint(JobNames.parse(job.name()), names)) {
        throw new IOException(
            "job %s (%s) runs on this cluster already, as %s: two of them would publish over each other. Feed it with 'idla produce', or end it with 'idla cluster stop' first"
                .formatted(job.id(), job.name(), job.state()));
      }
    }
    return JobStart.prepare(request, monitor::phase);
  }

  private JobClient execute(StreamExecutionEnvironment env) throws IOException {
    try {
      return env.executeAsync(JobNames.name(applications));
    } catch (Exception refused) {
      throw new IOException(
          "the JobManager does not take the job: " + JobWatch.rootCause(refused), refused);
    }
  }

  /**
   * Submits again what the JobManager of a cluster should run and does not, each job from its
   * newest recovery point.
   *
   * @throws IOException naming all jobs that could not be submitted, after those that could
   */
  public static void resume(LocalCluster cluster, RunMonitor monitor, Consumer<String> say)
      throws IOException, InterruptedException {
    List<String> problems = new ArrayList<>();
    List<LocalCluster.Job> known = cluster.jobs();
    for (SubmittedJobs.Submitted job : new SubmittedJobs(cluster.workDirectory()).list()) {
      if (known.stream().anyMatch(it -> it.id().equals(job.id()) && !it.ended())) {
        continue;
      }
      // Flink takes the id of a job that failed only once; a new JobManager knows none.
      boolean failed = known.stream().anyMatch(it -> it.id().equals(job.id()));
      String name = String.join(", ", job.applications());
      say.accept("submitting the job of " + name + " again");
      try {
        List<ApplicationSettings> applications = new ArrayList<>();
        for (Path file : job.files()) {
          applications.add(ApplicationFileReader.read(file, System::getenv));
        }
        new ClusterRun(cluster, applications, job.files(), monitor)
            .submit(StartOver.NO, failed ? new JobID() : JobID.fromHexString(job.id()));
      } catch (IOException | SettingsException refused) {
        problems.add(name + ": " + refused.getMessage());
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException("not submitted again: " + String.join("; ", problems));
    }
  }
}
