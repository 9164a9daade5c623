package io.idlalayer.middleware.models.manifest;

import java.util.Locale;

/**
 * One partition of an application; each partition has its own models.
 *
 * @param application letters, digits, dot, dash and underscore, at most 100, the first one a letter
 *     or digit
 * @param partition from 0
 */
public record ApplicationPartition(String application, int partition) {
  /**
   * @throws IllegalArgumentException if no application can have that name or partition
   */
  public ApplicationPartition {
    StoreLayout.checked(application);
    if (partition < 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the partition of %s must be 0 or more, not %d",
              application,
              partition));
    }
  }

  /** Returns application and partition, separated by a slash, for example {@code electricity/0}. */
  @Override
  public String toString() {
    return application + "/" + partition;
  }
}
