package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What tables take of DRAM, and that they take no more. */
final class RowMemoryTest {
  private static final long MIB = 1L << 20;

  private static RowSettings settings(long fastBytes) {
    return new RowSettings(fastBytes, RowPolicyName.FREQUENCY, 1, 1_000_000, Expiry.NEVER);
  }

  @Test
  void bytes_ofAnyFastBytes_areThoseOfTheDocument() {
    assertThat(RowMemory.of(settings(256 * MIB), false).bytes()).isEqualTo((256 + 64) * MIB);
    assertThat(RowMemory.of(settings(256 * MIB), true).bytes()).isEqualTo((256 + 64 + 128) * MIB);
    assertThat(RowMemory.of(settings(100 * MIB), false).bytes()).isEqualTo((192 + 64) * MIB);
    assertThat(RowMemory.of(settings(10 * MIB), false).bytes()).isEqualTo((30 + 10) * MIB);
    Admission filtered = new Admission(2, Admission.Counter.BLOOM, Admission.Bloom.DEFAULT);
    RowSettings settings =
        new RowSettings(
            10 * MIB, RowSettings.UNBOUNDED, RowPolicyName.SIMPLE, filtered, 100, Expiry.NEVER);
    assertThat(RowMemory.of(settings, false).filter()).isBetween(64 * MIB, 66 * MIB);
  }

  /** Rows that come and go, in batches that are far larger than what may wait. */
  @Property(tries = 60)
  void usage_inAnyHistory_isWithinTheBound(
      @ForAll long seed,
      @ForAll RowPolicyName policy,
      @ForAll @IntRange(min = 1_000, max = 60_000) int fastBytes,
      @ForAll @IntRange(min = 1, max = 40) int dim) {
    EmbeddingPlan plan =
        new EmbeddingPlan(
            List.of(
                new EmbeddingPlan.Table("ids", dim, new RowLayout(dim, RowUpdater.ADAM)),
                new EmbeddingPlan.Table("small", 1, new RowLayout(1, RowUpdater.SGD))),
            List.of(
                new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
                new EmbeddingPlan.Feature(1, IdPooling.SUM, dim)),
            dim + 1,
            dim + 1);
    RowSettings settings = new RowSettings(fastBytes, policy, 1, 1_000_000, Expiry.NEVER);
    InMemoryRowStore store = new InMemoryRowStore();
    RowRule rule = new RowRule(0.1, 0.5, 7);
    RowTables tables = new RowTables(plan, rule, settings, store);
    RowMemory bound = RowMemory.of(settings, false);
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 12; step++) {
      List<IdLists> samples = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        samples.add(IdLists.single(2 + random.nextInt(900), 2 + random.nextInt(900)));
      }
      if (random.nextBoolean()) {
        tables.gather(samples);
      } else {
        RowBatch batch = tables.gatherToTrain(samples, List.of());
        batch.update(samples, new float[plan.width() * samples.size()]);
        tables.commit(batch, 1_000);
      }
      assertThat(tables.usage(StoreTraffic.NONE).fastBytes())
          .isLessThanOrEqualTo(bound.rows() + bound.toWrite());
      tables.write();
      assertThat(logBytes(store)).isLessThanOrEqualTo(RowMemory.mostLogBytes(settings));
      if (random.nextInt(3) == 0) {
        store = store.copy();
        RowTables again = new RowTables(plan, rule, settings, store);
        again.restore(tables.snapshot());
        assertThat(again.usage(StoreTraffic.NONE).fastBytes() + logBytes(store) + keyBytes(store))
            .isLessThanOrEqualTo(bound.rows() + bound.toWrite());
        assertThat(again.usage(StoreTraffic.NONE).rows())
            .isEqualTo(tables.usage(StoreTraffic.NONE).rows());
        tables = again;
      }
    }
  }

  private static final EmbeddingPlan IDS =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("ids", 16, new RowLayout(16, RowUpdater.ADAGRAD))),
          List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
          16,
          16);

  /** Updates of the same hot rows, each with as many rows as are written at a time. */
  private static RowTables updated(InMemoryRowStore store, int updates, Consumer<RowTables> after) {
    RowTables tables = new RowTables(IDS, new RowRule(0.1, 0.5, 7), settings(2 * MIB), store);
    List<IdLists> samples = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      samples.add(new IdLists(new long[] {2 + i}, new int[] {1}));
    }
    for (int update = 0; update < updates; update++) {
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      batch.update(samples, new float[16 * samples.size()]);
      long before = tables.usage(StoreTraffic.NONE).flushed();
      tables.commit(batch, 1_000);
      if (tables.usage(StoreTraffic.NONE).flushed() > before) {
        throw new AssertionError("update %d has written all rows at once".formatted(update));
      }
      after.accept(tables);
    }
    return tables;
  }

  @Test
  void log_thatIsFoldedInTime_neverMakesAnUpdateWriteAllRows() {
    InMemoryRowStore store = new InMemoryRowStore();
    List<Long> folds = new ArrayList<>();
    RowTables tables =
        updated(
            store,
            40,
            each -> {
              while (each.busy()) {
                long before = each.usage(StoreTraffic.NONE).flushed();
                each.maintain(1_000);
                folds.add(each.usage(StoreTraffic.NONE).flushed() - before);
              }
            });
    assertThat(folds).hasSizeBetween(5, 25).allMatch(rows -> rows <= 2_000);
    assertThat(tables.usage(StoreTraffic.NONE).flushed()).isBetween(5 * 2_000L, 20 * 2_000L);
    assertThat(logBytes(store)).isLessThanOrEqualTo(MIB);
  }

  @Test
  void log_thatNobodyFolds_isWrittenAtOnceWhenItIsFull() {
    assertThatThrownBy(() -> updated(new InMemoryRowStore(), 40, tables -> {}))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("has written all rows at once");
  }

  private static long logBytes(RowStore store) {
    long bytes = 0;
    for (Map.Entry<Long, byte[]> each : store.changes().entries()) {
      bytes += each.getValue().length;
    }
    return bytes;
  }

  /** Bytes of the keys of the rows in the log, for which a start makes room. */
  private static long keyBytes(RowStore store) {
    int rows = 0;
    for (Map.Entry<Long, byte[]> each : store.changes().entries()) {
      rows += LogEntry.rows(each.getValue());
    }
    return new RowKeys(rows).bytes();
  }

  /** A random number of keys, some of them twice. */
  @Property(tries = 200)
  void rowKeys_ofAnyNumber_areTheKeysThatCame(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 3_000) int most) {
    RowKeys keys = new RowKeys(most);
    assertThat(keys.bytes()).isLessThanOrEqualTo(24L * most + 32);
    Set<Long> expected = new HashSet<>();
    SplittableRandom random = new SplittableRandom(seed);
    while (expected.size() < most) {
      long key = random.nextInt(4) == 0 ? 1 + random.nextInt(5 * most) : random.nextLong() | 1;
      assertThat(keys.add(key)).isEqualTo(expected.add(key));
    }
    expected.forEach(key -> assertThat(keys.add(key)).isFalse());
  }
}
