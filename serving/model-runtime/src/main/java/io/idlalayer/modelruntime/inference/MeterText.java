package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.modelruntime.serve.Predictor;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Writes the metrics of a server's models in Prometheus's text format (0.0.4), among them the age
 * of their versions. Names and meanings are those of {@link
 * io.idlalayer.middleware.models.metrics.SubscriberMetrics}; unknown ids are counted in addition.
 */
final class MeterText {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final String PREFIX = "idla_model_";
  private static final double MILLIS = 1e3;

  private final Map<ServedModel, ModelSubscriber.Status> statuses = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();

  private MeterText(Collection<ServedModel> models) {
    models.forEach(each -> statuses.put(each, each.subscriber().status()));
  }

  /**
   * Returns the metrics of all models; each model is read once.
   *
   * @param clock for the age of versions
   */
  static byte[] of(Collection<ServedModel> models, InstantSource clock) {
    MeterText page = new MeterText(models);
    long now = clock.millis();
    page.meter("version", "gauge", "version in service, 0 for none", of -> of.version());
    page.meter(
        "age_seconds",
        "gauge",
        "since the version in service was published",
        of -> of.version() == 0 ? Double.NaN : Math.max(0, now - of.publishedAtMillis()) / MILLIS);
    page.meter(
        "staleness_seconds",
        "gauge",
        "since the version in service was last known to be the one to serve",
        of -> of.stalenessMillis() / MILLIS);
    page.meter("swaps_total", "counter", "versions that went into service", of -> of.swaps());
    page.meter(
        "refusals_total",
        "counter",
        "attempts to take a version that were refused",
        of -> of.refused());
    page.meter(
        "notices_failures_total",
        "counter",
        "failures of the source of notices",
        of -> of.noticesFailed());
    page.meter("leases", "gauge", "leases not closed yet", of -> of.openLeases());
    page.meter(
        "retired", "gauge", "models out of service that are still leased", of -> of.retired());
    page.head(
        "load_seconds",
        "summary",
        "fetching, verifying and loading versions that went into service");
    page.values("load_seconds_count", of -> of.loads());
    page.values("load_seconds_sum", of -> of.loadMillis() / MILLIS);
    page.head(
        "unknown_ids_total", "counter", "ids asked for that have no row in the model's tables");
    page.modelValues("unknown_ids_total", MeterText::unknownIds);
    return page.text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void meter(
      String name, String type, String help, ToDoubleFunction<ModelSubscriber.Status> value) {
    head(name, type, help);
    values(name, value);
  }

  private void head(String name, String type, String help) {
    for (String line : List.of("# HELP %s%s " + help, "# TYPE %s%s " + type)) {
      text.append(line.formatted(PREFIX, name)).append('\n');
    }
  }

  /**
   * Returns the number of unknown ids of a model; NaN if no version is in service, because
   * Prometheus would take a lower count for a restart.
   */
  private static double unknownIds(ServedModel model) {
    Optional<? extends ModelLease<? extends Predictor>> found = model.subscriber().tryAcquire();
    if (found.isEmpty()) {
      return Double.NaN;
    }
    try (ModelLease<? extends Predictor> lease = found.get()) {
      return lease.model().unknownIds();
    }
  }

  private void values(String name, ToDoubleFunction<ModelSubscriber.Status> value) {
    modelValues(name, model -> value.applyAsDouble(statusOf(model)));
  }

  private ModelSubscriber.Status statusOf(ServedModel model) {
    return Objects.requireNonNull(statuses.get(model));
  }

  private void modelValues(String name, ToDoubleFunction<ServedModel> value) {
    statuses
        .keySet()
        .forEach(
            model -> {
              ModelSubscriber.Subscription of = model.subscriber().subscription();
              String alias = of.alias();
              // Nothing in names has to be escaped.
              text.append(
                      String.format(
                          Locale.ROOT,
                          "%s%s{model=\"%s\",application=\"%s\",partition=\"%d\",alias=\"%s\"} ",
                          PREFIX,
                          name,
                          model.name(),
                          of.application(),
                          of.partition(),
                          alias == null ? "" : alias))
                  .append(number(value.applyAsDouble(model)))
                  .append('\n');
            });
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < Long.MAX_VALUE
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
