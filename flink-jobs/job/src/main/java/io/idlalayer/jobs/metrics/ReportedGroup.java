package io.idlalayer.jobs.metrics;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * A group of metrics that only the thread that reports touches. Flink's groups are locked while
 * their metrics are registered, and with that while a reporter is told of them; whoever asked a
 * group for anything, for a group below it too, would wait for the reporter. Safe from any thread.
 */
final class ReportedGroup {
  private final ReportThread reports;
  private final Supplier<MetricGroup> made;
  private @Nullable MetricGroup group;

  /**
   * @param made makes the group, or finds it; called with the first report
   */
  ReportedGroup(ReportThread reports, Supplier<MetricGroup> made) {
    this.reports = reports;
    this.made = made;
  }

  /** A group below this one. */
  ReportedGroup below(String key, String value) {
    return new ReportedGroup(reports, () -> group().addGroup(key, value));
  }

  /** Queues something to be done with the group; false if it was dropped. */
  boolean offer(Consumer<MetricGroup> report) {
    return reports.offer(() -> report.accept(group()));
  }

  /** Only for the thread that reports; nobody else waits for this lock. */
  private synchronized MetricGroup group() {
    MetricGroup known = group;
    if (known == null) {
      known = made.get();
      group = known;
    }
    return known;
  }
}
