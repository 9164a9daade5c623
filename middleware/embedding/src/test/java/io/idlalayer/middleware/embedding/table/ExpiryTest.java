package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that are not used, and counts of ids without a row. */
final class ExpiryTest {
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("ids", 1, new RowLayout(1, RowUpdater.SGD))),
          List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
          1,
          1);
  private static final long DAY = 86_400;

  private InMemoryRowStore store = new InMemoryRowStore();

  private RowTables tables(int admitAfter, long mostRows, double expireSeconds) {
    return tables(admitAfter, mostRows, Expiry.unused(expireSeconds));
  }

  private RowTables tables(int admitAfter, long mostRows, Expiry expiry) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(1 << 20, RowPolicyName.FREQUENCY, admitAfter, mostRows, expiry),
        store);
  }

  private static RowBatch trained(RowTables tables, long... ids) {
    List<IdLists> samples = new ArrayList<>();
    for (long id : ids) {
      samples.add(IdLists.single(id));
    }
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    batch.update(samples, new float[samples.size()]);
    return batch;
  }

  private static void train(RowTables tables, long nowSeconds, long... ids) {
    tables.commit(trained(tables, ids), nowSeconds);
  }

  private static void maintain(RowTables tables, long nowSeconds) {
    tables.maintain(nowSeconds);
    for (int i = 0; i < 1_000 && tables.busy(); i++) {
      tables.maintain(nowSeconds);
    }
    assertThat(tables.busy()).isFalse();
  }

  private static boolean has(RowTables tables, long id) {
    return tables.occurrences(IdLists.single(id))[0] > 0;
  }

  @Test
  void maintain_rowThatNobodyUses_isDeletedWhereverItIs() {
    RowTables tables = tables(1, 100, 3 * DAY);
    train(tables, DAY, 5, 6);
    train(tables, 3 * DAY, 6);
    // Both are in DRAM and in the log only.
    maintain(tables, 4 * DAY + 1);
    assertThat(tables.usage(StoreTraffic.NONE).expired().unused()).isEqualTo(1);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(1);
    assertThat(has(tables, 5)).isFalse();
    assertThat(has(tables, 6)).isTrue();
    assertThat(tables.takeRemoved()).containsExactly(new RemovedRow(0, 5));
    RowTables restored = tables(1, 100, 3 * DAY);
    restored.restore(tables.snapshot());
    assertThat(has(restored, 5)).isFalse();
    assertThat(has(restored, 6)).isTrue();
    maintain(tables, 7 * DAY);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
  }

  @Test
  void maintain_withoutExpiry_deletesNothing() {
    RowTables tables = tables(1, 100, 0);
    train(tables, DAY, 5);
    maintain(tables, 10_000 * DAY);
    assertThat(has(tables, 5)).isTrue();
  }

  @Test
  void maintain_clockSetBack_goesOn() {
    RowTables tables = tables(1, 100, DAY);
    train(tables, DAY, 5);
    maintain(tables, 50_000 * DAY);
    train(tables, DAY, 6);
    maintain(tables, 3 * DAY);
    assertThat(tables.usage(StoreTraffic.NONE).expired().unused()).isEqualTo(2);
  }

  @Test
  void maintain_countThatBecameARow_isDeletedAsARow() {
    RowTables tables = tables(2, 100, DAY);
    train(tables, DAY, 5);
    train(tables, DAY, 5);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(1);
    maintain(tables, 3 * DAY);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
    assertThat(tables.takeRemoved()).containsExactly(new RemovedRow(0, 5));
    // Its count is gone too.
    train(tables, 3 * DAY, 5);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
    train(tables, 3 * DAY, 5);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(1);
  }

  @Test
  void maintain_whileRowsTrain_keepsTheCountsRight() {
    for (int admitAfter = 1; admitAfter <= 3; admitAfter++) {
      RowTables tables = tables(admitAfter, 100, DAY);
      long now = DAY;
      for (int i = 0; i < 4; i++) {
        train(tables, now, 5, 6);
      }
      for (int round = 0; round < 3; round++) {
        RowBatch batch = trained(tables, 5, 6);
        now += 3 * DAY;
        maintain(tables, now);
        assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
        tables.commit(batch, now);
        assertThat(tables.usage(StoreTraffic.NONE).rows())
            .as("admitted after %d", admitAfter)
            .isEqualTo(2);
        assertThat(has(tables, 5)).isTrue();
      }
      maintain(tables, now + 3 * DAY);
      assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
    }
  }

  @Test
  void maintain_veryManyOldRows_waitsForAVersionThatTells() {
    RowTables tables = tables(1, 1_000_000, DAY);
    long[] ids = new long[60_000];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = 2L + i;
    }
    train(tables, DAY, ids);
    maintain(tables, 5 * DAY);
    long left = tables.usage(StoreTraffic.NONE).rows();
    assertThat(left).isBetween(8_000L, 10_000L);
    tables.maintain(5 * DAY);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(left);
    assertThat(tables.takeRemoved()).hasSize(60_000 - (int) left);
    maintain(tables, 5 * DAY);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
  }

  @Test
  void counts_ofVeryManyIdsThatCameOnce_makeRoomForOneThatComesOften() {
    RowTables tables = tables(3, 10, 0);
    long now = DAY;
    for (long id = 100; id < 130; id++) {
      train(tables, now, id);
    }
    for (int i = 0; i < 6; i++) {
      now += DAY;
      maintain(tables, now);
      train(tables, now, 7);
      train(tables, now, 7);
    }
    assertThat(has(tables, 7)).isTrue();
    assertThat(tables.usage(StoreTraffic.NONE).refused()).isZero();
  }

  @Test
  void fullTable_newIds_getNoRowAndAreCounted() {
    RowTables tables = tables(1, 2, 0);
    train(tables, DAY, 5, 6, 7);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(2);
    assertThat(tables.usage(StoreTraffic.NONE).refused()).isEqualTo(1);
  }

  private static Expiry rare(int below, double unusedSeconds) {
    return new Expiry(0, new Expiry.Bound(below, unusedSeconds), Expiry.Bound.NONE);
  }

  private static Expiry small(double below, double unusedSeconds) {
    return new Expiry(0, Expiry.Bound.NONE, new Expiry.Bound(below, unusedSeconds));
  }

  /** Trains ids until their weights are about this number. */
  private static void trainTo(RowTables tables, long nowSeconds, double weight, long... ids) {
    for (long id : ids) {
      List<IdLists> samples = List.of(IdLists.single(id));
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      RowSet set = batch.rows(0);
      float before = set.values()[set.at(set.row(id))];
      batch.update(samples, new float[] {(float) ((before - weight) / 0.1)});
      tables.commit(batch, nowSeconds);
    }
  }

  private static float weight(RowTables tables, long id) {
    RowSet set = tables.gather(List.of(IdLists.single(id))).rows(0);
    return set.values()[set.at(set.row(id))];
  }

  @Test
  void maintain_rowOfARareId_isDeletedOnceItIsIdle() {
    for (boolean stored : List.of(true, false)) {
      RowTables tables = tables(1, 100, rare(3, DAY));
      train(tables, DAY, 5, 6);
      train(tables, DAY, 5, 6);
      train(tables, DAY, 6);
      if (stored) {
        tables.flush();
      }
      maintain(tables, 2 * DAY);
      assertThat(tables.usage(StoreTraffic.NONE).rows())
          .as("idle for a day, not longer")
          .isEqualTo(2);
      maintain(tables, 2 * DAY + 1_000);
      assertThat(has(tables, 5)).isFalse();
      assertThat(has(tables, 6)).isTrue();
      assertThat(tables.usage(StoreTraffic.NONE).expired())
          .isEqualTo(new RowUsage.Expired(0, 1, 0, 0));
      assertThat(tables.takeRemoved()).containsExactly(new RemovedRow(0, 5));
      maintain(tables, 900 * DAY);
      assertThat(has(tables, 6)).as("it came often enough, for ever").isTrue();
      store = new InMemoryRowStore();
    }
  }

  @Test
  void maintain_replayedIds_doNotCountAsOftenOnes() {
    RowTables tables = tables(1, 100, rare(3, DAY));
    train(tables, DAY, 5);
    for (int i = 0; i < 5; i++) {
      List<IdLists> again = List.of(IdLists.single(5));
      RowBatch batch = tables.gatherToTrain(List.of(), again);
      batch.update(again, new float[1]);
      tables.commit(batch, 2 * DAY);
    }
    maintain(tables, 3 * DAY);
    assertThat(has(tables, 5)).as("a replay is a use").isTrue();
    maintain(tables, 3 * DAY + 1_000);
    assertThat(has(tables, 5)).isFalse();
    assertThat(tables.usage(StoreTraffic.NONE).expired().rare()).isEqualTo(1);
  }

  @Test
  void maintain_rowOfSmallNorm_isDeletedOnceItIsIdle() {
    for (boolean stored : List.of(true, false)) {
      RowTables tables = tables(1, 100, small(0.25, DAY));
      trainTo(tables, DAY, 0.2, 5);
      trainTo(tables, DAY, -0.3, 6);
      trainTo(tables, DAY, -0.2, 7);
      if (stored) {
        tables.flush();
      }
      maintain(tables, 2 * DAY);
      assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(3);
      maintain(tables, 2 * DAY + 1_000);
      assertThat(has(tables, 5)).isFalse();
      assertThat(has(tables, 6)).isTrue();
      assertThat(has(tables, 7)).isFalse();
      assertThat(tables.usage(StoreTraffic.NONE).expired())
          .isEqualTo(new RowUsage.Expired(0, 0, 2, 0));
      store = new InMemoryRowStore();
    }
  }

  @Test
  void maintain_rowThatBecameLargeWhileTheStoreHadASmallOne_stays() {
    RowTables tables = tables(1, 100, small(0.25, 0));
    trainTo(tables, DAY, 0.2, 5);
    tables.flush();
    trainTo(tables, DAY, 0.9, 5);
    maintain(tables, 2 * DAY);
    assertThat(has(tables, 5)).isTrue();
    trainTo(tables, 2 * DAY, 0.1, 5);
    maintain(tables, 3 * DAY);
    assertThat(has(tables, 5)).isFalse();
  }

  @Test
  void maintain_rowWhoseNumbersAreNone_stays() {
    RowTables tables = tables(1, 100, small(0.25, 0));
    trainTo(tables, DAY, Double.NaN, 5);
    maintain(tables, 2 * DAY);
    assertThat(has(tables, 5)).isTrue();
  }

  @Test
  void maintain_rowOfUnknownIds_isNeverDeleted() {
    RowTables tables =
        tables(9, 100, new Expiry(DAY, new Expiry.Bound(100, DAY / 2.0), new Expiry.Bound(9, 10)));
    train(tables, DAY, 5);
    tables.flush();
    RowBatch before = tables.gather(List.of());
    maintain(tables, 5 * DAY);
    assertThat(tables.usage(StoreTraffic.NONE).expired()).isEqualTo(RowUsage.Expired.NONE);
    assertThat(tables.gather(List.of()).rows(0).steps(0)).isEqualTo(1);
    assertThat(before.rows(0).steps(0)).isEqualTo(1);
  }

  @Test
  void expiredId_thatComesBack_startsAnewAndIsToldOnce() {
    RowTables tables = tables(1, 100, rare(3, DAY));
    float first = begun(tables);
    trainTo(tables, DAY, 7, 5);
    tables.flush();
    maintain(tables, 3 * DAY);
    assertThat(has(tables, 5)).isFalse();
    RowBatch again = trained(tables, 5);
    tables.commit(again, 3 * DAY);
    assertThat(weight(tables, 5)).isEqualTo(first);
    assertThat(tables.occurrences(IdLists.single(5))[0]).isEqualTo(1);
    RowTables restored = tables(1, 100, rare(3, DAY));
    restored.restore(tables.snapshot());
    assertThat(weight(restored, 5)).isEqualTo(first);
    assertThat(restored.usage(StoreTraffic.NONE).rows()).isEqualTo(1);
  }

  private float begun(RowTables tables) {
    RowSet set = tables.gatherToTrain(List.of(IdLists.single(5)), List.of()).rows(0);
    return set.values()[set.at(set.row(5))];
  }

  /** The checkpoint before has the row, and so has what is read from it. */
  @Test
  void restore_ofACheckpointBeforeTheSweep_hasItsRowsAndDeletesThemAgain() {
    RowTables tables = tables(1, 100, rare(3, DAY));
    trainTo(tables, DAY, 7, 5);
    tables.flush();
    byte[] before = tables.snapshot();
    InMemoryRowStore checkpoint = store.copy();
    maintain(tables, 3 * DAY);
    assertThat(has(tables, 5)).isFalse();
    RowTables restored =
        new RowTables(
            PLAN,
            new RowRule(0.1, 0.5, 7),
            new RowSettings(1 << 20, RowPolicyName.FREQUENCY, 1, 100, rare(3, DAY)),
            checkpoint);
    restored.restore(before);
    assertThat(weight(restored, 5)).isCloseTo(7, within(1e-5f));
    assertThat(restored.usage(StoreTraffic.NONE).rows()).isEqualTo(1);
    maintain(restored, 3 * DAY);
    assertThat(restored.usage(StoreTraffic.NONE).rows()).isZero();
    assertThat(restored.takeRemoved()).containsExactly(new RemovedRow(0, 5));
  }

  @Test
  void maintain_rowUsedWhenTheClockWasAhead_countsAsUsedNow() {
    for (boolean stored : List.of(true, false)) {
      RowTables tables = tables(1, 100, 3 * DAY);
      train(tables, 900 * DAY, 5);
      if (stored) {
        tables.flush();
      }
      maintain(tables, 10 * DAY);
      assertThat(has(tables, 5)).isTrue();
      RowTables restored = tables(1, 100, 3 * DAY);
      restored.restore(tables.snapshot());
      maintain(restored, 13 * DAY);
      assertThat(has(restored, 5)).isTrue();
      maintain(restored, 13 * DAY + 1_000);
      assertThat(has(restored, 5)).isFalse();
      store = new InMemoryRowStore();
    }
  }

  @Test
  void expiry_severalReasons_namesTheFirst() {
    Expiry all = new Expiry(10, new Expiry.Bound(5, 2), new Expiry.Bound(1, 0));
    assertThat(all.reason(11, 1, () -> 0)).isEqualTo(Expiry.Reason.UNUSED);
    assertThat(all.reason(10, 4, () -> 0)).isEqualTo(Expiry.Reason.RARE);
    assertThat(all.reason(10, 5, () -> 0.9)).isEqualTo(Expiry.Reason.SMALL);
    assertThat(all.reason(10, 5, () -> 1)).isNull();
    assertThat(all.reason(2, 1, () -> 1)).isNull();
    assertThat(all.reason(-1, 1, () -> 0)).isNull();
    assertThat(all.reason(Long.MAX_VALUE, 1, () -> 0)).isEqualTo(Expiry.Reason.UNUSED);
    assertThat(all.reason(3, Integer.MAX_VALUE, () -> Double.NaN)).isNull();
  }
}
