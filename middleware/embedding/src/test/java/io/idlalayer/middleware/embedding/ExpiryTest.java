package io.idlalayer.middleware.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that nobody uses, and counts of ids that have none. */
final class ExpiryTest {
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("ids", 1, new RowLayout(1, RowUpdater.SGD))),
          List.of(new EmbeddingPlan.Feature(0, Pooling.SUM, 0)),
          1,
          1);
  private static final long DAY = 86_400;

  private final InMemoryRowStore store = new InMemoryRowStore();

  private RowTables tables(int admitAfter, long mostRows, double expireSeconds) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(1 << 20, RowPolicyName.FREQUENCY, admitAfter, mostRows, expireSeconds),
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
    assertThat(tables.usage().expired()).isEqualTo(1);
    assertThat(tables.usage().rows()).isEqualTo(1);
    assertThat(has(tables, 5)).isFalse();
    assertThat(has(tables, 6)).isTrue();
    assertThat(tables.takeRemoved()).containsExactly(new RowTables.Removed(0, 5));
    RowTables restored = tables(1, 100, 3 * DAY);
    restored.restore(tables.snapshot());
    assertThat(has(restored, 5)).isFalse();
    assertThat(has(restored, 6)).isTrue();
    maintain(tables, 7 * DAY);
    assertThat(tables.usage().rows()).isZero();
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
    assertThat(tables.usage().expired()).isEqualTo(2);
  }

  @Test
  void maintain_countThatBecameARow_isDeletedAsARow() {
    RowTables tables = tables(2, 100, DAY);
    train(tables, DAY, 5);
    train(tables, DAY, 5);
    assertThat(tables.usage().rows()).isEqualTo(1);
    maintain(tables, 3 * DAY);
    assertThat(tables.usage().rows()).isZero();
    assertThat(tables.takeRemoved()).containsExactly(new RowTables.Removed(0, 5));
    // Its count is gone too.
    train(tables, 3 * DAY, 5);
    assertThat(tables.usage().rows()).isZero();
    train(tables, 3 * DAY, 5);
    assertThat(tables.usage().rows()).isEqualTo(1);
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
        assertThat(tables.usage().rows()).isZero();
        tables.commit(batch, now);
        assertThat(tables.usage().rows()).as("admitted after %d", admitAfter).isEqualTo(2);
        assertThat(has(tables, 5)).isTrue();
      }
      maintain(tables, now + 3 * DAY);
      assertThat(tables.usage().rows()).isZero();
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
    long left = tables.usage().rows();
    assertThat(left).isBetween(8_000L, 10_000L);
    tables.maintain(5 * DAY);
    assertThat(tables.usage().rows()).isEqualTo(left);
    assertThat(tables.takeRemoved()).hasSize(60_000 - (int) left);
    maintain(tables, 5 * DAY);
    assertThat(tables.usage().rows()).isZero();
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
    assertThat(tables.usage().refused()).isZero();
  }

  @Test
  void fullTable_newIds_getNoRowAndAreCounted() {
    RowTables tables = tables(1, 2, 0);
    train(tables, DAY, 5, 6, 7);
    assertThat(tables.usage().rows()).isEqualTo(2);
    assertThat(tables.usage().refused()).isEqualTo(1);
  }
}
