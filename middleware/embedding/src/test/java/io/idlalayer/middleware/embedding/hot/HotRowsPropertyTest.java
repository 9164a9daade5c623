package io.idlalayer.middleware.embedding.hot;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Rows in DRAM against a map, with row keys that meet in the index. */
final class HotRowsPropertyTest {
  private static final RowLayout LAYOUT = new RowLayout(3, RowUpdater.SGD);

  /** What was put in. */
  private record Row(int table, StoredRow head, float first) {}

  @Property(tries = 100)
  void rows_anyAddsAndRemovals_areFoundAsTheyWere(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3_000) int room) {
    HotRows rows = new HotRows(LAYOUT, room * HotRows.rowBytes(LAYOUT), HotRowsPropertyTest::idKey);
    SplittableRandom random = new SplittableRandom(seed);
    Map<Long, Row> model = new HashMap<>();
    List<Long> asked = new ArrayList<>();
    for (int step = 0; step < 2 * room; step++) {
      long rowKey = rowKey(random);
      asked.add(rowKey);
      int slot = rows.find(rowKey);
      assertThat(slot == HotRows.NONE).isEqualTo(!model.containsKey(rowKey));
      if (slot != HotRows.NONE && random.nextInt(3) == 0) {
        rows.remove(slot);
        model.remove(rowKey);
      } else if (slot == HotRows.NONE && !rows.full()) {
        model.put(rowKey, added(rows, rowKey, random));
      }
    }
    assertThat(rows.size()).isEqualTo(model.size());
    long[] keys = asked.stream().mapToLong(Long::longValue).toArray();
    int[] found = new int[keys.length];
    for (int from = 0; from < keys.length; from += HotRows.AT_ONCE) {
      rows.find(keys, from, Math.min(keys.length, from + HotRows.AT_ONCE), found);
    }
    for (int i = 0; i < keys.length; i++) {
      assertThat(found[i]).isEqualTo(rows.find(keys[i]));
      check(rows, found[i], model.get(keys[i]));
    }
  }

  @Property(tries = 100)
  void resize_anySizes_keepsTheHottestAsTheyWere(
      @ForAll long seed,
      @ForAll @IntRange(min = 64, max = 3_000) int most,
      @ForAll boolean offHeap) {
    SplittableRandom random = new SplittableRandom(seed);
    long rowBytes = HotRows.rowBytes(LAYOUT);
    HotRows rows =
        new HotRows(
            LAYOUT, most / 2 * rowBytes, most * rowBytes, HotRowsPropertyTest::idKey, offHeap);
    Map<Long, Row> model = new HashMap<>();
    for (int round = 0; round < 6; round++) {
      for (int step = 0; step < most; step++) {
        long rowKey = rowKey(random);
        if (rows.find(rowKey) == HotRows.NONE && !rows.full()) {
          model.put(rowKey, added(rows, rowKey, random));
          rows.heat(rows.find(rowKey), random.nextInt(8));
        }
      }
      long bytes = random.nextInt(most + 1) * rowBytes;
      int[] hottestGone = {-1};

      rows.resize(
          bytes,
          slot -> {
            hottestGone[0] = Math.max(hottestGone[0], rows.heat(slot));
            model.remove(rows.rowKey(slot));
            rows.remove(slot);
          });

      assertThat(rows.size()).isEqualTo(model.size()).isLessThanOrEqualTo(rows.capacity());
      assertThat(rows.bytes()).isLessThanOrEqualTo(bytes + 4 * Integer.BYTES);
      model.forEach(
          (rowKey, row) -> {
            int slot = rows.find(rowKey);
            check(rows, slot, row);
            assertThat(rows.heat(slot)).isGreaterThanOrEqualTo(hottestGone[0]);
          });
    }
  }

  /** Many have the same lower half, so the same cell; many of these the same bits beside it. */
  private static long rowKey(SplittableRandom random) {
    long lower = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(8) * 0x2000_0000;
    long upper = random.nextBoolean() ? random.nextInt(1, 40) : (random.nextInt() & ~0xFFFF) | 7;
    return (upper << Integer.SIZE) | (lower & 0xFFFF_FFFFL);
  }

  private static long idKey(int table, long rowKey) {
    return 31 * rowKey + table;
  }

  private static Row added(HotRows rows, long rowKey, SplittableRandom random) {
    int table = random.nextInt(1 << 16);
    StoredRow head =
        new StoredRow(
            table,
            RowKind.ROW,
            idKey(table, rowKey),
            random.nextInt() >>> 1,
            random.nextInt(),
            random.nextInt() >>> 1);
    float first = random.nextInt(1_000);
    int slot = rows.add(rowKey, table);
    rows.decode(slot, head, head.encode(new float[] {first, first + 1, first + 2}, 0, 3));
    rows.dirty(slot, random.nextBoolean());
    return new Row(table, head, first);
  }

  private static void check(HotRows rows, int slot, Row expected) {
    if (slot == HotRows.NONE) {
      assertThat(expected).isNull();
      return;
    }
    assertThat(rows.table(slot)).isEqualTo(expected.table());
    assertThat(rows.encode(slot))
        .isEqualTo(
            expected
                .head()
                .encode(
                    new float[] {expected.first(), expected.first() + 1, expected.first() + 2},
                    0,
                    3));
  }

  @Test
  void warm_oftenUsed_staysAtTheMostAndChangesNothingElse() {
    HotRows rows = new HotRows(LAYOUT, 64 * HotRows.rowBytes(LAYOUT), HotRowsPropertyTest::idKey);
    int slot = rows.add(77, 65_535);
    StoredRow head = new StoredRow(65_535, RowKind.ROW, idKey(65_535, 77), -1, -2, -3);
    rows.decode(slot, head, head.encode(new float[] {1, 2, 3}, 0, 3));
    rows.dirty(slot, true);
    int[] used = {HotRows.NONE, slot, HotRows.NONE, slot};
    for (int i = 1; i <= 100; i++) {
      assertThat(rows.warm(used, 0, 4)).isEqualTo(2);
      assertThat(rows.heat(slot)).isEqualTo(Math.min(7, 2 * i));
    }
    assertThat(rows.warm(used, 2, 3)).isZero();
    rows.heat(slot, 300);
    assertThat(rows.heat(slot)).isEqualTo(7);
    rows.heat(slot, 0);
    assertThat(rows.heat(slot)).isZero();
    assertThat(rows.dirty(slot)).isTrue();
    rows.dirty(slot, false);
    assertThat(rows.dirty(slot)).isFalse();
    rows.lastUse(slot, 9);
    assertThat(rows.lastUseSeconds(slot)).isEqualTo(9);
    assertThat(rows.occurrences(slot)).isEqualTo(-1);
    assertThat(rows.encode(slot))
        .isEqualTo(
            new StoredRow(65_535, RowKind.ROW, idKey(65_535, 77), -1, 9, -3)
                .encode(new float[] {1, 2, 3}, 0, 3));
  }
}
