package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

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
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Ids that wait for their rows, by each counter. */
final class AdmissionTest {
  private static final EmbeddingPlan PLAN = Steps.plan(1, RowUpdater.SGD);
  private static final Admission.Bloom SMALL = new Admission.Bloom(2_000, 0.01);

  private static RowSettings settings(
      Admission.Counter counter, int after, double unusedSeconds, Admission.Bloom size) {
    return new RowSettings(
        1 << 20,
        RowSettings.UNBOUNDED,
        RowPolicyName.FREQUENCY,
        new Admission(after, counter, size),
        1_000_000,
        Expiry.unused(unusedSeconds));
  }

  private static RowTables tables(RowSettings settings, RowStore store) {
    return new RowTables(PLAN, new RowRule(0.1, 0.5, 7), settings, store);
  }

  private static List<IdLists> samples(SplittableRandom random, int ids, int most) {
    List<IdLists> samples = new ArrayList<>();
    for (int i = random.nextInt(1, most); i > 0; i--) {
      samples.add(
          IdLists.single(2 + (long) Math.pow(ids, random.nextDouble()), 2 + random.nextInt(ids)));
    }
    return samples;
  }

  @Property(tries = 30)
  void filters_beforeTheyForget_admitNoIdLaterThanExactCounts(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 8) int after,
      @ForAll boolean both,
      @ForAll boolean restarts) {
    SplittableRandom random = new SplittableRandom(seed);
    Admission.Counter counter = both ? Admission.Counter.BOTH : Admission.Counter.BLOOM;
    RowTables exact =
        tables(settings(Admission.Counter.EXACT, after, 0, SMALL), new InMemoryRowStore());
    RowSettings settings = settings(counter, after, 0, SMALL);
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables filtered = tables(settings, store);
    for (int step = 0; step < 40; step++) {
      List<IdLists> samples = samples(random, 400, 40);
      Steps.train(exact, PLAN, step, samples);
      Steps.train(filtered, PLAN, step, samples);
      if (restarts && random.nextInt(5) == 0) {
        filtered.write();
        store = store.copy();
        RowTables again = tables(settings, store);
        again.restore(filtered.snapshot());
        filtered = again;
      }
    }
    int early = 0;
    for (int table = 0; table < 2; table++) {
      for (long id = 2; id < 402; id++) {
        boolean admits = Steps.has(filtered, table, id);
        assertThat(admits || !Steps.has(exact, table, id))
            .as("id %d of table %d", id, table)
            .isTrue();
        early += admits && !Steps.has(exact, table, id) ? 1 : 0;
      }
    }
    assertThat(early).isLessThanOrEqualTo(8);
    if (!both) {
      assertThat(filtered.usage(StoreTraffic.NONE).counted()).isZero();
    }
    assertThat(filtered.usage(StoreTraffic.NONE).filterBytes()).isPositive();
  }

  @Property(tries = 20)
  void restore_withAFilter_goesOnBitForBit(@ForAll long seed, @ForAll boolean both) {
    RowSettings settings =
        settings(
            both ? Admission.Counter.BOTH : Admission.Counter.BLOOM,
            3,
            5_000,
            new Admission.Bloom(50, 0.05));
    InMemoryRowStore wholeStore = new InMemoryRowStore();
    InMemoryRowStore cutStore = new InMemoryRowStore();
    RowTables whole = tables(settings, wholeStore);
    RowTables cut = tables(settings, cutStore);
    SplittableRandom random = new SplittableRandom(seed);
    long now = 10_000;
    for (int step = 0; step < 60; step++) {
      now += random.nextInt(800);
      List<IdLists> samples = samples(random, 300, 30);
      Steps.train(whole, PLAN, now, samples);
      Steps.train(cut, PLAN, now, samples);
      if (random.nextInt(4) == 0) {
        // Both look through their stores at the same time: a restart would look at once.
        Steps.maintain(whole, now);
        Steps.maintain(cut, now);
      }
      if (random.nextInt(6) == 0) {
        cut.write();
        cutStore = cutStore.copy();
        RowTables again = tables(settings, cutStore);
        again.restore(cut.snapshot());
        cut = again;
        Steps.maintain(cut, now);
        whole.write();
        wholeStore = wholeStore.copy();
        RowTables other = tables(settings, wholeStore);
        other.restore(whole.snapshot());
        whole = other;
        Steps.maintain(whole, now);
      }
    }
    assertThat(cut.snapshot()).isEqualTo(whole.snapshot());
    List<byte[]> blocks = new ArrayList<>();
    cutStore.filter().forEachRemaining(each -> blocks.add(each.getValue()));
    List<byte[]> expected = new ArrayList<>();
    wholeStore.filter().forEachRemaining(each -> expected.add(each.getValue()));
    assertThat(blocks).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void both_idsThatComeOnce_haveNoEntryInTheStore() {
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables = tables(settings(Admission.Counter.BOTH, 100, 0, SMALL), store);
    for (long id = 2; id < 1_002; id++) {
      Steps.train(tables, PLAN, id, List.of(IdLists.single(id, 2)));
    }
    assertThat(tables.usage(StoreTraffic.NONE).counted()).isLessThanOrEqualTo(10);
    assertThat(Steps.has(tables, 1, 2)).as("it came a thousand times").isTrue();
    for (int i = 0; i < 99; i++) {
      assertThat(Steps.has(tables, 0, 5)).isFalse();
      Steps.train(tables, PLAN, 2_000, List.of(IdLists.single(5, 3)));
    }
    assertThat(Steps.has(tables, 0, 5)).isTrue();
    assertThat(tables.occurrences(IdLists.single(5, 5))[0]).isEqualTo(100);
  }

  @Test
  void bloom_idsThatDoNotComeAgain_areForgotten() {
    RowTables tables =
        tables(settings(Admission.Counter.BLOOM, 3, 86_400, SMALL), new InMemoryRowStore());
    List<IdLists> id = List.of(IdLists.single(5, 5));
    Steps.train(tables, PLAN, 1_000, id);
    Steps.train(tables, PLAN, 1_000, id);
    Steps.maintain(tables, 100_000);
    Steps.maintain(tables, 200_000);
    Steps.train(tables, PLAN, 200_000, id);
    assertThat(Steps.has(tables, 0, 5)).as("2, halved twice, and 1").isFalse();
    Steps.train(tables, PLAN, 200_000, id);
    Steps.train(tables, PLAN, 200_000, id);
    assertThat(Steps.has(tables, 0, 5)).isTrue();
  }

  @Test
  void restore_filterOfAnotherSizeOrNone_beginsEmptyAndKeepsTheRows() {
    List<IdLists> admitted = List.of(IdLists.single(5, 5));
    List<IdLists> waiting = List.of(IdLists.single(6, 6));
    for (RowSettings next :
        List.of(
            settings(Admission.Counter.BLOOM, 2, 0, new Admission.Bloom(90_000, 0.01)),
            settings(Admission.Counter.BLOOM, 2, 0, new Admission.Bloom(2_000, 0.3)),
            settings(Admission.Counter.EXACT, 2, 0, SMALL))) {
      InMemoryRowStore store = new InMemoryRowStore();
      RowSettings first = settings(Admission.Counter.BLOOM, 2, 0, SMALL);
      RowTables tables = tables(first, store);
      Steps.train(tables, PLAN, 1, admitted);
      Steps.train(tables, PLAN, 1, admitted);
      Steps.train(tables, PLAN, 1, waiting);
      RowTables changed = tables(next, store);
      changed.restore(tables.snapshot());
      assertThat(Steps.has(changed, 0, 5)).isTrue();
      Steps.train(changed, PLAN, 1, waiting);
      assertThat(Steps.has(changed, 0, 6)).isFalse();
      Steps.train(changed, PLAN, 1, waiting);
      assertThat(Steps.has(changed, 0, 6)).isTrue();
      // Back again: nothing of the first filter is left.
      RowTables back = tables(first, store);
      back.restore(changed.snapshot());
      Steps.train(back, PLAN, 1, List.of(IdLists.single(9, 9)));
      assertThat(Steps.has(back, 0, 9)).isFalse();
      assertThat(Steps.has(back, 0, 6)).isTrue();
    }
  }

  @Test
  void restore_afterAChangeFromExactCounts_goesOnWithThem() {
    InMemoryRowStore store = new InMemoryRowStore();
    List<IdLists> id = List.of(IdLists.single(5, 5));
    RowTables exact = tables(settings(Admission.Counter.EXACT, 3, 0, SMALL), store);
    Steps.train(exact, PLAN, 1, id);
    Steps.train(exact, PLAN, 1, id);
    exact.write();
    RowTables filtered = tables(settings(Admission.Counter.BLOOM, 3, 0, SMALL), store);
    filtered.restore(exact.snapshot());
    Steps.train(filtered, PLAN, 1, id);
    assertThat(Steps.has(filtered, 0, 5)).isTrue();
    assertThat(filtered.usage(StoreTraffic.NONE).counted()).isZero();
  }

  @Test
  void update_thatIsDropped_countsNothing() {
    RowTables tables =
        tables(settings(Admission.Counter.BLOOM, 2, 0, SMALL), new InMemoryRowStore());
    List<IdLists> id = List.of(IdLists.single(5, 5));
    for (int i = 0; i < 5; i++) {
      tables.gatherToTrain(id, List.of()).update(id, new float[2]);
    }
    assertThat(Steps.has(tables, 0, 5)).isFalse();
    Steps.train(tables, PLAN, 1, id);
    assertThat(Steps.has(tables, 0, 5)).isFalse();
    Steps.train(tables, PLAN, 1, id);
    assertThat(Steps.has(tables, 0, 5)).isTrue();
  }
}
