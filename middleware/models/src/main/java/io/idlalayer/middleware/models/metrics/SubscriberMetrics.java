package io.idlalayer.middleware.models.metrics;

import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Micrometer meters of a subscriber: the version that it serves, the version's age, and the
 * versions that it refused. Each meter has the tags {@code application}, {@code partition} and
 * {@code alias}; {@code alias} is empty if the subscriber follows none.
 *
 * <pre>{@code
 * new SubscriberMetrics(subscriber, InstantSource.system()).bindTo(registry);
 * }</pre>
 *
 * <p>A registry keeps no subscriber alive. After a subscriber was closed, its meters show no
 * version.
 */
public final class SubscriberMetrics implements MeterBinder {
  private static final String PREFIX = "idla.model.";

  private final ModelSubscriber<?> subscriber;
  private final InstantSource clock;
  private final Tags tags;

  /**
   * @param clock the subscriber's clock, for the age of versions
   */
  public SubscriberMetrics(ModelSubscriber<?> subscriber, InstantSource clock) {
    this.subscriber = subscriber;
    this.clock = clock;
    ModelSubscriber.Subscription followed = subscriber.subscription();
    String alias = followed.alias();
    tags =
        Tags.of(
            "application",
            followed.application(),
            "partition",
            Integer.toString(followed.partition()),
            "alias",
            alias == null ? "" : alias);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "version", "version in service, 0 for none", ModelSubscriber.Status::version);
    gauge(registry, "leases", "leases not closed yet", ModelSubscriber.Status::openLeases);
    gauge(
        registry,
        "retired",
        "models out of service that are still leased",
        ModelSubscriber.Status::retired);
    InstantSource now = clock;
    TimeGauge.builder(
            PREFIX + "age",
            subscriber,
            TimeUnit.MILLISECONDS,
            of -> ageMillis(of.status(), now.millis()))
        .description("since the version in service was published; no number without one")
        .tags(tags)
        .register(registry);
    TimeGauge.builder(
            PREFIX + "staleness",
            subscriber,
            TimeUnit.MILLISECONDS,
            of -> of.status().stalenessMillis())
        .description("since the version in service was last known to be the one to serve")
        .tags(tags)
        .register(registry);
    counter(registry, "swaps", "versions that went into service", ModelSubscriber.Status::swaps);
    counter(
        registry,
        "refusals",
        "attempts to take a version that were refused",
        ModelSubscriber.Status::refused);
    counter(
        registry,
        "notices.failures",
        "failures of the source of notices",
        ModelSubscriber.Status::noticesFailed);
    FunctionTimer.builder(
            PREFIX + "load",
            subscriber,
            of -> of.status().loads(),
            of -> of.status().loadMillis(),
            TimeUnit.MILLISECONDS)
        .description("fetching, verifying and loading versions that went into service")
        .tags(tags)
        .register(registry);
  }

  private static double ageMillis(ModelSubscriber.Status status, long nowMillis) {
    return status.version() == 0 ? Double.NaN : Math.max(0, nowMillis - status.publishedAtMillis());
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<ModelSubscriber.Status> value) {
    Gauge.builder(PREFIX + name, subscriber, of -> value.applyAsDouble(of.status()))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String description,
      ToLongFunction<ModelSubscriber.Status> count) {
    FunctionCounter.builder(PREFIX + name, subscriber, of -> count.applyAsLong(of.status()))
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
