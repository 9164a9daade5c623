package io.idlalayer.middleware.embedding.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * Rows are read as a plain map has them, whatever was read ahead, put, written, deleted, hot or
 * lost in a crash, in any order; and what is read ahead has its bound.
 */
final class BufferedRowsPropertyTest {
  private static final int KEYS = 50;
  private static final long MOST_TO_WRITE_BYTES = 64L << 20;

  /** Bytes of an entry beside its row. */
  private static final int ENTRY_BYTES = 80;

  /** Counts the keys that it is asked for. */
  private static final class CountingStore extends ForwardingRowStore {
    int asked;

    CountingStore(RowStore to) {
      super(to);
    }

    @Override
    public void read(long[] rowKeys, int count, RowReader reader) {
      asked += count;
      super.read(rowKeys, count, reader);
    }
  }

  /** Rows with the map that they are compared with. */
  private static final class World {
    final SplittableRandom random;
    final int mostBytes;
    final InMemoryRowStore store = new InMemoryRowStore();

    /** What readers are to find. */
    final Map<Long, byte[]> truth = new HashMap<>();

    /** Rows that are hot, and whether they are newer there. */
    final Map<Long, Boolean> hot = new TreeMap<>();

    BufferedRows rows;

    World(long seed, int mostBytes) {
      random = new SplittableRandom(seed);
      this.mostBytes = mostBytes;
      rows = new BufferedRows(store, mostBytes, 4L * mostBytes);
    }

    long key() {
      // Neighbours in a table of 16 cells.
      return 1 + random.nextInt(KEYS) * (random.nextBoolean() ? 1L : 16L);
    }

    byte[] row() {
      byte[] row = new byte[random.nextInt(1, 60)];
      random.nextBytes(row);
      return row;
    }

    long[] coldKeys() {
      return LongStream.generate(this::key)
          .limit(random.nextInt(12))
          .distinct()
          .filter(key -> !hot.containsKey(key))
          .toArray();
    }

    void read() {
      BufferedRows.Use use =
          switch (random.nextInt(3)) {
            case 0 -> BufferedRows.Use.LOOK;
            case 1 -> BufferedRows.Use.AHEAD;
            default -> BufferedRows.Use.UPDATE;
          };
      long[] keys = coldKeys();
      Map<Long, byte[]> found = new HashMap<>();
      Set<Long> enters = new HashSet<>();
      rows.read(
          keys,
          keys.length,
          use,
          (i, row, fromStore) -> {
            found.put(keys[i], row.clone());
            boolean enter = use == BufferedRows.Use.AHEAD && random.nextInt(3) == 0;
            if (enter) {
              rows.hot(keys[i], false);
              enters.add(keys[i]);
            }
            return enter;
          });
      for (long key : keys) {
        assertThat(found.get(key)).as("row %d", key).isEqualTo(truth.get(key));
      }
      enters.forEach(key -> hot.put(key, false));
      if (use == BufferedRows.Use.UPDATE) {
        rows.nextUpdate();
      }
    }

    void put() {
      for (long key : coldKeys()) {
        byte[] row = row();
        rows.put(key, row);
        truth.put(key, row);
      }
    }

    /** A commit brings rows into DRAM; until then, they were in the store or are new. */
    void enterNewer() {
      for (long key : coldKeys()) {
        rows.hot(key, true);
        hot.put(key, true);
      }
    }

    /** Hot rows give up their places. */
    void leave() {
      hot.forEach(
          (key, newer) -> {
            if (newer) {
              byte[] row = row();
              rows.put(key, row);
              truth.put(key, row);
            }
          });
      hot.clear();
    }

    void remove() {
      long[] keys = coldKeys();
      rows.remove(keys, keys.length);
      Arrays.stream(keys).forEach(truth::remove);
    }

    /** What is newer in DRAM is in the log. */
    void writeAndCheck() {
      rows.write();
      Map<Long, byte[]> stored = new HashMap<>();
      store.rows().forEachRemaining(each -> stored.put(each.getKey(), each.getValue()));
      for (long key = 1; key <= KEYS * 16; key++) {
        if (!hot.getOrDefault(key, false)) {
          assertThat(stored.get(key)).as("stored row %d", key).isEqualTo(truth.get(key));
        }
      }
    }

    void crash() {
      leave();
      writeAndCheck();
      rows = new BufferedRows(store, mostBytes, 4L * mostBytes);
    }
  }

  @Property(tries = 100)
  void rows_anyHistory_areThoseOfAMap(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 12_000) int mostBytes) {
    World world = new World(seed, mostBytes);
    for (int step = 0; step < 120; step++) {
      switch (world.random.nextInt(10)) {
        case 0, 1, 2, 3 -> world.read();
        case 4, 5 -> world.put();
        case 6 -> world.enterNewer();
        case 7 -> world.leave();
        case 8 -> world.remove();
        default -> {
          if (world.random.nextInt(4) == 0) {
            world.crash();
          } else {
            world.writeAndCheck();
          }
        }
      }
      assertThat(world.rows.bytesAhead()).isLessThanOrEqualTo(mostBytes);
    }
    world.leave();
    world.writeAndCheck();
  }

  private static int asked(CountingStore store, BufferedRows rows, BufferedRows.Use use) {
    int before = store.asked;
    long[] keys = {1, 2, 3, 4};
    rows.read(keys, keys.length, use, (i, row, fromStore) -> false);
    return store.asked - before;
  }

  private static CountingStore storeOfTwo() {
    InMemoryRowStore two = new InMemoryRowStore();
    two.write(Map.of(1L, new byte[40], 3L, new byte[40]));
    return new CountingStore(two);
  }

  @Test
  void update_ofRowsReadAhead_asksTheStoreForNone() {
    CountingStore store = storeOfTwo();
    BufferedRows rows = new BufferedRows(store, 10_000, MOST_TO_WRITE_BYTES);
    assertThat(asked(store, rows, BufferedRows.Use.AHEAD)).isEqualTo(4);
    // Neither those that are there nor those that are not.
    assertThat(asked(store, rows, BufferedRows.Use.AHEAD)).isZero();
    assertThat(asked(store, rows, BufferedRows.Use.UPDATE)).isZero();
    assertThat(rows.bytesAhead()).isZero();
    assertThat(asked(store, rows, BufferedRows.Use.UPDATE)).isEqualTo(4);
  }

  @Test
  void rowsReadAhead_thatNoUpdateTakes_areForgotten() {
    CountingStore store = storeOfTwo();
    BufferedRows rows = new BufferedRows(store, 10_000, MOST_TO_WRITE_BYTES);
    asked(store, rows, BufferedRows.Use.AHEAD);
    for (int i = 0; i < ReadAhead.FEWEST_UPDATES_KEPT; i++) {
      rows.nextUpdate();
    }
    assertThat(asked(store, rows, BufferedRows.Use.LOOK)).isZero();
    rows.nextUpdate();
    assertThat(rows.bytesAhead()).isZero();
    assertThat(asked(store, rows, BufferedRows.Use.LOOK)).isEqualTo(4);
  }

  @Test
  void rowsReadAhead_withoutRoom_areReadAgain() {
    CountingStore store = storeOfTwo();
    BufferedRows rows = new BufferedRows(store, 3_000, MOST_TO_WRITE_BYTES);
    long[] many = LongStream.rangeClosed(1, 200).toArray();
    rows.read(many, many.length, BufferedRows.Use.AHEAD, (i, row, fromStore) -> false);
    int before = store.asked;
    rows.read(many, many.length, BufferedRows.Use.LOOK, (i, row, fromStore) -> false);
    assertThat(store.asked - before).as("read again").isBetween(50, 190);
    assertThat(rows.bytesAhead()).isBetween(1L, 3_000L);
    BufferedRows none = new BufferedRows(store, 0, MOST_TO_WRITE_BYTES);
    asked(store, none, BufferedRows.Use.AHEAD);
    assertThat(asked(store, none, BufferedRows.Use.UPDATE)).isEqualTo(4);
  }

  @Test
  void rowsReadAhead_thatBecomeHot_leaveTheirRoom() {
    BufferedRows rows = new BufferedRows(storeOfTwo(), 10_000, MOST_TO_WRITE_BYTES);
    asked(storeOfTwo(), rows, BufferedRows.Use.AHEAD);
    assertThat(rows.rows()).isEqualTo(2);
    rows.hot(1, false);
    assertThat(rows.rows()).isEqualTo(1);
    rows.hot(3, true);
    assertThat(rows.rows()).isZero();
  }

  @Test
  void rowsReadAhead_thatAreHotAtOnce_areNotKept() {
    BufferedRows rows = new BufferedRows(storeOfTwo(), 10_000, MOST_TO_WRITE_BYTES);
    long[] keys = {1, 3};
    long[] most = new long[1];
    rows.read(
        keys,
        keys.length,
        BufferedRows.Use.AHEAD,
        (i, row, fromStore) -> {
          rows.hot(keys[i], false);
          most[0] = Math.max(most[0], rows.bytesAhead());
          return true;
        });
    assertThat(most[0] + rows.bytesAhead()).isZero();
  }

  @Test
  void put_ofMoreRowsThanMayWait_writesThem() {
    InMemoryRowStore store = new InMemoryRowStore();
    BufferedRows rows = new BufferedRows(store, 0, MOST_TO_WRITE_BYTES);
    for (long key = 1; key < BufferedRows.MOST_TO_WRITE; key++) {
      rows.put(key, new byte[1]);
    }
    assertThat(store.rows().hasNext()).isFalse();
    rows.put(BufferedRows.MOST_TO_WRITE, new byte[1]);
    assertThat(rows.written()).isEqualTo(BufferedRows.MOST_TO_WRITE);
    assertThat(store.rows().hasNext()).isTrue();
  }

  @Test
  void put_ofMoreBytesThanMayWait_writesThem() {
    InMemoryRowStore store = new InMemoryRowStore();
    BufferedRows rows = new BufferedRows(store, 0, MOST_TO_WRITE_BYTES);
    byte[] large = new byte[1 << 20];
    int fit = (int) (MOST_TO_WRITE_BYTES / large.length) - 1;
    for (int round = 0; round < 3; round++) {
      for (long key = 1; key <= fit; key++) {
        rows.put(key, large);
      }
    }
    assertThat(rows.written()).as("the same rows again take no more").isZero();
    assertThat(rows.bytesToWrite()).isEqualTo((long) fit * (large.length + ENTRY_BYTES));
    rows.hot(1, true);
    rows.put(fit + 1, large);
    assertThat(rows.written()).isZero();
    rows.put(1, large);
    assertThat(rows.written()).isEqualTo(fit + 1);
    assertThat(rows.bytesToWrite()).isZero();
  }
}
