package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.InputFeed;
import io.idlalayer.jobs.embedded.InputPlan;
import io.idlalayer.jobs.embedded.JobWatch;
import io.idlalayer.jobs.embedded.RunMonitor;
import io.idlalayer.jobs.embedded.WorkDirectory;
import io.idlalayer.jobs.job.FlinkSettings;
import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Submits applications to a running cluster and, with an input, follows them to its end. */
public final class ClusterRun {
  private final LocalCluster cluster;
  private final List<ApplicationSettings> applications;
  private final RunMonitor monitor;

  public ClusterRun(
      LocalCluster cluster, List<ApplicationSettings> applications, RunMonitor monitor) {
    this.cluster = cluster;
    this.applications = List.copyOf(applications);
    this.monitor = monitor;
  }

  /**
   * Submits; the classes are on the cluster's class path already, so none are sent.
   *
   * @return the view of the finished run, or null if there is no input to follow
   */
  public @Nullable RunView run(@Nullable InputPlan input, BooleanSupplier stop)
      throws IOException, InterruptedException {
    LocalCluster.Addresses addresses = cluster.addresses();
    Topics.ensure(applications, addresses.bootstrapServers());
    JobLocations locations =
        new JobLocations(
            addresses.bootstrapServers(),
            cluster.workDirectory(),
            "idla-" + applications.get(0).name());
    if (input == null) {
      monitor.phase("submitted job " + submit(addresses, locations).getJobID());
      return null;
    }
    try (DecisionFollower decisions =
            new DecisionFollower(applications, addresses.bootstrapServers());
        InputFeed feed = new InputFeed(input, addresses.bootstrapServers())) {
      RunView view = JobWatch.history(decisions);
      JobClient job = submit(addresses, locations);
      monitor.phase("submitted job " + job.getJobID());
      feed.start();
      JobWatch watch = new JobWatch(job, decisions, monitor, view);
      watch.follow(feed, stop);
      monitor.phase("saving");
      Path savepoint = watch.stopWithSavepoint(locations.savepoints());
      monitor.phase("saved in " + savepoint.getFileName());
      return watch.view();
    }
  }

  private JobClient submit(LocalCluster.Addresses addresses, JobLocations locations)
      throws IOException {
    Optional<Path> checkpoint = WorkDirectory.newestCheckpoint(cluster.workDirectory());
    checkpoint.ifPresent(
        found -> monitor.phase("continuing from " + cluster.workDirectory().relativize(found)));
    Configuration conf =
        FlinkSettings.configuration(locations, applications, checkpoint.orElse(null));
    // Each TaskManager has a folder of its own, named in its configuration.
    conf.removeKey("state.backend.rocksdb.localdir");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createRemoteEnvironment(
            addresses.host(), addresses.restPort(), conf);
    int learners = applications.stream().mapToInt(ApplicationSettings::partitions).sum();
    env.setParallelism(Math.min(learners, ClusterConfig.SLOTS));
    OnlineLearningJob.assemble(env, applications, locations);
    try {
      return env.executeAsync("iDlaLayer " + applications.get(0).name());
    } catch (Exception refused) {
      throw new IOException(
          "the JobManager does not take the job: " + JobWatch.rootCause(refused), refused);
    }
  }
}
