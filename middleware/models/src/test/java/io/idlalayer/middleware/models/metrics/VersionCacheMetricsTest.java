package io.idlalayer.middleware.models.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters of a cache as Prometheus reads them. */
final class VersionCacheMetricsTest {
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(idla_version_cache_\\w+)\\{");
  private static final Pattern DOCUMENTED = Pattern.compile("`(idla_version_cache_\\w+)`");

  @TempDir Path folder;
  @TempDir Path cached;

  @Test
  void meters_ofACache_countWhatItSaved() throws IOException {
    ModelStore store = new ModelStore(folder, InstantSource.system());
    store.claim("app", 0).publish(Drafts.of(1, "one"));
    VersionCache cache = new VersionCache(VersionCacheSettings.of(cached), InstantSource.system());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new VersionCacheMetrics(cache).bindTo(registry);
    ModelReader reader = new ModelReader(new CachedSource(store.source(), cache));
    for (int i = 0; i < 3; i++) {
      reader.load(reader.current("app", 0).orElseThrow());
    }
    String tags = "{folder=\"" + cached + "\"} ";
    assertThat(registry.scrape())
        .contains("idla_version_cache_misses_total" + tags + "2.0")
        .contains("idla_version_cache_hits_total" + tags + "4.0")
        .contains("idla_version_cache_source_bytes_total" + tags + "5.0");
    assertThat(names(SAMPLE, registry.scrape()))
        .isEqualTo(names(DOCUMENTED, Files.readString(Path.of("../../docs/serving-processes.md"))));
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
