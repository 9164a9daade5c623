package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.settings.Quantities;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the folder in which the processes of a host share files of versions. */
final class CacheOptions {
  @Option(
      names = "--cache-folder",
      paramLabel = "DIR",
      description =
          "Folder on this host in which its processes share files of versions, so that each file is"
              + " read once from the place of the models.")
  @Nullable Path folder;

  @Option(
      names = "--cache-bytes",
      paramLabel = "SIZE",
      description = "Most bytes of --cache-folder, such as 20GiB (default: 4GiB).")
  @Nullable String bytes;

  private @Nullable VersionCache cache;

  /**
   * Checks the options.
   *
   * @throws UsageException if they cannot be used
   */
  void check() {
    if (folder == null && bytes != null) {
      throw new UsageException("--cache-bytes needs --cache-folder DIR");
    }
    mostBytes();
  }

  /**
   * Returns a source that reads through the folder; the given source if no folder is named.
   *
   * @param mostWait longest time to wait for another process that reads a file
   */
  ModelSource through(ModelSource source, Duration mostWait) {
    Path named = folder;
    if (named == null) {
      return source;
    }
    VersionCache made =
        new VersionCache(
            new VersionCacheSettings(named, mostBytes(), mostWait), InstantSource.system());
    cache = made;
    return new CachedSource(source, made);
  }

  /** Returns a sentence about the reads that the folder has saved; empty without a folder. */
  Optional<String> summary() {
    VersionCache used = cache;
    if (used == null) {
      return Optional.empty();
    }
    VersionCache.Counts counts = used.counts();
    return Optional.of(
        String.format(
            Locale.ROOT,
            "files read from the cache folder: %,d; from the models' source: %,d (%,d bytes)",
            counts.hits(),
            counts.misses(),
            counts.sourceBytes()));
  }

  private long mostBytes() {
    String given = bytes;
    if (given == null) {
      return VersionCacheSettings.USUAL_BYTES;
    }
    long parsed;
    try {
      parsed = Quantities.bytes(given);
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--cache-bytes: '%s' %s".formatted(given, refused.getMessage()));
    }
    if (parsed == 0) {
      throw new UsageException("--cache-bytes must be above 0");
    }
    return parsed;
  }
}
