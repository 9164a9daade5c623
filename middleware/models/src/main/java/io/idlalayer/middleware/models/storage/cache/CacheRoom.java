package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.storage.cache.CacheFolder.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides which copies are deleted so that others fit: the least recently used ones first. A last
 * use in the future is one of a time when the clock was ahead, and counts as the oldest; otherwise
 * such a copy would stay until that time.
 */
final class CacheRoom {
  /** Largest number of copies, because the folder is listed for each new one. */
  static final int MOST_COPIES = 4_096;

  /** What clocks of processes, and times of files, may differ from this process's clock. */
  static final long CLOCK_TOLERANCE_MILLIS = 60_000;

  private CacheRoom() {}

  /**
   * Returns the copies to delete so that a further one fits; empty if it does not fit even alone.
   *
   * @param neededBytes length of the new copy
   * @param present what is in the folder, without the new copy
   * @param mostBytes bound of the settings
   * @param usableBytes free bytes of the file system
   * @param nowMillis epoch milliseconds
   */
  static Optional<List<Entry>> forNew(
      long neededBytes, List<Entry> present, long mostBytes, long usableBytes, long nowMillis) {
    long parts = present.stream().filter(Entry::part).mapToLong(Entry::bytes).sum();
    List<Entry> copies = copies(present, nowMillis);
    long held = copies.stream().mapToLong(Entry::bytes).sum();
    long room = Math.min(mostBytes - parts, usableBytes + held);
    if (neededBytes > room) {
      return Optional.empty();
    }
    return Optional.of(oldest(copies, held, room - neededBytes, MOST_COPIES - 1));
  }

  /**
   * Returns the copies to delete so that the folder keeps its bounds, after several processes have
   * each added one.
   *
   * @param added the copy that was just added, which stays
   * @param nowMillis epoch milliseconds
   */
  static List<Entry> beyond(long mostBytes, List<Entry> present, CopyName added, long nowMillis) {
    List<Entry> copies = copies(present, nowMillis);
    long held = copies.stream().mapToLong(Entry::bytes).sum();
    int most = MOST_COPIES - (int) copies.stream().filter(it -> it.name().equals(added)).count();
    copies.removeIf(entry -> entry.name().equals(added));
    return oldest(copies, held, mostBytes, most);
  }

  /** Returns the complete copies, the least recently used one first. */
  private static List<Entry> copies(List<Entry> present, long nowMillis) {
    List<Entry> copies = new ArrayList<>(present);
    copies.removeIf(Entry::part);
    long latest = nowMillis + CLOCK_TOLERANCE_MILLIS;
    copies.sort(
        Comparator.comparing((Entry entry) -> entry.lastUsedMillis() <= latest)
            .thenComparingLong(Entry::lastUsedMillis)
            .thenComparing(entry -> entry.name().sha256()));
    return copies;
  }

  private static List<Entry> oldest(
      List<Entry> copies, long heldBytes, long mostBytes, int mostCopies) {
    long held = heldBytes;
    int deleted = 0;
    while (deleted < copies.size() && (held > mostBytes || copies.size() - deleted > mostCopies)) {
      held -= copies.get(deleted).bytes();
      deleted++;
    }
    return List.copyOf(copies.subList(0, deleted));
  }
}
