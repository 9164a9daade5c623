package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.cache.shared.SharedUse;
import java.time.InstantSource;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of a subtask of the learning operator. Flink removes all of these metrics when the
 * subtask ends. The learners of the subtask are closed or moved then, too. No call waits for a
 * reporter.
 */
public final class SubtaskMetrics implements AutoCloseable {
  /** Name of the group that holds all metrics of the product, inside the operator's group. */
  public static final String GROUP = "idlalayer";

  static final String APPLICATION = "application";
  static final String PARTITION = "partition";

  private final ReportedGroup group;
  private final InstantSource clock;
  private final ReportThread reports;

  /** The source of the metrics of a whole subtask. Safe from any thread. */
  record Source(TrainerThread trainer, ReportThread reports) {}

  /**
   * @param operator the metric group of the operator
   * @param clock clock for values that are computed when a metric is read
   */
  public SubtaskMetrics(
      MetricGroup operator, TrainerThread trainer, ReportThread reports, InstantSource clock) {
    this.clock = clock;
    this.reports = reports;
    group = new ReportedGroup(reports, () -> operator.addGroup(GROUP));
    Source source = new Source(trainer, reports);
    group.offer(
        own ->
            MetricCatalog.SUBTASK.forEach(
                each -> LearnerMetrics.register(each, own, () -> source, clock)));
  }

  /**
   * Registers the metrics of a hot cache that the process shares with other processes. Each subtask
   * of the process reports the numbers of the whole process.
   */
  public void sharing(Supplier<SharedUse> use) {
    group.offer(
        own ->
            MetricCatalog.SHARED_CACHE.forEach(
                each -> LearnerMetrics.register(each, own, use, clock)));
  }

  /**
   * Returns an output that passes everything on to another output, and derives metrics, spans and
   * events from it.
   *
   * @param publishedAt returns when a version of the learner was published, epoch milliseconds,
   *     negative if unknown; a call might read a file
   */
  public LearnerOutput observing(
      LearnerKey learner, LearnerOutput output, LongUnaryOperator publishedAt) {
    ReportedGroup own =
        group
            .below(APPLICATION, learner.application())
            .below(PARTITION, Integer.toString(learner.partition()));
    return new LearnerMetrics(learner, own, output, publishedAt, clock);
  }

  /** Ends the reporting thread. */
  @Override
  public void close() {
    reports.close();
  }
}
