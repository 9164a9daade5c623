package io.idlalayer.middleware.models.kafka;

import io.idlalayer.middleware.models.store.ApplicationPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who serves what, by the heartbeats that were heard. Bounded, whatever the topic says. May be
 * shared between threads.
 */
public final class SubscriberBoard {
  /** So many subscribers are known at a time; further ones are passed over. */
  public static final int MOST = 1_000;

  private static final int SILENT_PERIODS = 3;
  private static final int GONE_PERIODS = 10;
  private static final long GONE_MILLIS = Duration.ofHours(1).toMillis();
  private static final long FULL_MILLIS = Duration.ofMinutes(1).toMillis();

  private final Map<String, Entry> entries = new HashMap<>();
  private long passedOverAtMillis = Long.MIN_VALUE;

  /**
   * A subscriber by its last heartbeat.
   *
   * @param heardAtMillis when that was, epoch milliseconds by the reader's clock
   */
  public record Entry(Heartbeat heartbeat, long heardAtMillis) {
    /** Milliseconds since the last heartbeat. */
    public long ageMillis(long nowMillis) {
      return Math.max(0, nowMillis - heardAtMillis);
    }

    /** Whether nothing was heard for three periods. */
    public boolean silent(long nowMillis) {
      return ageMillis(nowMillis) > SILENT_PERIODS * heartbeat.beat().periodMillis();
    }

    /** Whether nothing was heard for so long that it is not shown any more. */
    private boolean gone(long nowMillis) {
      return ageMillis(nowMillis)
          > Math.max(GONE_MILLIS, GONE_PERIODS * heartbeat.beat().periodMillis());
    }
  }

  /**
   * Takes a heartbeat. The one that is taken last counts, as on the topic.
   *
   * @param nowMillis reader's clock, epoch milliseconds
   */
  public synchronized void take(HeartbeatSource.Heard heard, long nowMillis) {
    Heartbeat heartbeat = heard.heartbeat();
    String key = heartbeat.key();
    if (heartbeat.beat().stopped()) {
      entries.remove(key);
      return;
    }
    // One that comes now was sent now, whatever clock its sender has.
    long heardAtMillis =
        heard.past() ? Math.min(nowMillis, heartbeat.beat().atMillis()) : nowMillis;
    Entry entry = new Entry(heartbeat, heardAtMillis);
    if (entry.gone(nowMillis)) {
      entries.remove(key);
      return;
    }
    if (entries.size() >= MOST && !entries.containsKey(key)) {
      forgetGone(nowMillis);
      if (entries.size() >= MOST) {
        passedOverAtMillis = nowMillis;
        return;
      }
    }
    entries.put(key, entry);
  }

  private void forgetGone(long nowMillis) {
    entries.values().removeIf(each -> each.gone(nowMillis));
  }

  /** Forgets everybody, before all is read anew. */
  public synchronized void clear() {
    entries.clear();
    passedOverAtMillis = Long.MIN_VALUE;
  }

  /** Subscribers of an application partition, by name. */
  public synchronized List<Entry> of(ApplicationPartition partition, long nowMillis) {
    forgetGone(nowMillis);
    Collection<Entry> all = entries.values();
    List<Entry> found = new ArrayList<>();
    for (Entry each : all) {
      if (each.heartbeat().application().equals(partition.application())
          && each.heartbeat().partition() == partition.partition()) {
        found.add(each);
      }
    }
    found.sort(Comparator.comparing(each -> each.heartbeat().subscriber().name()));
    return found;
  }

  /** Whether some were passed over in the last minute because there are too many. */
  public synchronized boolean full(long nowMillis) {
    return passedOverAtMillis != Long.MIN_VALUE && nowMillis - passedOverAtMillis < FULL_MILLIS;
  }
}
