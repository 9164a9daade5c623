package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory in which the processes of this host share their hot caches. A digest tells which
 * files in the directory this process is allowed to take over.
 *
 * @param cluster digest of the names and hash keys of the applications. All processes of a job have
 *     the same digest, also after a restart. The digest reveals no hash key.
 */
record SharedPlace(Path directory, String cluster) {
  private static final Logger LOG = LoggerFactory.getLogger(SharedPlace.class);

  /**
   * Returns the place that the applications of a job name; null if they name none.
   *
   * @param applications applications of one job, which do not name different directories
   */
  static @Nullable SharedPlace of(List<ApplicationSettings> applications) {
    String named =
        applications.stream()
            .filter(application -> application.memory().hotBytes() > 0)
            .map(application -> application.memory().sharedDirectory())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    if (named == null) {
      return null;
    }
    String identities =
        applications.stream().map(SharedPlace::identity).sorted().collect(Collectors.joining("\n"));
    PayloadDigest digest = PayloadDigest.of(identities.getBytes(StandardCharsets.UTF_8));
    return new SharedPlace(
        Path.of(named), String.format(Locale.ROOT, "%016x%016x", digest.high(), digest.low()));
  }

  /**
   * Returns a text that differs between applications of two clusters, even if they have the same
   * name.
   */
  private static String identity(ApplicationSettings application) {
    HashKey key = application.data().hashKey();
    return "%s %016x%016x".formatted(application.name(), key.high(), key.low());
  }

  /**
   * Opens the shared cache in this directory. If this fails, the log says why, and the process uses
   * a cache that it does not share. Nothing is lost then, because the store has everything that a
   * cache holds.
   */
  @Nullable SharedHotCache open(CacheSettings settings, InstantSource clock) {
    try {
      return new SharedHotCache(directory, cluster, settings, clock.millis());
    } catch (IOException | OutOfMemoryError unusable) {
      LOG.warn(
          "memory.shared-directory {} is not used, this process has a hot cache of its own: {}",
          directory,
          unusable.getMessage(),
          unusable);
      return null;
    }
  }
}
