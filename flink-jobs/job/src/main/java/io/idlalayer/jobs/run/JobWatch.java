package io.idlalayer.jobs.run;

import io.idlalayer.jobs.checkpoint.CheckpointWatch;
import io.idlalayer.jobs.checkpoint.CheckpointsFailedException;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.report.DecisionHandover;
import io.idlalayer.jobs.report.DecisionSource;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.KafkaInputTopics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.jspecify.annotations.Nullable;

/**
 * Follows a job through the events of its learners, feeds it with input, and notices when it fails,
 * wherever the job runs. Confined to one thread.
 */
public final class JobWatch implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long STATUS_SECONDS = 30;

  /** Time between two checks whether the job runs. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String servers;
  private final DecisionFollower topics;
  private final DecisionSource decisions;
  private final RunMonitor monitor;
  private final BrokerWatch broker;
  private final RunView view = new RunView();
  private final ProcessorTimes processor = ProcessorTimes.process();
  private @Nullable Long heardNanos;
  private long lookedNanos;

  /**
   * Creates a watch and reads the events of earlier runs. Must be called before the job is
   * submitted.
   *
   * @param servers Kafka servers, "host:port,..."
   * @param handover hands events over from learners in this process; null if the learners run in
   *     other processes
   * @throws IOException if no broker answers
   */
  public JobWatch(
      List<ApplicationSettings> applications,
      String servers,
      RunMonitor monitor,
      @Nullable DecisionHandover handover)
      throws IOException {
    this.servers = servers;
    this.monitor = monitor;
    lookedNanos = System.nanoTime();
    topics = new DecisionFollower(applications, servers);
    try {
      topics.history(view::add);
    } catch (IOException | RuntimeException failed) {
      topics.close();
      throw failed;
    }
    view.reopen();
    decisions =
        new DecisionSource(
            topics::poll,
            applications.stream().map(ApplicationSettings::name).collect(Collectors.toSet()),
            handover == null ? null : handover.open());
    broker =
        BrokerWatch.of(
            new KafkaInputTopics(applications.get(0).kafka(), servers),
            applications.stream()
                .flatMap(each -> each.input().topics().stream())
                .collect(Collectors.toSet()));
  }

  /** Returns the view of the run so far. */
  public RunView view() {
    return view;
  }

  /**
   * Returns when the watch read the first event of the job's learners, by {@link System#nanoTime};
   * null if it has read none.
   */
  public @Nullable Long heardNanos() {
    return heardNanos;
  }

  /**
   * Feeds an input to the job, if there is one, and follows the job until the input is learned or
   * {@code stop} returns true.
   *
   * @param input the input to feed, or null to follow until stopped
   * @param stop returns whether to stop; called several times a second
   * @return whether the input was learned
   * @throws CheckpointsFailedException if the last complete checkpoint is too old
   * @throws IOException if the job or the input fails
   */
  public boolean follow(
      JobClient job, CheckpointWatch checkpoints, @Nullable InputPlan input, BooleanSupplier stop)
      throws IOException, InterruptedException {
    if (input == null) {
      return follow(job, checkpoints, (InputFeed) null, stop);
    }
    try (InputFeed feed = new InputFeed(input, servers)) {
      feed.start();
      return follow(job, checkpoints, feed, stop);
    }
  }

  private boolean follow(
      JobClient job, CheckpointWatch checkpoints, @Nullable InputFeed feed, BooleanSupplier stop)
      throws IOException, InterruptedException {
    String run = job.getJobID().toString();
    while (!stop.getAsBoolean()) {
      long begin = processor.threadNanos();
      List<DecisionEvent> events = decisions.poll(POLL);
      events.forEach(event -> take(event, run));
      processor.followed(events, processor.threadNanos() - begin);
      monitor.tick(view);
      String news = broker.news();
      if (news != null) {
        monitor.phase(news);
      }
      checkpoints.news().forEach(monitor::phase);
      if (feed != null) {
        feed.check(monitor);
        if (feed.learned(view)) {
          return true;
        }
      }
      if (System.nanoTime() - lookedNanos >= LOOK_NANOS) {
        checkRunning(job);
        lookedNanos = System.nanoTime();
      }
    }
    return false;
  }

  private void take(DecisionEvent event, String run) {
    // Another run of the same application might write to the same topic.
    if (event.status().input().run().equals(run)) {
      if (heardNanos == null) {
        heardNanos = System.nanoTime();
      }
      view.add(event);
      monitor.event(view, event);
    }
  }

  private static void checkRunning(JobClient job) throws IOException, InterruptedException {
    String ended;
    try {
      JobStatus status = JobAnswers.await(job.getJobStatus(), STATUS_SECONDS);
      if (!status.isGloballyTerminalState()) {
        return;
      }
      ended = "the job ended as " + status;
    } catch (IllegalStateException gone) {
      // An embedded cluster ends with its job. The result of the job, which has the reason, is
      // available then.
      ended = "the job and its cluster ended";
    }
    try {
      job.getJobExecutionResult().get(STATUS_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw new IOException("the job failed: " + JobAnswers.words(failed), failed);
    } catch (TimeoutException late) {
      throw new IOException(ended, late);
    }
    throw new IOException(ended + " before its input did");
  }

  @Override
  public void close() {
    broker.close();
    decisions.close();
    topics.close();
  }
}
