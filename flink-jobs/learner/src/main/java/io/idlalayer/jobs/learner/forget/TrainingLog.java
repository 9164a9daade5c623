package io.idlalayer.jobs.learner.forget;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log of a learner's accepted updates, from which they can be trained again. The size of the
 * log is bounded: if it is exceeded, the oldest updates are removed. Of trainings before the log,
 * only the highest id of a trained sample is known. Confined to one thread.
 */
final class TrainingLog {
  /**
   * Largest total size of encoded updates in bytes, which is enough for about a million new
   * samples.
   */
  static final long MOST_BYTES = 16L << 20;

  private final long mostBytes;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private long highestUnlogged;
  private long unloggedThrough;
  private final UnloggedEvents unloggedEvents = new UnloggedEvents();

  /**
   * The decoded entries, so that many requests in a row decode them only once; null if the entries
   * were not needed since the last change of the log.
   */
  private @Nullable List<LoggedUpdate> decoded;

  private record Entry(long number, byte[] encoded) {}

  TrainingLog(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * Returns the highest id of a sample that was possibly trained before the log begins; 0 if the
   * log contains all trainings.
   */
  long highestUnlogged() {
    return highestUnlogged;
  }

  /** Returns the number of the last update before the log; 0 if the log contains all trainings. */
  long unloggedThrough() {
    return unloggedThrough;
  }

  /**
   * Empties the log, which begins anew after updates that are not logged.
   *
   * @param update number of the last update that is not logged; 0 if there is none
   * @param highestTrained highest id of a sample that these updates have possibly trained; 0 if
   *     there is none
   */
  void beginAnew(long update, long highestTrained) {
    if (update == 0) {
      unloggedEvents.clear();
    } else {
      decoded().forEach(this::addUnlogged);
    }
    decoded = null;
    entries.clear();
    bytes = 0;
    unloggedThrough = update;
    highestUnlogged = highestTrained;
  }

  int size() {
    return entries.size();
  }

  long bytes() {
    return bytes;
  }

  /**
   * Adds the update that follows the last update. An update that is larger than the size limit of
   * the log is not added, and the log then begins after this update.
   */
  void add(LoggedUpdate update) {
    if (!entries.isEmpty() && update.number() <= entries.getLast().number()) {
      throw new IllegalArgumentException(
          "update %d is logged after update %d"
              .formatted(update.number(), entries.getLast().number()));
    }
    decoded = null;
    Entry entry = new Entry(update.number(), update.encode());
    entries.addLast(entry);
    bytes += entry.encoded().length;
    while (bytes > mostBytes) {
      removeFirst();
    }
  }

  private void removeFirst() {
    Entry first = entries.removeFirst();
    bytes -= first.encoded().length;
    unloggedThrough = first.number();
    LoggedUpdate update = LoggedUpdate.decode(first.encoded());
    for (long id : update.rows().ids()) {
      highestUnlogged = Math.max(highestUnlogged, id);
    }
    addUnlogged(update);
  }

  private void addUnlogged(LoggedUpdate update) {
    for (long hash : update.eventHashes()) {
      unloggedEvents.add(hash);
    }
  }

  /** Returns the events whose first trainings have left the log. */
  UnloggedEvents unloggedEvents() {
    return unloggedEvents;
  }

  private List<LoggedUpdate> decoded() {
    List<LoggedUpdate> known = decoded;
    if (known == null) {
      known = entries.stream().map(each -> LoggedUpdate.decode(each.encoded())).toList();
      decoded = known;
    }
    return known;
  }

  /** Returns the logged updates after update {@code number}, in their order. */
  List<LoggedUpdate> after(long number) {
    return decoded().stream().filter(each -> each.number() > number).toList();
  }

  /** Replaces all updates after update {@code number}. Updates without rows are left out. */
  void replaceAfter(long number, List<LoggedUpdate> updates) {
    decoded = null;
    while (!entries.isEmpty() && entries.getLast().number() > number) {
      bytes -= entries.removeLast().encoded().length;
    }
    for (LoggedUpdate update : updates) {
      if (update.rows().ids().length > 0) {
        add(update);
      }
    }
  }

  /**
   * Returns the ids of the samples as which an event was trained, if the log contains the first
   * training of the event.
   */
  Set<Long> samplesOf(long eventHash) {
    Set<Long> samples = new HashSet<>();
    decoded().forEach(each -> samples.addAll(each.samplesOf(eventHash)));
    return samples;
  }

  /** Returns the first update that has trained one of some samples; Long.MAX_VALUE if none has. */
  long firstTraining(Set<Long> samples) {
    long[] sorted = samples.stream().mapToLong(Long::longValue).sorted().toArray();
    return decoded().stream()
        .filter(each -> each.trains(sorted))
        .mapToLong(LoggedUpdate::number)
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  /** Returns the encoded updates, in their order. */
  List<byte[]> encoded() {
    return entries.stream().map(Entry::encoded).toList();
  }

  /**
   * Restores the updates that an earlier process had logged.
   *
   * @param update number of the last update before the log
   * @param highestTrained highest id of a sample that was possibly trained before the log
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not encoded
   *     updates
   */
  void restore(List<byte[]> encoded, long update, long highestTrained) {
    beginAnew(update, highestTrained);
    for (byte[] each : encoded) {
      add(LoggedUpdate.decode(each));
    }
  }
}
