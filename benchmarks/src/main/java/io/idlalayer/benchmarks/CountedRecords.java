package io.idlalayer.benchmarks;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * A reporter that does nothing but hold the counters of records that operators have taken, so that
 * an experiment in the same process can read them at any moment.
 */
public final class CountedRecords implements MetricReporter {
  private static final Map<Metric, String> COUNTERS = new ConcurrentHashMap<>();

  /** Made by Flink. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new CountedRecords();
    }
  }

  /** Records that have come to the operators with this part in their name; 0 before the first. */
  static long of(String operator) {
    long sum = 0;
    for (Map.Entry<Metric, String> each : COUNTERS.entrySet()) {
      if (each.getValue().contains(operator)) {
        sum += ((Counter) each.getKey()).getCount();
      }
    }
    return sum;
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {
    COUNTERS.clear();
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    String operator = group.getAllVariables().get("<operator_name>");
    if (name.equals("numRecordsIn") && operator != null && metric instanceof Counter) {
      COUNTERS.put(metric, operator);
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    COUNTERS.remove(metric);
  }
}
