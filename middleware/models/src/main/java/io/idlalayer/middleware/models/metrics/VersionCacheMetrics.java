package io.idlalayer.middleware.models.metrics;

import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Micrometer meters of a cache of versions: how often it saved a read of the source. Each has the
 * tag {@code folder}.
 *
 * <pre>{@code
 * new VersionCacheMetrics(cache).bindTo(registry);
 * }</pre>
 *
 * <p>A registry keeps no cache alive.
 */
public final class VersionCacheMetrics implements MeterBinder {
  private static final String PREFIX = "idla.version.cache.";

  private final VersionCache cache;

  public VersionCacheMetrics(VersionCache cache) {
    this.cache = cache;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(
        registry, "hits", "files that were read from the folder", null, VersionCache.Counts::hits);
    counter(
        registry,
        "misses",
        "files that this process has read from their source",
        null,
        VersionCache.Counts::misses);
    counter(
        registry,
        "source",
        "bytes that this process has read from sources",
        "bytes",
        VersionCache.Counts::sourceBytes);
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String description,
      @Nullable String unit,
      ToLongFunction<VersionCache.Counts> count) {
    FunctionCounter.builder(PREFIX + name, cache, of -> count.applyAsLong(of.counts()))
        .description(description)
        .baseUnit(unit)
        .tag("folder", cache.settings().folder().toString())
        .register(registry);
  }
}
