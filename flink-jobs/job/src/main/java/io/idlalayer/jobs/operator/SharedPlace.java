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
 * The directory in which the processes of this host share their hot caches, and the digest that
 * says which files there this process may take over.
 *
 * @param cluster digest of the names and hash keys of the applications, which the processes of a
 *     job have in common, also after a restart; it tells no key
 */
record SharedPlace(Path directory, String cluster) {
  private static final Logger LOG = LoggerFactory.getLogger(SharedPlace.class);

  /**
   * Returns the place that the applications of a job name; null if they name none.
   *
   * @param applications applications that agree on it
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

  /** Returns what tells an application from one with the same name of another cluster. */
  private static String identity(ApplicationSettings application) {
    HashKey key = application.data().hashKey();
    return "%s %016x%016x".formatted(application.name(), key.high(), key.low());
  }

  /**
   * Opens the cache there. If that is not possible, the log says why and what to do, and the job
   * goes on with a cache of its own, since the cache holds nothing that the store does not have.
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
