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
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The rows that each table has for missing and for unknown ids. */
final class OwnRowsTest {
  private static final EmbeddingPlan PLAN = Steps.plan(2, RowUpdater.ADAGRAD);
  private static final IdLists ALL_MISSING = IdLists.single(IdLists.MISSING, IdLists.MISSING);
  private static final long OWN_BYTES = 2 * (24 + 4 * 4 + 64) + 2 * (24 + 4 + 64);
  private static final long LAPSE_SECONDS = 1_000;

  private static RowTables tables(
      RowStore store, Admission admission, long slowBytes, long mostRows, Expiry expiry) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(3_000, slowBytes, RowPolicyName.FREQUENCY, admission, mostRows, expiry),
        store);
  }

  private static List<IdLists> ids(int from, int to) {
    List<IdLists> samples = new ArrayList<>();
    for (int id = from; id < to; id++) {
      samples.add(IdLists.single(id, id));
    }
    return samples;
  }

  @Test
  void missing_atItsFirstTime_hasItsRow() {
    for (Admission.Counter counter : Admission.Counter.values()) {
      Admission admission = new Admission(5, counter, new Admission.Bloom(1_000, 0.01));
      RowTables tables =
          tables(new InMemoryRowStore(), admission, RowSettings.UNBOUNDED, 100, Expiry.NEVER);
      Steps.train(tables, PLAN, 1, List.of(ALL_MISSING, IdLists.single(5, 5)));
      assertThat(tables.occurrences(ALL_MISSING)).containsExactly(1, 1);
      assertThat(tables.occurrences(IdLists.single(5, 5))).containsExactly(0, 0);
      assertThat(tables.usage(StoreTraffic.NONE).rows()).isZero();
      assertThat(tables.usage(StoreTraffic.NONE).admitted()).isZero();
    }
  }

  @Test
  void missing_inFullTables_hasItsRow() {
    RowTables few =
        tables(new InMemoryRowStore(), Admission.ALL, RowSettings.UNBOUNDED, 3, Expiry.NEVER);
    Steps.train(few, PLAN, 1, ids(2, 5));
    Steps.train(few, PLAN, 2, List.of(ALL_MISSING, IdLists.single(9, 9)));
    assertThat(few.occurrences(ALL_MISSING)).containsExactly(1, 1);
    assertThat(few.usage(StoreTraffic.NONE).rows()).isEqualTo(6);
    assertThat(few.usage(StoreTraffic.NONE).refused()).as("id 9 in both tables").isEqualTo(2);

    RowTables small = tables(new InMemoryRowStore(), Admission.ALL, OWN_BYTES, 100, Expiry.NEVER);
    Steps.train(small, PLAN, 1, List.of(IdLists.single(5, 5)));
    Steps.train(small, PLAN, 2, List.of(ALL_MISSING));
    assertThat(small.occurrences(ALL_MISSING)).containsExactly(1, 1);
    assertThat(small.usage(StoreTraffic.NONE).rows()).isZero();
    assertThat(small.usage(StoreTraffic.NONE).slowBytes()).isEqualTo(OWN_BYTES);
  }

  @Test
  void missing_afterACapWasLowered_isNotAmongThoseThatGo() {
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables before = tables(store, Admission.ALL, RowSettings.UNBOUNDED, 100, Expiry.NEVER);
    // Used longest ago of all.
    Steps.train(before, PLAN, 1, List.of(ALL_MISSING));
    Steps.train(before, PLAN, 2, ids(2, 60));
    before.flush();
    RowTables after = tables(store, Admission.ALL, RowSettings.UNBOUNDED, 4, Expiry.NEVER);
    after.restore(before.snapshot());
    Steps.maintain(after, 1_000_000);
    assertThat(after.usage(StoreTraffic.NONE).rows()).isEqualTo(8);
    assertThat(after.usage(StoreTraffic.NONE).expired().excess()).isEqualTo(2 * 54);
    assertThat(after.occurrences(ALL_MISSING)).containsExactly(1, 1);
  }

  /** By each rule alone, and by all together; with restarts, and back to earlier versions. */
  @Property(tries = 60)
  void missing_inAnyHistory_keepsItsRow(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Expiry.Bound always = new Expiry.Bound(1_000, LAPSE_SECONDS);
    Expiry expiry =
        switch (random.nextInt(4)) {
          case 0 -> Expiry.unused(LAPSE_SECONDS);
          case 1 -> new Expiry(0, always, Expiry.Bound.NONE);
          case 2 -> new Expiry(0, Expiry.Bound.NONE, always);
          default -> new Expiry(2 * LAPSE_SECONDS, always, always);
        };
    Admission admission = Admission.exact(random.nextInt(1, 4));
    long slowBytes = OWN_BYTES + random.nextInt(1_000);
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables = tables(store, admission, slowBytes, random.nextInt(1, 9), expiry);
    long now = 1_000_000;
    int missing = 0;
    for (int step = 0; step < 40; step++) {
      now += random.nextLong(3 * LAPSE_SECONDS);
      List<IdLists> samples = ids(2, 2 + random.nextInt(12));
      if (random.nextInt(3) == 0) {
        samples.add(ALL_MISSING);
        missing++;
      }
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      if (random.nextBoolean()) {
        Steps.maintain(tables, now);
      }
      batch.update(samples, new float[PLAN.width() * samples.size()]);
      tables.commit(batch, now);
      if (random.nextInt(4) == 0) {
        tables.flush();
        byte[] state = tables.snapshot();
        store = store.copy();
        tables = tables(store, admission, slowBytes, random.nextInt(1, 9), expiry);
        tables.restore(state);
      }
      Steps.maintain(tables, now);
      assertThat(tables.occurrences(ALL_MISSING)).containsExactly(missing, missing);
      assertThat(tables.usage(StoreTraffic.NONE).slowBytes()).isGreaterThanOrEqualTo(OWN_BYTES);
      assertThat(tables.takeRemoved()).noneMatch(row -> row.key() == IdLists.MISSING);
    }
  }
}
