package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Caps on rows and on bytes of the store. */
final class TableSizesTest {
  private static final EmbeddingPlan PLAN = Steps.plan(3, RowUpdater.ADAGRAD);
  private static final long USER_BYTES = 24 + 6 * 4 + 64;
  private static final long ITEM_BYTES = 24 + 4 + 64;
  private static final long COUNT_BYTES = 24 + 64;
  private static final long OWN_BYTES = 2 * (USER_BYTES + ITEM_BYTES);

  private static RowTables tables(
      InMemoryRowStore store, long slowBytes, int admitAfter, long mostRows) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(
            20_000,
            slowBytes,
            RowPolicyName.FREQUENCY,
            Admission.exact(admitAfter),
            mostRows,
            Expiry.NEVER),
        store);
  }

  @Test
  void usage_ofRowsAndCounts_isTheirBytes() {
    RowTables tables = tables(new InMemoryRowStore(), 1 << 20, 2, 100);
    assertThat(tables.usage(StoreTraffic.NONE).slowBytes()).isEqualTo(OWN_BYTES);
    Steps.train(tables, PLAN, 1, List.of(IdLists.single(5, 7), IdLists.single(5, 8)));
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(1);
    assertThat(tables.usage(StoreTraffic.NONE).counted()).isEqualTo(2);
    assertThat(tables.usage(StoreTraffic.NONE).slowBytes())
        .isEqualTo(OWN_BYTES + USER_BYTES + 2 * COUNT_BYTES);
  }

  @Test
  void fullStore_newIds_getNoRowAndOthersGoOn() {
    long cap = OWN_BYTES + 2 * USER_BYTES + ITEM_BYTES;
    RowTables tables = tables(new InMemoryRowStore(), cap + 5, 1, 100);
    Steps.train(
        tables, PLAN, 1, List.of(IdLists.single(5, 7), IdLists.single(6, 8), IdLists.single(9, 9)));
    assertThat(Steps.has(tables, 0, 5)).isTrue();
    assertThat(Steps.has(tables, 0, 6)).isTrue();
    assertThat(Steps.has(tables, 0, 9)).as("112 bytes do not fit any more").isFalse();
    assertThat(Steps.has(tables, 1, 7)).as("but 92 bytes do").isTrue();
    assertThat(Steps.has(tables, 1, 8)).isFalse();
    assertThat(tables.usage(StoreTraffic.NONE).slowBytes()).isEqualTo(cap);
    assertThat(tables.usage(StoreTraffic.NONE).refused()).isEqualTo(3);
    Steps.train(tables, PLAN, 2, List.of(IdLists.single(5, 7)));
    assertThat(tables.occurrences(IdLists.single(5, 7))).containsExactly(2, 2);
  }

  @Property(tries = 200)
  void slowBytes_anyStream_areNeverExceeded(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int admitAfter) {
    SplittableRandom random = new SplittableRandom(seed);
    long cap = OWN_BYTES + random.nextInt(4_000);
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables = tables(store, cap, admitAfter, random.nextInt(1, 40));
    long now = 1_000;
    for (int step = 0; step < 40; step++) {
      now += random.nextInt(700);
      List<IdLists> samples = new ArrayList<>();
      for (int i = random.nextInt(1, 12); i > 0; i--) {
        samples.add(IdLists.single(2 + random.nextInt(40), 2 + random.nextInt(40)));
      }
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      if (random.nextBoolean()) {
        Steps.maintain(tables, now);
      }
      batch.update(samples, new float[PLAN.width() * samples.size()]);
      tables.commit(batch, now);
      assertThat(tables.usage(StoreTraffic.NONE).slowBytes()).isLessThanOrEqualTo(cap);
      tables.flush();
      long[] stored = {0};
      store
          .rows()
          .forEachRemaining(row -> stored[0] += row.getValue().length + TableSizes.STATE_BYTES);
      assertThat(stored[0]).isLessThanOrEqualTo(tables.usage(StoreTraffic.NONE).slowBytes());
      assertThat(stored[0])
          .isGreaterThanOrEqualTo(tables.usage(StoreTraffic.NONE).slowBytes() - OWN_BYTES);
    }
  }

  /** 6,000 users and items each, of which each tenth was used a day later than the one before. */
  private static RowTables aged(InMemoryRowStore store) {
    RowTables tables = tables(store, 1L << 40, 1, 1_000_000);
    for (int day = 0; day < 10; day++) {
      List<IdLists> samples = new ArrayList<>();
      for (long id = 0; id < 600; id++) {
        samples.add(IdLists.single(2 + day * 600L + id, 2 + day * 600L + id));
      }
      Steps.train(tables, PLAN, 86_400L * (day + 1), samples);
    }
    tables.flush();
    return tables;
  }

  private static void assertOldestWent(RowTables tables, int table, int daysGone) {
    for (int day = 0; day < 10; day++) {
      int there = 0;
      for (long id = 0; id < 600; id++) {
        there += Steps.has(tables, table, 2 + day * 600L + id) ? 1 : 0;
      }
      if (day < daysGone - 1) {
        assertThat(there).as("day %d", day).isZero();
      } else if (day > daysGone) {
        assertThat(there).as("day %d", day).isEqualTo(600);
      }
    }
  }

  @Test
  void restore_withALowerCapOnBytes_deletesWhatWasUsedLongestAgo() {
    InMemoryRowStore store = new InMemoryRowStore();
    byte[] state = aged(store).snapshot();
    long all = OWN_BYTES + 6_000 * (USER_BYTES + ITEM_BYTES);
    RowTables tables = tables(store, all / 2, 1, 1_000_000);
    tables.restore(state);
    assertThat(tables.usage(StoreTraffic.NONE).slowBytes()).isEqualTo(all);
    Steps.maintain(tables, 86_400 * 11);
    assertThat(tables.usage(StoreTraffic.NONE).slowBytes())
        .isBetween(all / 2 - 2 * USER_BYTES, all / 2);
    assertOldestWent(tables, 0, 5);
    assertOldestWent(tables, 1, 5);
    long gone = 12_000 - tables.usage(StoreTraffic.NONE).rows();
    assertThat(tables.usage(StoreTraffic.NONE).expired())
        .isEqualTo(new RowUsage.Expired(0, 0, 0, gone));
    assertThat(tables.takeRemoved()).hasSize((int) gone);
    Steps.maintain(tables, 86_400 * 12);
    assertThat(tables.usage(StoreTraffic.NONE).expired().excess())
        .as("no more than too many")
        .isEqualTo(gone);
    RowTables again = tables(store, all / 2, 1, 1_000_000);
    again.restore(tables.snapshot());
    assertThat(again.usage(StoreTraffic.NONE).slowBytes())
        .isEqualTo(tables.usage(StoreTraffic.NONE).slowBytes());
  }

  @Test
  void restore_withALowerCapOnRows_deletesWhatWasUsedLongestAgo() {
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables = tables(store, 1L << 40, 1, 1_800);
    tables.restore(aged(store).snapshot());
    Steps.maintain(tables, 86_400 * 11);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(3_600);
    assertOldestWent(tables, 0, 7);
    assertOldestWent(tables, 1, 7);
  }

  @Test
  void restore_withAHigherCap_takesNewIdsAgain() {
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables full = tables(store, OWN_BYTES + USER_BYTES + ITEM_BYTES, 1, 100);
    Steps.train(full, PLAN, 1, List.of(IdLists.single(5, 5)));
    Steps.train(full, PLAN, 1, List.of(IdLists.single(6, 6)));
    assertThat(full.usage(StoreTraffic.NONE).refused()).isEqualTo(2);
    RowTables tables = tables(store, 1 << 20, 1, 100);
    tables.restore(full.snapshot());
    Steps.train(tables, PLAN, 1, List.of(IdLists.single(6, 6)));
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(4);
  }
}
