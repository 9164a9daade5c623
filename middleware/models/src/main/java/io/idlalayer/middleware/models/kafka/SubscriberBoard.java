package io.idlalayer.middleware.models.kafka;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Lists the known subscribers and the versions that they serve, by their latest heartbeats. The
 * number of subscribers is bounded: if there are too many, the board drops the subscribers that
 * were silent for the longest time. If a subscriber is silent and another process has taken its
 * name, the board takes the silent one for ended. Safe from any thread.
 */
public final class SubscriberBoard {
  /** Largest number of subscribers of one application that the board lists. */
  public static final int MOST_OF_APPLICATION = 1_000;

  /** Largest number of subscribers of all applications that the board lists. */
  public static final int MOST = 10_000;

  private static final int SILENT_PERIODS = 3;
  private static final int GONE_PERIODS = 10;
  private static final long GONE_MILLIS = Duration.ofHours(1).toMillis();
  private static final long FULL_MILLIS = Duration.ofMinutes(1).toMillis();

  private static final Comparator<Entry> LONGEST_SILENT_FIRST =
      Comparator.comparingLong(Entry::heardAtMillis).thenComparing(each -> each.heartbeat().key());

  private static final Comparator<Entry> BY_NAME =
      Comparator.comparing((Entry each) -> each.heartbeat().subscriber().name())
          .thenComparing(each -> each.heartbeat().alias())
          .thenComparing(each -> each.heartbeat().subscriber().process());

  private final Map<String, Entry> byKey = new HashMap<>();
  private final NavigableSet<Entry> all = new TreeSet<>(LONGEST_SILENT_FIRST);
  private final Map<String, Application> applications = new HashMap<>();
  private @Nullable Long crowdedAtMillis;

  /** The entries of one application, of which there is at least one. */
  private static final class Application {
    final NavigableSet<Entry> entries = new TreeSet<>(LONGEST_SILENT_FIRST);
    @Nullable Long crowdedAtMillis;
  }

  /**
   * A subscriber, known by its latest heartbeat.
   *
   * @param heardAtMillis when the heartbeat came, epoch milliseconds: by the reader's clock or, if
   *     the heartbeat was on the topic before the reader started, by the broker's clock
   * @param shared whether another process reports under the same name too
   */
  public record Entry(Heartbeat heartbeat, long heardAtMillis, boolean shared) {
    /**
     * Returns the name to display. The mark of the process is added if another subscriber has this
     * name too.
     */
    public String name() {
      SubscriberIdentity subscriber = heartbeat.subscriber();
      return shared
          ? "%s (process %s)".formatted(subscriber.name(), subscriber.process())
          : subscriber.name();
    }

    /** Returns the milliseconds since the last heartbeat. */
    public long ageMillis(long nowMillis) {
      return Math.max(0, nowMillis - heardAtMillis);
    }

    /** Returns whether no heartbeat has arrived for three periods. */
    public boolean silent(long nowMillis) {
      return ageMillis(nowMillis) > SILENT_PERIODS * heartbeat.beat().periodMillis();
    }

    /**
     * Returns whether the subscriber was silent for longer than the board lists silent subscribers.
     */
    private boolean gone(long nowMillis) {
      return ageMillis(nowMillis)
          > Math.max(GONE_MILLIS, GONE_PERIODS * heartbeat.beat().periodMillis());
    }
  }

  /**
   * Updates the board by a heartbeat. Of several heartbeats of one subscriber the last call counts,
   * just as the last record counts on the topic.
   *
   * @param nowMillis reader's clock, epoch milliseconds
   */
  public synchronized void take(HeartbeatSource.Heard heard, long nowMillis) {
    Heartbeat heartbeat = heard.heartbeat();
    Entry before = byKey.get(heartbeat.key());
    if (before != null) {
      remove(before);
    }
    // A heartbeat that comes now was sent now, whatever the clocks of sender and broker say.
    Entry entry =
        new Entry(
            heartbeat, heard.past() ? Math.min(nowMillis, heard.atMillis()) : nowMillis, false);
    if (heartbeat.beat().stopped() || entry.gone(nowMillis)) {
      return;
    }
    add(entry);
    makeRoom(heartbeat.application(), nowMillis);
  }

  private void add(Entry entry) {
    byKey.put(entry.heartbeat().key(), entry);
    all.add(entry);
    applications
        .computeIfAbsent(entry.heartbeat().application(), any -> new Application())
        .entries
        .add(entry);
  }

  private void remove(Entry entry) {
    byKey.remove(entry.heartbeat().key());
    all.remove(entry);
    applications.computeIfPresent(
        entry.heartbeat().application(),
        (name, application) -> {
          application.entries.remove(entry);
          return application.entries.isEmpty() ? null : application;
        });
  }

  private void makeRoom(String name, long nowMillis) {
    Application application = applications.get(name);
    if (application != null && application.entries.size() > MOST_OF_APPLICATION) {
      Entry first = application.entries.first();
      remove(first);
      if (!first.gone(nowMillis)) {
        application.crowdedAtMillis = nowMillis;
      }
    }
    if (all.size() > MOST) {
      Entry first = all.first();
      remove(first);
      if (!first.gone(nowMillis)) {
        crowdedAtMillis = nowMillis;
      }
    }
  }

  private void forgetGone(long nowMillis) {
    all.stream().filter(each -> each.gone(nowMillis)).toList().forEach(this::remove);
  }

  /** Removes all subscribers, before all heartbeats are read again. */
  public synchronized void clear() {
    byKey.clear();
    all.clear();
    applications.clear();
    crowdedAtMillis = null;
  }

  /** Returns the subscribers of an application partition, sorted by name and alias. */
  public synchronized List<Entry> of(ApplicationPartition partition, long nowMillis) {
    forgetGone(nowMillis);
    Application application = applications.get(partition.application());
    if (application == null) {
      return List.of();
    }
    Map<String, List<Entry>> named = new HashMap<>();
    for (Entry each : application.entries) {
      Heartbeat heartbeat = each.heartbeat();
      if (heartbeat.partition() == partition.partition()) {
        named
            .computeIfAbsent(
                heartbeat.subscriber().name() + "@" + heartbeat.alias(), any -> new ArrayList<>())
            .add(each);
      }
    }
    List<Entry> found = new ArrayList<>();
    named.values().forEach(longestSilentFirst -> addLiving(longestSilentFirst, nowMillis, found));
    found.sort(BY_NAME);
    return found;
  }

  /**
   * Adds the processes that share a name and are not silent; if all are silent, only the process
   * that fell silent last.
   */
  private static void addLiving(List<Entry> longestSilentFirst, long nowMillis, List<Entry> to) {
    List<Entry> heard =
        longestSilentFirst.stream().filter(each -> !each.silent(nowMillis)).toList();
    if (heard.isEmpty()) {
      to.add(longestSilentFirst.get(longestSilentFirst.size() - 1));
      return;
    }
    for (Entry each : heard) {
      to.add(new Entry(each.heartbeat(), each.heardAtMillis(), heard.size() > 1));
    }
  }

  /**
   * Returns whether the board has, in the last minute, dropped subscribers to make room for others
   * before they had been silent for long. They might be subscribers of this application.
   */
  public synchronized boolean full(String application, long nowMillis) {
    Application asked = applications.get(application);
    return lately(crowdedAtMillis, nowMillis)
        || (asked != null && lately(asked.crowdedAtMillis, nowMillis));
  }

  private static boolean lately(@Nullable Long atMillis, long nowMillis) {
    return atMillis != null && nowMillis - atMillis < FULL_MILLIS;
  }
}
