package io.idlalayer.middleware.models.storage.cache;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of a {@link VersionCache}.
 *
 * @param folder folder on the host, on a local disk or in memory, which is made if there is none;
 *     the cache uses a folder of this user in it
 * @param mostBytes most bytes of the cached files together, above 0; larger files are not cached
 * @param mostWait longest time to wait for another process that reads a file from the source, at
 *     most a day; 0 for not at all
 */
public record VersionCacheSettings(Path folder, long mostBytes, Duration mostWait) {
  /** Usual bound of the cached files together, 4 GiB. */
  public static final long USUAL_BYTES = 4L << 30;

  /** Usual longest time to wait for another process, 10 minutes. */
  public static final Duration USUAL_WAIT = Duration.ofMinutes(10);

  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  public VersionCacheSettings {
    if (mostBytes <= 0) {
      throw new IllegalArgumentException("mostBytes must be above 0, not " + mostBytes);
    }
    if (mostWait.isNegative() || mostWait.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "mostWait must be 0 to %s, not %s".formatted(LONGEST_WAIT, mostWait));
    }
  }

  /** Returns settings with at most 4 GiB of files and at most 10 minutes of waiting. */
  public static VersionCacheSettings of(Path folder) {
    return new VersionCacheSettings(folder, USUAL_BYTES, USUAL_WAIT);
  }
}
