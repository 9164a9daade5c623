package io.idlalayer.middleware.embedding.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * What is read ahead is what a map has, or nothing where it was full; it takes no more bytes than
 * it may, gives those of what it forgets to others, and forgets nothing else.
 */
final class ReadAheadPropertyTest {
  private static final int STEPS = 4_000;

  /** Bytes of a row beside its own: its head, cells of the index, gaps of alignment. */
  private static final int ENTRY_BYTES = 12 + 9 + 3;

  private record Known(byte[] row, int since) {}

  /** What is read ahead with the map that it is compared with. */
  private static final class World {
    final SplittableRandom random;
    final long mostBytes;
    final int longest;
    final ReadAhead ahead;
    final Map<Long, Known> known = new HashMap<>();
    int update;

    World(long seed, long mostBytes, int longest) {
      random = new SplittableRandom(seed);
      this.mostBytes = mostBytes;
      this.longest = longest;
      ahead = new ReadAhead(mostBytes);
    }

    /** Some of them differ in their upper bits only, or in their lower ones. */
    long key() {
      int one = 1 + random.nextInt(400);
      return switch (random.nextInt(3)) {
        case 0 -> one;
        case 1 -> (long) one << 40;
        default -> one * 0x9E37_79B9_7F4A_7C15L;
      };
    }

    byte[] row() {
      byte[] row = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(1, longest + 1)];
      random.nextBytes(row);
      return row;
    }

    boolean hasRoom() {
      long bytes = known.values().stream().mapToLong(each -> each.row().length + ENTRY_BYTES).sum();
      // Gaps may take a quarter; few segments, and rows that are long for them, leave larger ones.
      return mostBytes >= 1 << 16
          && longest < mostBytes / 1024
          && bytes + longest + ENTRY_BYTES < 0.6 * mostBytes;
    }

    void keep(long key, byte[] row, int since) {
      boolean hadRoom = hasRoom();
      ahead.keep(key, row);
      byte[] got = ahead.get(key);
      if (got == null) {
        assertThat(hadRoom).as("was refused though there was room").isFalse();
        known.remove(key);
      } else {
        known.put(key, new Known(row, since));
      }
    }

    void change(long key, byte[] row) {
      ahead.changed(key, row);
      Known before = known.remove(key);
      if (before != null && ahead.get(key) != null) {
        known.put(key, new Known(row, before.since()));
      }
    }

    void want(long key) {
      byte[] got = ahead.wanted(key);
      Known before = known.get(key);
      assertThat(got).isEqualTo(before == null ? null : before.row());
      if (before != null) {
        known.put(key, new Known(before.row(), update));
      }
    }

    void nextUpdate() {
      ahead.nextUpdate();
      update++;
      known.values().removeIf(each -> update - each.since() > ReadAhead.FEWEST_UPDATES_KEPT);
    }

    void check() {
      assertThat(ahead.bytes()).isLessThanOrEqualTo(mostBytes);
      assertThat(ahead.size()).isEqualTo(known.size());
      assertThat(ahead.rows())
          .isEqualTo(known.values().stream().filter(each -> each.row().length > 0).count());
    }

    void checkRows() {
      known.forEach((key, each) -> assertThat(ahead.get(key)).as("%d", key).isEqualTo(each.row()));
      for (int i = 0; i < 50; i++) {
        long key = key();
        assertThat(ahead.get(key) == null).isEqualTo(!known.containsKey(key));
      }
    }
  }

  @Property(tries = 50)
  void ahead_anyHistory_isThatOfAMap(
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 400_000) int mostBytes,
      @ForAll @IntRange(min = 1, max = 300) int longest) {
    World world = new World(seed, mostBytes, longest);
    for (int step = 0; step < STEPS; step++) {
      long key = world.key();
      switch (world.random.nextInt(20)) {
        case 0, 1, 2 -> {
          world.ahead.drop(key);
          world.known.remove(key);
        }
        case 3, 4 -> world.change(key, world.row());
        case 5, 6 -> world.want(key);
        case 7 -> {
          if (world.random.nextInt(20) == 0) {
            world.nextUpdate();
          }
        }
        default -> world.keep(key, world.row(), world.update);
      }
      world.check();
      if (step % 400 == 0) {
        world.checkRows();
      }
    }
    world.checkRows();
    for (int i = 0; i <= ReadAhead.FEWEST_UPDATES_KEPT; i++) {
      world.nextUpdate();
    }
    world.check();
    assertThat(world.ahead.bytes()).as("nothing is left").isZero();
  }

  @Test
  void keep_untilItIsFull_hasLittleBesideTheRows() {
    int rowBytes = StoredRow.bytes(16);
    for (long mostBytes : new long[] {100_000, 1_000_000, 10_500_000}) {
      ReadAhead ahead = new ReadAhead(mostBytes);
      SplittableRandom random = new SplittableRandom(mostBytes);
      for (long i = 0; i < mostBytes / rowBytes; i++) {
        ahead.keep(random.nextLong() | 1, new byte[rowBytes]);
      }
      assertThat(ahead.bytes()).isLessThanOrEqualTo(mostBytes);
      assertThat((double) mostBytes / ahead.rows()).isLessThan(rowBytes + ENTRY_BYTES);
    }
  }

  @Test
  void keep_ofRowsOfOtherLengths_takesTheRoomOfWhatWasForgotten() {
    ReadAhead ahead = new ReadAhead(2_000_000);
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 200; round++) {
      byte[] row = new byte[10 + 40 * (round % 20)];
      long first = random.nextLong();
      for (long i = 0; i < 900; i++) {
        ahead.keep(first + i, row);
      }
      for (long i = 0; i < 900; i++) {
        assertThat(ahead.get(first + i)).as("round %d", round).hasSize(row.length);
        // One of ten stays until it is too old.
        if (i % 10 != 0) {
          ahead.drop(first + i);
        }
      }
      if (round % 2 == 1) {
        ahead.nextUpdate();
      }
    }
  }

  @Test
  void keep_whenItWasFullAndMuchWasDropped_findsRoom() {
    for (long mostBytes = 100_000; mostBytes < 130_000; mostBytes += 1_000) {
      ReadAhead ahead = new ReadAhead(mostBytes);
      SplittableRandom random = new SplittableRandom(mostBytes);
      long[] keys = random.longs(2_000).toArray();
      byte[] row = new byte[84];
      for (long key : keys) {
        ahead.keep(key, row);
      }
      int full = ahead.rows();
      for (int i = 0; i < keys.length; i++) {
        if (i % 10 >= 3) {
          ahead.drop(keys[i]);
        }
      }
      for (int i = 0; i < full / 3; i++) {
        long key = random.nextLong();
        ahead.keep(key, row);
        assertThat(ahead.get(key)).as("%d of %d bytes", i, mostBytes).isNotNull();
      }
      assertThat(ahead.bytes()).isLessThanOrEqualTo(mostBytes);
    }
  }

  @Test
  void nextUpdate_moreOftenThanThereAreStamps_forgetsWhatItShould() {
    ReadAhead ahead = new ReadAhead(1_000_000);
    for (int update = 0; update < 3 * RowSegments.STAMPS; update++) {
      ahead.keep(update + 1L, new byte[20]);
      ahead.nextUpdate();
      assertThat(ahead.size()).isEqualTo(Math.min(update + 1, ReadAhead.FEWEST_UPDATES_KEPT));
    }
  }

  @Test
  void take_ofRowsThatWaitLongerAndLonger_findsThemAll() {
    ReadAhead ahead = new ReadAhead(4_000_000);
    ArrayDeque<Long> waiting = new ArrayDeque<>();
    byte[] row = new byte[40];
    long next = 1;
    for (int update = 0; update < 300; update++) {
      for (int i = 0; i < 30; i++) {
        ahead.keep(next, row);
        waiting.add(next++);
      }
      for (int i = 0; i < 20; i++) {
        assertThat(ahead.take(waiting.remove())).as("update %d", update).hasSize(row.length);
      }
      ahead.nextUpdate();
    }
    long abandoned = waiting.remove();
    while (!waiting.isEmpty()) {
      assertThat(ahead.take(waiting.remove())).hasSize(row.length);
    }
    // Once nothing waits, what is not taken is forgotten soon again.
    ahead.keep(abandoned, row);
    for (int update = 0; update < 30; update++) {
      ahead.keep(next, row);
      assertThat(ahead.take(next++)).hasSize(row.length);
      ahead.nextUpdate();
    }
    assertThat(ahead.take(abandoned)).isNull();
    assertThat(ahead.bytes()).isZero();
  }

  @Test
  void nextUpdate_whenLittleIsLeft_givesTheIndexBack() {
    ReadAhead ahead = new ReadAhead(1_000_000);
    for (long key = 1; key <= 5_000; key++) {
      ahead.keep(key * 0x9E37_79B9_7F4A_7C15L, new byte[40]);
    }
    for (long key = 2; key <= 5_000; key++) {
      ahead.drop(key * 0x9E37_79B9_7F4A_7C15L);
    }
    ahead.nextUpdate();
    assertThat(ahead.bytes()).isLessThan(20_000);
    assertThat(ahead.get(0x9E37_79B9_7F4A_7C15L)).hasSize(40);
  }

  @Test
  void get_ofRowsInManySegments_findsEach() {
    ReadAhead ahead = new ReadAhead(64L << 20);
    for (int i = 1; i <= 400_000; i++) {
      byte[] row = new byte[88];
      row[0] = (byte) i;
      row[87] = (byte) (i >> 8);
      ahead.keep(i * 0x9E37_79B9_7F4A_7C15L, row);
    }
    assertThat(ahead.rows()).isEqualTo(400_000);
    for (int i = 1; i <= 400_000; i++) {
      byte[] row = ahead.get(i * 0x9E37_79B9_7F4A_7C15L);
      assertThat(row == null || row[0] != (byte) i || row[87] != (byte) (i >> 8))
          .as("row %d is another one", i)
          .isFalse();
    }
  }

  @Test
  void keep_ofARowThatIsTooLong_keepsNothingOfIt() {
    ReadAhead ahead = new ReadAhead(64L << 20);
    ahead.keep(1, new byte[RowSegments.LONGEST]);
    assertThat(ahead.get(1)).hasSize(RowSegments.LONGEST);
    ahead.keep(1, new byte[RowSegments.LONGEST + 1]);
    assertThat(ahead.get(1)).as("the older one neither").isNull();
    assertThat(ahead.bytes()).isLessThan(1_000);
  }
}
