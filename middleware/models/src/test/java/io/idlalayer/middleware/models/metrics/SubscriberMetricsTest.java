package io.idlalayer.middleware.models.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters as Prometheus reads them. */
final class SubscriberMetricsTest {
  private static final String TAGS = "{alias=\"\",application=\"app\",partition=\"0\"} ";
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(idla_model_\\w+)\\{");
  private static final Pattern DOCUMENTED = Pattern.compile("`(idla_model_\\w+)`");

  @TempDir Path folder;
  private long nowMillis = 1_000;

  private String scraped(PrometheusMeterRegistry registry) {
    return registry.scrape();
  }

  @Test
  void meters_ofASubscriber_sayWhatItServesAndRefuses() throws IOException {
    InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
    ModelStore store = new ModelStore(folder, clock);
    ModelPublisher publisher = store.claim("app", 0);
    ModelLoader<String> loader =
        (checkpoint, files) -> {
          String text = Drafts.text(files);
          nowMillis += 250;
          if (text.equals("broken")) {
            throw new IllegalStateException("cannot make a model of this");
          }
          return text;
        };
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (ModelSubscriber<String> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(5)),
            loader,
            clock,
            () -> nowMillis * 1_000_000)) {
      new SubscriberMetrics(subscriber, clock).bindTo(registry);
      assertThat(scraped(registry))
          .contains("idla_model_version" + TAGS + "0.0")
          .contains("idla_model_age_seconds" + TAGS + "NaN");
      publisher.publish(Drafts.of(1, "one"));
      subscriber.refresh();
      nowMillis = 4_000;
      publisher.publish(Drafts.of(2, "broken"));
      assertThatThrownBy(subscriber::refresh).isInstanceOf(IOException.class);
      assertThat(scraped(registry))
          .contains("idla_model_version" + TAGS + "1.0")
          .contains("idla_model_age_seconds" + TAGS + "3.25")
          .contains("idla_model_staleness_seconds" + TAGS + "3.0")
          .contains("idla_model_swaps_total" + TAGS + "1.0")
          .contains("idla_model_refusals_total" + TAGS + "1.0")
          .contains("idla_model_notices_failures_total" + TAGS + "0.0")
          .contains("idla_model_retired" + TAGS + "0.0")
          .contains("idla_model_leases" + TAGS + "0.0")
          .contains("idla_model_load_seconds_count" + TAGS + "1")
          .contains("idla_model_load_seconds_sum" + TAGS + "0.25");
      assertThat(names(SAMPLE, scraped(registry))).isEqualTo(documented());
    }
    assertThat(scraped(registry)).contains("idla_model_version" + TAGS + "0.0");
  }

  private static Set<String> documented() throws IOException {
    String serving = Files.readString(Path.of("../../docs/serving-processes.md"));
    int from = serving.indexOf("\n## Meters");
    return names(DOCUMENTED, serving.substring(from));
  }

  private static Set<String> names(Pattern pattern, String text) {
    Set<String> names = new TreeSet<>();
    Matcher found = pattern.matcher(text);
    while (found.find()) {
      names.add(found.group(1));
    }
    return names;
  }
}
