package io.idlalayer.jobs.metrics;

import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.events.Event;
import org.apache.flink.events.reporter.EventReporter;
import org.apache.flink.events.reporter.EventReporterFactory;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.metrics.reporter.Scheduled;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.reporter.TraceReporter;
import org.apache.flink.traces.reporter.TraceReporterFactory;

/** Hangs when it shall report metrics, and throws whatever else it is told. */
public final class FaultyReporter
    implements MetricReporter, Scheduled, TraceReporter, EventReporter {
  /** Times that it was told something, in this process. */
  public static final AtomicInteger METRICS = new AtomicInteger();

  /** Spans of updates that it was told. */
  public static final AtomicInteger SPANS = new AtomicInteger();

  /** Events of learners that it was told. */
  public static final AtomicInteger EVENTS = new AtomicInteger();

  /** Times that it hung. */
  public static final AtomicInteger HANGS = new AtomicInteger();

  /** Makes the reporter of metrics. */
  public static final class Metrics implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new FaultyReporter();
    }
  }

  /** Makes the reporter of spans. */
  public static final class Traces implements TraceReporterFactory {
    @Override
    public TraceReporter createTraceReporter(Properties properties) {
      return new FaultyReporter();
    }
  }

  /** Makes the reporter of events. */
  public static final class Events implements EventReporterFactory {
    @Override
    public EventReporter createEventReporter(Properties properties) {
      return new FaultyReporter();
    }
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    METRICS.incrementAndGet();
    throw new IllegalStateException("faulty reporter of metrics");
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    throw new IllegalStateException("faulty reporter of metrics");
  }

  @Override
  public void report() {
    HANGS.incrementAndGet();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void notifyOfAddedSpan(Span span) {
    if (span.getName().equals("Update")) {
      SPANS.incrementAndGet();
    }
    throw new IllegalStateException("faulty reporter of spans");
  }

  @Override
  public void notifyOfAddedEvent(Event event) {
    if (event.getAttributes().containsKey("partition")) {
      EVENTS.incrementAndGet();
    }
    throw new IllegalStateException("faulty reporter of events");
  }
}
