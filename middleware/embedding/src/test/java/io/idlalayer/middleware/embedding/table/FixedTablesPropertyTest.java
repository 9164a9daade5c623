package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.loops.ProcessLoops;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Tables of fixed size learn like open ones, never outgrow it, and are left alone by all limits.
 */
final class FixedTablesPropertyTest {
  private static final int IDS = 30;
  private static final RowRule RULE = new RowRule(0.1, 0.5, 7);
  private static final RowLayout USER = new RowLayout(4, RowUpdater.ADAGRAD);
  private static final RowLayout ITEM = new RowLayout(3, RowUpdater.ADAGRAD);
  private static final long USER_BYTES = 24 + 8 * 4 + 64;
  private static final long ITEM_BYTES = 24 + 6 * 4 + 64;

  /** No limit is reached. */
  private static final RowSettings UNLIMITED =
      new RowSettings(1 << 20, RowPolicyName.DYNAMIC, 1, 1_000_000, Expiry.NEVER);

  /** Users in a list, and an item. */
  private static EmbeddingPlan plan(RowIndex users, RowIndex items) {
    return new EmbeddingPlan(
        List.of(
            new EmbeddingPlan.Table("users", 3, USER, users),
            new EmbeddingPlan.Table("items", 2, ITEM, items)),
        List.of(
            new EmbeddingPlan.Feature(0, IdPooling.MEAN, 0),
            new EmbeddingPlan.Feature(1, IdPooling.SUM, 3)),
        5,
        6);
  }

  private static RowTables tables(EmbeddingPlan plan, RowSettings settings, RowStore store) {
    return new RowTables(plan, RULE, settings, store, 4_000, 1 << 20, ProcessLoops.LOOPS);
  }

  /** Samples of any texts, as keys of the rows of a plan. */
  private static List<IdLists> samples(EmbeddingPlan plan, SplittableRandom random) {
    RowIndex users = plan.tables().get(0).index();
    RowIndex items = plan.tables().get(1).index();
    List<IdLists> samples = new ArrayList<>();
    for (int i = random.nextInt(1, 8); i > 0; i--) {
      long[] keys = new long[1 + random.nextInt(1, 4)];
      for (int k = 0; k < keys.length - 1; k++) {
        keys[k] = users.keyOf(text(random));
      }
      keys[keys.length - 1] = items.keyOf(text(random));
      samples.add(new IdLists(keys, new int[] {keys.length - 1, keys.length}));
    }
    return samples;
  }

  private static String text(SplittableRandom random) {
    return switch (random.nextInt(10)) {
      case 0 -> "";
      case 1 -> "user-" + random.nextInt();
      case 2 -> Long.toString(random.nextLong());
      default -> Integer.toString((int) (IDS * Math.pow(random.nextDouble(), 2)));
    };
  }

  private static byte[] train(
      RowTables tables, List<IdLists> fresh, List<IdLists> replayed, long seed, long nowSeconds) {
    RowBatch batch = tables.gatherToTrain(fresh, replayed);
    List<IdLists> all = new ArrayList<>(fresh);
    all.addAll(replayed);
    SplittableRandom random = new SplittableRandom(seed);
    float[] errors = new float[all.size() * tables.plan().width()];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextDouble(-1, 1);
    }
    batch.update(all, errors);
    tables.commit(batch, nowSeconds);
    return RowChanges.of(batch, tables.takeRemoved());
  }

  private static float[] columns(IdVectors vectors, List<IdLists> asked, EmbeddingPlan plan) {
    float[] input = new float[asked.size() * plan.width()];
    for (int i = 0; i < asked.size(); i++) {
      vectors.fill(asked.get(i), input, i * plan.width());
    }
    return input;
  }

  private static float[] learned(RowTables tables, List<IdLists> asked) {
    return columns(tables.gather(asked), asked, tables.plan());
  }

  /** Rows of a table in the store, with that of unknown ids. */
  private static long stored(RowTables tables, RowStore store, int table) {
    tables.flush();
    long count = 0;
    for (Iterator<Map.Entry<Long, byte[]>> rows = store.rows(); rows.hasNext(); ) {
      StoredRow head = StoredRow.head(rows.next().getValue(), tables.plan());
      assertThat(head.kind()).isEqualTo(RowKind.ROW);
      count += head.table() == table ? 1 : 0;
    }
    return count;
  }

  /** The oracle of an open table: all ids are row numbers, so there is the same to learn. */
  @Property(tries = 60)
  void number_aboveAllIds_learnsWhatAnOpenTableLearns(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 5_000) int fastBytes) {
    SplittableRandom random = new SplittableRandom(seed);
    EmbeddingPlan fixed = plan(RowIndex.number(IDS), RowIndex.number(10 * IDS));
    EmbeddingPlan open = plan(RowIndex.OPEN, RowIndex.OPEN);
    RowSettings small = new RowSettings(fastBytes, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.NEVER);
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables of = tables(fixed, small, store);
    RowTables oracle = tables(open, UNLIMITED, new InMemoryRowStore());
    List<IdLists> past = List.of();
    for (int update = 1; update <= 12; update++) {
      List<IdLists> fresh = samples(random);
      train(of, fresh, past, update, update);
      train(oracle, fresh, past, update, update);
      past = fresh;
      if (random.nextInt(4) == 0) {
        of.write();
        byte[] state = of.snapshot();
        store = store.copy();
        of = tables(fixed, small, store);
        of.restore(state);
      }
      List<IdLists> asked = samples(random);
      assertThat(learned(of, asked)).containsExactly(learned(oracle, asked));
      for (IdLists each : asked) {
        assertThat(of.occurrences(each)).containsExactly(oracle.occurrences(each));
      }
      assertThat(of.usage(StoreTraffic.NONE).rows())
          .isEqualTo(oracle.usage(StoreTraffic.NONE).rows());
    }
    assertThat(of.usage(StoreTraffic.NONE).outOfRange()).isZero();
  }

  /** All ids are numbers of rows, or missing. */
  private static List<IdLists> samples(SplittableRandom random) {
    List<IdLists> samples = new ArrayList<>();
    for (int i = random.nextInt(1, 8); i > 0; i--) {
      samples.add(
          new IdLists(
              new long[] {number(random), number(random), number(random)}, new int[] {2, 3}));
    }
    return samples;
  }

  private static long number(SplittableRandom random) {
    String text = random.nextInt(8) == 0 ? "" : Integer.toString(random.nextInt(IDS));
    return RowIndex.number(IDS).keyOf(text);
  }

  /**
   * Any limits, sweeps, restarts and trainings that are dropped: a table of fixed size is what it
   * is without limits, and never larger.
   */
  @Property(tries = 60)
  void fixed_anyLimits_areNotItsOwn(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 20) int rows,
      @ForAll boolean byHash,
      @ForAll @IntRange(min = 1, max = 3) int admitAfter) {
    SplittableRandom random = new SplittableRandom(seed);
    RowIndex index = byHash ? RowIndex.hash(rows) : RowIndex.number(rows);
    EmbeddingPlan plan = plan(index, RowIndex.OPEN);
    long promised = (rows + 2) * USER_BYTES;
    assertThat(RowTables.fixedBytes(plan.tables().get(0))).isEqualTo(promised);
    assertThat(RowTables.fixedBytes(plan.tables().get(1))).isZero();
    long cap = promised + 2 * ITEM_BYTES + random.nextInt(1_000);
    RowSettings limits =
        new RowSettings(
            random.nextInt(5_000),
            cap,
            RowPolicyName.FREQUENCY,
            Admission.exact(admitAfter),
            random.nextInt(1, 5),
            new Expiry(700, new Expiry.Bound(10, 300), new Expiry.Bound(100, 300)));
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables of = tables(plan, limits, store);
    RowTables oracle = tables(plan, UNLIMITED, new InMemoryRowStore());
    long now = 1_000;
    List<IdLists> past = new ArrayList<>();
    for (int update = 1; update <= 25; update++) {
      now += random.nextInt(900);
      List<IdLists> fresh = samples(plan, random);
      List<IdLists> replayed = past.isEmpty() ? List.of() : List.of(past.get(update % past.size()));
      past.addAll(fresh);
      train(of, fresh, replayed, update, now);
      train(oracle, fresh, replayed, update, now);
      if (random.nextInt(3) == 0) {
        do {
          of.maintain(now);
        } while (of.busy());
      }
      if (random.nextInt(4) == 0) {
        of.gatherToTrain(samples(plan, random), List.of());
      }
      if (random.nextInt(5) == 0) {
        of.write();
        byte[] state = of.snapshot();
        store = store.copy();
        of = tables(plan, limits, store);
        of.restore(state);
      }
      List<IdLists> asked = samples(plan, random);
      assertThat(users(of, asked)).containsExactly(users(oracle, asked));
      for (IdLists each : asked) {
        assertThat(of.occurrences(each)[0]).isEqualTo(oracle.occurrences(each)[0]);
      }
      assertThat(of.usage(StoreTraffic.NONE).slowBytes()).isLessThanOrEqualTo(cap);
      assertThat(oracle.usage(StoreTraffic.NONE).refused()).isZero();
    }
    assertThat(keysOf(of, store, 0)).allMatch(index::holds);
    assertThat(keysOf(of, store, 0).size()).isLessThanOrEqualTo(rows + 2);
  }

  /** The columns of users; those of items may have been refused or deleted. */
  private static float[] users(RowTables tables, List<IdLists> asked) {
    float[] all = learned(tables, asked);
    int width = tables.plan().width();
    float[] own = new float[3 * asked.size()];
    for (int i = 0; i < own.length; i++) {
      own[i] = all[i / 3 * width + i % 3];
    }
    return own;
  }

  private static Set<Long> keysOf(RowTables tables, RowStore store, int table) {
    tables.flush();
    Set<Long> keys = new HashSet<>();
    for (Iterator<Map.Entry<Long, byte[]>> rows = store.rows(); rows.hasNext(); ) {
      StoredRow head = StoredRow.head(rows.next().getValue(), tables.plan());
      if (head.table() == table) {
        keys.add(head.key());
      }
    }
    return keys;
  }

  @Property(tries = 40)
  void servedRows_ofFixedTables_equalTheLearners(@ForAll long seed, @ForAll boolean byHash)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    EmbeddingPlan plan = plan(byHash ? RowIndex.hash(12) : RowIndex.number(12), RowIndex.number(7));
    RowTables tables = tables(plan, UNLIMITED, new InMemoryRowStore());
    List<byte[]> chain = new ArrayList<>();
    for (int update = 1; update <= 8; update++) {
      byte[] delta = train(tables, samples(plan, random), List.of(), update, update);
      chain.add(0, chain.isEmpty() ? RowChanges.full(delta) : delta);
      List<RowFile.Reader> newestFirst = new ArrayList<>();
      for (byte[] file : chain) {
        newestFirst.add(new RowFile.Reader(new ByteArrayInputStream(file)));
      }
      ServedRows served = ServedRows.read(plan, newestFirst, null);
      List<IdLists> asked = samples(plan, random);
      assertThat(columns(served, asked, plan)).containsExactly(learned(tables, asked));
      assertThat(served.rows()).isLessThanOrEqualTo(12 + 7 + 4);
    }
  }

  private static IdLists sample(long user, long item) {
    return IdLists.single(user, item);
  }

  @Example
  void usage_idsOutOfRange_areCountedOnceForEachNewUse() {
    EmbeddingPlan plan = plan(RowIndex.number(5), RowIndex.number(5));
    RowTables tables = tables(plan, UNLIMITED, new InMemoryRowStore());
    IdLists good = sample(2, 3);
    IdLists bad = sample(IdLists.UNKNOWN, IdLists.UNKNOWN);
    tables.gather(List.of(bad));
    tables.gatherToTrain(List.of(bad), List.of());
    assertThat(tables.usage(StoreTraffic.NONE).outOfRange()).as("nothing was accepted").isZero();
    train(tables, List.of(good, bad), List.of(), 1, 1);
    train(tables, List.of(good), List.of(bad), 2, 2);
    assertThat(tables.usage(StoreTraffic.NONE).outOfRange()).isEqualTo(2);
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(2);
    assertThat(tables.usage(StoreTraffic.NONE).refused()).isZero();
    assertThat(tables.occurrences(good)).containsExactly(2, 2);
    assertThat(tables.occurrences(bad)).containsExactly(0, 0);
    assertThat(learned(tables, List.of(bad))).as("their row learns").isNotEqualTo(new float[6]);
  }

  @Example
  void occurrences_idsThatShareARow_areThoseOfTheRow() {
    EmbeddingPlan plan = plan(RowIndex.hash(1), RowIndex.hash(1));
    RowTables tables = tables(plan, UNLIMITED, new InMemoryRowStore());
    RowIndex index = RowIndex.hash(1);
    train(
        tables,
        List.of(sample(index.keyOf("a"), index.keyOf("a")), sample(index.keyOf("b"), 0)),
        List.of(),
        1,
        1);
    assertThat(tables.occurrences(sample(index.keyOf("c"), index.keyOf("c"))))
        .containsExactly(2, 1);
    assertThat(tables.usage(StoreTraffic.NONE).rows())
        .as("one each; that of a missing item is not an id's")
        .isEqualTo(2);
  }

  @Example
  void fill_keysOfNoRow_isRefusedAndUnknownOnesAreCounted() throws IOException {
    EmbeddingPlan plan = plan(RowIndex.hash(5), RowIndex.number(5));
    RowTables tables = tables(plan, UNLIMITED, new InMemoryRowStore());
    byte[] file =
        RowChanges.full(train(tables, List.of(sample(2, 1), sample(3, 2)), List.of(), 1, 1));
    ServedRows served =
        ServedRows.read(plan, List.of(new RowFile.Reader(new ByteArrayInputStream(file))), null);
    float[] input = new float[6];
    served.fill(sample(2, IdLists.UNKNOWN), input, 0);
    assertThat(served.unknownIds()).as("though unknown ids have learned a row").isEqualTo(1);
    served.fill(sample(6, 2), input, 0);
    assertThat(served.unknownIds()).as("no id of row 4 has come").isEqualTo(2);
    assertThatThrownBy(() -> served.fill(sample(7, 2), input, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("key 7", "'users'", "5 rows");
    assertThatThrownBy(() -> served.fill(sample(2, -1), input, 0))
        .hasMessageContainingAll("key -1", "'items'");
  }

  /** The bytes of a table of fixed size are its own before it has any row. */
  @Example
  void openTable_besideAFixedOne_hasTheBytesThatAreLeft() {
    EmbeddingPlan plan = plan(RowIndex.number(100), RowIndex.OPEN);
    long cap = 102 * USER_BYTES + 4 * ITEM_BYTES;
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables =
        tables(
            plan,
            new RowSettings(
                20_000, cap, RowPolicyName.FREQUENCY, Admission.ALL, 1_000, Expiry.NEVER),
            store);
    for (int i = 0; i < 100; i++) {
      train(tables, List.of(sample(i + 2, i + 2)), List.of(), i, i);
    }
    assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(102);
    assertThat(tables.usage(StoreTraffic.NONE).refused()).isEqualTo(98);
    assertThat(stored(tables, store, 0)).isEqualTo(100);
    assertThat(stored(tables, store, 1))
        .as("two items and unknown ones; none is missing")
        .isEqualTo(3);
  }

  /** Nothing is looked through for rows of a fixed table that no limit is for. */
  @Example
  void excess_ofAFixedTable_isNone() {
    RowSettings limits = new RowSettings(20_000, RowPolicyName.STATIC, 1, 5, Expiry.NEVER);
    TableSizes sizes = new TableSizes(plan(RowIndex.hash(100), RowIndex.OPEN), limits);
    sizes.addRows(0, 50);
    assertThat(sizes.anyExcess()).isFalse();
    assertThat(sizes.excessShare(0)).isZero();
    sizes.addRows(1, 10);
    assertThat(sizes.excess(0)).isFalse();
    assertThat(sizes.excessShare(1)).isEqualTo(0.5);
  }
}
