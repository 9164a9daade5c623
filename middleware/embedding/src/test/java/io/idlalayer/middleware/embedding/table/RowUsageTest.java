package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What reads count as, and that a look counts as nothing. */
final class RowUsageTest {
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("ids", 2, new RowLayout(2, RowUpdater.ADAGRAD))),
          List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
          2,
          2);
  private static final long FAST_BYTES = 8_000;

  private static RowTables tables(RowPolicyName policy, RowStore store) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(FAST_BYTES, policy, 1, 1_000, Expiry.NEVER),
        store);
  }

  private static List<IdLists> samples(long... ids) {
    List<IdLists> samples = new ArrayList<>();
    for (long id : ids) {
      samples.add(IdLists.single(id));
    }
    return samples;
  }

  private static void train(RowTables tables, List<IdLists> samples) {
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    batch.update(samples, new float[PLAN.width() * samples.size()]);
    tables.commit(batch, 1_000);
    tables.write();
  }

  private static long[] reads(RowTables tables) {
    RowUsage usage = tables.usage(StoreTraffic.NONE);
    return new long[] {usage.hits(), usage.buffered(), usage.misses(), usage.unknown()};
  }

  @Test
  void reads_withoutHotRows_areMissesOnceThenBuffered() {
    RowTables tables = tables(RowPolicyName.SIMPLE, new InMemoryRowStore());
    train(tables, samples(5, 6));
    // Neither the two ids nor the row of unknown ids was there.
    assertThat(reads(tables)).containsExactly(0, 0, 0, 3);
    tables.gather(samples(5, 6));
    assertThat(reads(tables)).containsExactly(0, 0, 2, 4);
    assertThat(tables.usage(StoreTraffic.NONE).fastBytes()).isPositive();
    assertThat(tables.bufferedRows()).isEqualTo(2);
    train(tables, samples(5, 6));
    assertThat(reads(tables)).as("read ahead").containsExactly(0, 2, 2, 5);
    assertThat(tables.usage(StoreTraffic.NONE).hitRate()).isZero();
    assertThat(tables.bufferedRows()).isZero();
    train(tables, samples(5, 6));
    assertThat(reads(tables)).as("nobody has tested them").containsExactly(0, 2, 4, 6);
    RowBatch batch = tables.gatherToTrain(samples(5), List.of());
    batch.update(samples(5), new float[2]);
    tables.commit(batch, 1_000);
    assertThat(tables.bufferedRows()).isEqualTo(1);
    tables.gather(samples(5));
    assertThat(reads(tables)).as("to be written").containsExactly(0, 3, 5, 8);
  }

  @Test
  void reads_ofHotRows_areHits() {
    RowTables tables = tables(RowPolicyName.DYNAMIC, new InMemoryRowStore());
    train(tables, samples(5, 6));
    tables.gather(samples(5, 6));
    train(tables, samples(5, 6));
    assertThat(reads(tables)).containsExactly(4, 0, 0, 5);
    assertThat(tables.usage(StoreTraffic.NONE).hitRate()).isEqualTo(1);
  }

  /** Each read is one of the four, and a count is not a row. */
  @Test
  void reads_ofIdsThatAreCountedOnly_areUnknown() {
    RowTables tables =
        new RowTables(
            PLAN,
            new RowRule(0.1, 0.5, 7),
            new RowSettings(FAST_BYTES, RowPolicyName.SIMPLE, 3, 1_000, Expiry.NEVER),
            new InMemoryRowStore());
    train(tables, samples(5, 6));
    assertThat(tables.usage(StoreTraffic.NONE).counted()).isEqualTo(2);
    assertThat(reads(tables)).containsExactly(0, 0, 0, 3);
    tables.gather(samples(5, 6));
    assertThat(reads(tables)).as("but for the row of unknown ids").containsExactly(0, 0, 1, 5);
  }

  private static EmbeddingPlan.Table table(String name) {
    return new EmbeddingPlan.Table(name, 2, new RowLayout(2, RowUpdater.ADAGRAD));
  }

  /** Two tables of one layout share a tier; each is told its own. */
  @Test
  void tables_areToldApart_andAddUp() {
    EmbeddingPlan plan =
        new EmbeddingPlan(
            List.of(table("few"), table("many")),
            List.of(
                new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
                new EmbeddingPlan.Feature(1, IdPooling.SUM, 2)),
            4,
            4);
    RowTables tables =
        new RowTables(
            plan,
            new RowRule(0.1, 0.5, 7),
            new RowSettings(FAST_BYTES, RowPolicyName.DYNAMIC, 1, 3, Expiry.NEVER),
            new InMemoryRowStore());
    List<IdLists> samples = new ArrayList<>();
    for (long id = 2; id < 8; id++) {
      samples.add(IdLists.single(2 + id % 2, id));
    }
    for (int update = 0; update < 2; update++) {
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      batch.update(samples, new float[plan.width() * samples.size()]);
      tables.commit(batch, 1_000);
    }
    RowUsage usage = tables.usage(StoreTraffic.NONE);
    assertThat(usage.byTable()).extracting(RowUsage.OfTable::name).containsExactly("many", "few");
    RowUsage.OfTable many = usage.byTable().get(0);
    RowUsage.OfTable few = usage.byTable().get(1);
    assertThat(few.rows()).isEqualTo(2);
    assertThat(few.admitted()).isEqualTo(2);
    assertThat(few.refused()).isZero();
    assertThat(many.rows()).isEqualTo(3);
    assertThat(many.admitted()).isEqualTo(3);
    assertThat(many.refused()).isEqualTo(2 * 3);
    assertThat(many.unknown()).isGreaterThan(few.unknown());
    assertThat(few.hits()).isEqualTo(2);
    assertThat(many.hits()).isEqualTo(4);
    assertThat(few.hotRows() + many.hotRows()).isEqualTo(usage.hotRows());
    assertThat(few.hits() + many.hits()).isEqualTo(usage.hits());
    assertThat(many.refused()).isEqualTo(usage.refused());
  }

  @Test
  void readAhead_withoutHotRows_hasAllOfFastBytes() {
    RowTables tables = tables(RowPolicyName.SIMPLE, new InMemoryRowStore());
    long[] ids = new long[500];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = 2L + i;
    }
    train(tables, samples(ids));
    tables.gather(samples(ids));
    assertThat(tables.usage(StoreTraffic.NONE).fastBytes())
        .isBetween(FAST_BYTES / 2, FAST_BYTES + 100);
  }

  /** Two runs, one of which looks at counts of ids all the time: nothing of them differs. */
  @Property(tries = 100)
  void occurrences_inAnyHistory_changeNothing(@ForAll long seed, @ForAll RowPolicyName policy) {
    InMemoryRowStore[] stores = {new InMemoryRowStore(), new InMemoryRowStore()};
    RowTables[] runs = {tables(policy, stores[0]), tables(policy, stores[1])};
    SplittableRandom looks = new SplittableRandom(seed);
    for (int run = 0; run < 2; run++) {
      SplittableRandom random = new SplittableRandom(seed);
      for (int step = 0; step < 30; step++) {
        if (run == 0) {
          for (int i = 0; i < 20; i++) {
            runs[0].occurrences(IdLists.single(2 + looks.nextInt(400)));
          }
        }
        List<IdLists> samples =
            samples(random.longs(40).map(bits -> 2 + Long.remainderUnsigned(bits, 300)).toArray());
        switch (random.nextInt(3)) {
          case 0 -> runs[run].gather(samples);
          case 1 -> train(runs[run], samples);
          default -> runs[run].maintain(step);
        }
      }
    }
    assertThat(runs[0].usage(StoreTraffic.NONE)).isEqualTo(runs[1].usage(StoreTraffic.NONE));
    assertThat(runs[0].snapshot()).isEqualTo(runs[1].snapshot());
    assertThat(content(stores[0])).isEqualTo(content(stores[1]));
  }

  private static List<String> content(InMemoryRowStore store) {
    List<String> content = new ArrayList<>();
    store
        .rows()
        .forEachRemaining(
            row -> content.add(row.getKey() + " " + HexFormat.of().formatHex(row.getValue())));
    store
        .changes()
        .entries()
        .forEach(
            entry ->
                content.add(entry.getKey() + " " + HexFormat.of().formatHex(entry.getValue())));
    return content;
  }
}
