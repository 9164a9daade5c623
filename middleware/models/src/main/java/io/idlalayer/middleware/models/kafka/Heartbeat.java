package io.idlalayer.middleware.models.kafka;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.util.Locale;

/**
 * A subscriber's report about itself: its identity, the version that it serves and since when, and
 * its health. A compacted topic keeps the newest one of each subscriber.
 *
 * @param application application whose models it follows; a name that {@link ApplicationPartition}
 *     accepts
 * @param partition application partition, from 0
 * @param alias name that it follows, "" if it follows the pointer or the pin
 */
public record Heartbeat(
    String application,
    int partition,
    SubscriberIdentity subscriber,
    String alias,
    Service service,
    Refusals refusals,
    Leases leases,
    Beat beat) {
  /** The last millisecond of the year 9999, the latest time that a heartbeat may have. */
  private static final long LAST_MILLIS = 253_402_300_799_999L;

  /**
   * @throws IllegalArgumentException if application, partition or alias are invalid
   */
  public Heartbeat {
    new ApplicationPartition(application, partition);
    if (!alias.isEmpty()) {
      Alias.checked(alias);
    }
  }

  /**
   * Returns the key of the heartbeat's record on the compacted topic. The process and the alias are
   * part of the key, because two processes can have the same name, and because one process can
   * serve the current version and an alias of the same models.
   */
  public String key() {
    return application
        + "/"
        + partition
        + "/"
        + subscriber.name()
        + "~"
        + subscriber.process()
        + (alias.isEmpty() ? "" : "@" + alias);
  }

  /**
   * The version that the subscriber serves.
   *
   * @param version 0 for none
   * @param sinceMillis since when it serves there, epoch milliseconds; 0 for none
   * @param publishedAtMillis when it was made, epoch milliseconds; 0 for none
   * @param stalenessMillis since it was last known to be the one to serve
   * @param stale whether that is beyond the limit that the subscriber was given, if it was
   */
  public record Service(
      long version, long sinceMillis, long publishedAtMillis, long stalenessMillis, boolean stale) {
    public Service {
      requireBetween("version", version, 0, Long.MAX_VALUE);
      requireBetween("sinceMillis", sinceMillis, 0, LAST_MILLIS);
      requireBetween("publishedAtMillis", publishedAtMillis, 0, LAST_MILLIS);
      requireBetween("stalenessMillis", stalenessMillis, 0, LAST_MILLIS);
    }
  }

  /**
   * Counts the versions that the subscriber has refused.
   *
   * @param count so far
   * @param lastError why the last look at what is to be served failed, "" since one went well; at
   *     most {@value #LONGEST_ERROR} characters, none of which controls a terminal
   */
  public record Refusals(long count, String lastError) {
    static final int LONGEST_ERROR = 500;

    public Refusals {
      requireBetween("count", count, 0, Long.MAX_VALUE);
      lastError = PlainText.of(lastError, LONGEST_ERROR);
    }
  }

  /**
   * Counts the leases by which users keep models in memory.
   *
   * @param open leases not closed yet
   * @param retired models that are out of service and still leased
   */
  public record Leases(long open, int retired) {
    public Leases {
      requireBetween("open", open, 0, Long.MAX_VALUE);
      requireBetween("retired", retired, 0, Integer.MAX_VALUE);
    }
  }

  /**
   * The position of this heartbeat in the series of its subscriber.
   *
   * @param number from 1, since the process began
   * @param atMillis when, epoch milliseconds by the subscriber's clock
   * @param periodMillis to the next one at the latest, a second to an hour
   * @param stopped whether it is the last one, because the subscriber ends
   */
  public record Beat(long number, long atMillis, long periodMillis, boolean stopped) {
    public static final long SHORTEST_PERIOD_MILLIS = 1_000;
    public static final long LONGEST_PERIOD_MILLIS = 3_600_000;

    public Beat {
      requireBetween("number", number, 1, Long.MAX_VALUE);
      requireBetween("atMillis", atMillis, 0, LAST_MILLIS);
      requireBetween("periodMillis", periodMillis, SHORTEST_PERIOD_MILLIS, LONGEST_PERIOD_MILLIS);
    }
  }

  private static void requireBetween(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s must be %d to %d, not %d", name, least, most, value));
    }
  }
}
