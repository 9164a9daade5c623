package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * Derives metrics, spans and events from a learner's output, and passes the output on. Each
 * decision event carries a status. This class keeps the latest status for the threads of reporters,
 * which never touch the learner itself. A metric exists from the first event that has a value for
 * it. The operator's thread calls the methods of {@link LearnerOutput}.
 */
final class LearnerMetrics implements LearnerOutput {
  private final ReportedGroup group;
  private final LearnerOutput next;
  private final LongUnaryOperator publishedAt;
  private final InstantSource clock;
  private final UpdateReports updates;
  private final List<MetricDefinition<LearnerSnapshot>> unregistered;
  private final Map<MetricDefinition<LearnerSnapshot>, RecentTimes> histograms = new HashMap<>();
  private volatile @Nullable LearnerSnapshot latest;

  LearnerMetrics(
      LearnerKey learner,
      ReportedGroup group,
      LearnerOutput next,
      LongUnaryOperator publishedAt,
      InstantSource clock) {
    this.group = group;
    this.next = next;
    this.publishedAt = publishedAt;
    this.clock = clock;
    updates = new UpdateReports(learner, group);
    unregistered = new ArrayList<>(MetricCatalog.LEARNER);
  }

  @Override
  public void decision(DecisionEvent event) {
    next.decision(event);
    LearnerSnapshot before = latest;
    LearnerSnapshot now = LearnerSnapshot.after(before, event, publishedAt);
    latest = now;
    if (!unregistered.isEmpty()) {
      registerNew(now);
    }
    histograms.forEach(
        (each, times) -> {
          Number value = each.reading().of(now, now.atMillis());
          if (value != null) {
            times.update(value.longValue());
          }
        });
    updates.report(before, now, event.message());
  }

  @Override
  public void refused(DeadLetter letter) {
    next.refused(letter);
  }

  @Override
  public void notice(ModelNotice notice) {
    next.notice(notice);
  }

  @Override
  public void mixing(MixingMessage message) {
    next.mixing(message);
  }

  /** Returns the facts about the learner at its latest event; null before the first event. */
  @Nullable LearnerSnapshot latest() {
    return latest;
  }

  private LearnerSnapshot required() {
    return Objects.requireNonNull(latest, "a metric was read before the learner's first event");
  }

  private void registerNew(LearnerSnapshot now) {
    List<Consumer<MetricGroup>> added = new ArrayList<>();
    Iterator<MetricDefinition<LearnerSnapshot>> left = unregistered.iterator();
    List<MetricDefinition<LearnerSnapshot>> found = new ArrayList<>();
    while (left.hasNext()) {
      MetricDefinition<LearnerSnapshot> each = left.next();
      if (each.kind() == MetricDefinition.Kind.HISTOGRAM) {
        RecentTimes times = histograms.computeIfAbsent(each, any -> new RecentTimes());
        added.add(own -> own.histogram(each.name(), times));
        found.add(each);
      } else if (each.reading().of(now, now.atMillis()) != null) {
        added.add(own -> register(each, own, this::required, clock));
        found.add(each);
      }
    }
    if (!added.isEmpty() && group.offer(own -> added.forEach(each -> each.accept(own)))) {
      unregistered.removeAll(found);
    }
  }

  /** Adds a counter or a gauge, which computes its value whenever a reporter reads it. */
  static <S> void register(
      MetricDefinition<S> metric, MetricGroup group, Supplier<S> source, InstantSource clock) {
    switch (metric.kind()) {
      case COUNTER -> group.counter(metric.name(), new ReadCounter<>(metric, source, clock));
      case GAUGE -> {
        Gauge<Number> gauge = () -> value(metric, source, clock);
        group.gauge(metric.name(), gauge);
      }
      case HISTOGRAM -> throw new IllegalArgumentException(metric.name() + " is filled, not read");
    }
  }

  /** Returns the value of a metric; not a number if the metric has no value any more. */
  private static <S> Number value(
      MetricDefinition<S> metric, Supplier<S> source, InstantSource clock) {
    Number value = metric.reading().of(source.get(), clock.millis());
    return value == null ? Double.NaN : value;
  }

  /** A counter whose value is computed whenever it is read. */
  private record ReadCounter<S>(MetricDefinition<S> metric, Supplier<S> source, InstantSource clock)
      implements Counter {
    @Override
    public long getCount() {
      return value(metric, source, clock).longValue();
    }

    @Override
    public void inc() {
      throw readOnly();
    }

    @Override
    public void inc(long n) {
      throw readOnly();
    }

    @Override
    public void dec() {
      throw readOnly();
    }

    @Override
    public void dec(long n) {
      throw readOnly();
    }

    private UnsupportedOperationException readOnly() {
      return new UnsupportedOperationException(metric.name() + " is only read");
    }
  }
}
