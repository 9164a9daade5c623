package io.idlalayer.jobs.metrics;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * A group of Flink's metrics that only the reporting thread touches. Flink locks a group while it
 * registers the group's metrics and announces them to the reporters. If another thread used the
 * group, or a group below it, this thread would wait for a reporter. Safe from any thread.
 */
final class ReportedGroup {
  private final ReportThread reports;
  private final Supplier<MetricGroup> made;
  private @Nullable MetricGroup group;

  /**
   * @param made creates or finds the group; called by the reporting thread at the first report
   */
  ReportedGroup(ReportThread reports, Supplier<MetricGroup> made) {
    this.reports = reports;
    this.made = made;
  }

  /** Returns a group of metrics inside this group, with a label. */
  ReportedGroup below(String key, String value) {
    return new ReportedGroup(reports, () -> group().addGroup(key, value));
  }

  /** Queues a report that uses the group. Returns false if the report was dropped. */
  boolean offer(Consumer<MetricGroup> report) {
    return reports.offer(() -> report.accept(group()));
  }

  /**
   * Returns the group, which the first call creates. Only the reporting thread calls this method,
   * so no other thread waits for its lock.
   */
  private synchronized MetricGroup group() {
    MetricGroup known = group;
    if (known == null) {
      known = made.get();
      group = known;
    }
    return known;
  }
}
