package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.storage.cache.CacheFolder.Entry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Which copies make room. */
final class CacheRoomPropertyTest {
  private static final long NOW = 1_000_000;

  private static Entry entry(int number, boolean part, long bytes, long usedMillis) {
    CopyName name = new CopyName("%064x".formatted(number), bytes);
    return new Entry(name, Path.of(part ? name.part() : name.copy()), part, bytes, usedMillis);
  }

  private static List<Entry> folder(SplittableRandom random, int size) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      entries.add(entry(i, random.nextInt(5) == 0, random.nextLong(100), random.nextLong(10)));
    }
    return entries;
  }

  private static long sum(List<Entry> entries) {
    return entries.stream().mapToLong(Entry::bytes).sum();
  }

  private static List<Entry> copies(List<Entry> entries) {
    return entries.stream()
        .filter(entry -> !entry.part())
        .sorted(
            Comparator.comparingLong(Entry::lastUsedMillis)
                .thenComparing(entry -> entry.name().sha256()))
        .toList();
  }

  @Property(tries = 1_000)
  void forNew_anyFolder_deletesNoMoreThanItMust(
      @ForAll long seed, @ForAll @IntRange(max = 12) int size) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Entry> present = folder(random, size);
    long needed = random.nextLong(200);
    long most = 1 + random.nextLong(500);
    long usable = random.nextLong(300);
    Optional<List<Entry>> old = CacheRoom.forNew(needed, present, most, usable, NOW);
    List<Entry> copies = copies(present);
    long parts = sum(present) - sum(copies);
    boolean canFit = needed + parts <= most && needed <= usable + sum(copies);
    assertThat(old.isPresent()).isEqualTo(canFit);
    if (canFit) {
      List<Entry> deleted = old.orElseThrow();
      assertThat(deleted).as("the oldest ones").isEqualTo(copies.subList(0, deleted.size()));
      assertThat(fits(deleted, copies, needed + parts, most, needed - usable)).isTrue();
      if (!deleted.isEmpty()) {
        List<Entry> fewer = deleted.subList(0, deleted.size() - 1);
        assertThat(fits(fewer, copies, needed + parts, most, needed - usable)).isFalse();
      }
    }
  }

  /** Whether the bound holds, and the file system has room, after some copies were deleted. */
  private static boolean fits(
      List<Entry> deleted, List<Entry> copies, long added, long most, long missing) {
    return sum(copies) - sum(deleted) + added <= most && sum(deleted) >= missing;
  }

  @Property(tries = 1_000)
  void beyond_anyFolder_keepsTheNewCopyAndTheBound(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int size) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Entry> present = folder(random, size);
    present.add(entry(99, false, random.nextLong(100), random.nextLong(10)));
    CopyName added = present.get(size).name();
    long most = 100 + random.nextLong(500);
    List<Entry> deleted = CacheRoom.beyond(most, present, added, NOW);
    List<Entry> others = copies(present.subList(0, size));
    assertThat(deleted).isEqualTo(others.subList(0, deleted.size()));
    assertThat(sum(copies(present)) - sum(deleted)).isLessThanOrEqualTo(most);
    if (!deleted.isEmpty()) {
      long without = sum(copies(present)) - sum(deleted.subList(0, deleted.size() - 1));
      assertThat(without).as("no more than needed").isGreaterThan(most);
    }
  }

  @Test
  void forNew_manySmallCopies_boundsTheirNumber() {
    List<Entry> present = new ArrayList<>();
    for (int i = 0; i < CacheRoom.MOST_COPIES + 2; i++) {
      present.add(entry(i, false, 1, i));
    }
    assertThat(CacheRoom.forNew(1, present, 1 << 20, 1 << 20, NOW).orElseThrow())
        .isEqualTo(present.subList(0, 3));
    assertThat(CacheRoom.beyond(1 << 20, present, present.get(0).name(), NOW))
        .isEqualTo(present.subList(1, 3));
  }

  @Test
  void forNew_usedInTheFuture_countsAsOldest() {
    long latest = NOW + CacheRoom.CLOCK_TOLERANCE_MILLIS;
    Entry old = entry(1, false, 1, 0);
    Entry current = entry(2, false, 1, latest);
    Entry ahead = entry(3, false, 1, latest + 1);
    Entry farAhead = entry(4, false, 1, 10 * latest);
    List<Entry> present = List.of(old, current, ahead, farAhead);
    assertThat(CacheRoom.forNew(3, present, 4, 4, NOW).orElseThrow())
        .containsExactly(ahead, farAhead, old);
    assertThat(CacheRoom.beyond(2, present, farAhead.name(), NOW)).containsExactly(ahead, old);
  }
}
