package io.idlalayer.jobs.metrics;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * A group of Flink's metrics that only the reporting thread touches. Flink locks a group while it
 * registers the group's metrics and announces them to the reporters, so any other thread that used
 * the group, or a group below it, would wait for a reporter. Safe from any thread.
 */
final class ReportedGroup {
  private final ReportThread reports;
  private final Supplier<MetricGroup> made;
  private @Nullable MetricGroup group;

  /**
   * @param made creates or finds the group; called with the first report
   */
  ReportedGroup(ReportThread reports, Supplier<MetricGroup> made) {
    this.reports = reports;
    this.made = made;
  }

  /** Returns a group of metrics inside this one, with a label. */
  ReportedGroup below(String key, String value) {
    return new ReportedGroup(reports, () -> group().addGroup(key, value));
  }

  /** Queues a use of the group on the reporting thread; returns false if it was dropped. */
  boolean offer(Consumer<MetricGroup> report) {
    return reports.offer(() -> report.accept(group()));
  }

  /**
   * Returns the group, which the first call creates. Only the reporting thread calls this, so no
   * other thread waits for this lock.
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
