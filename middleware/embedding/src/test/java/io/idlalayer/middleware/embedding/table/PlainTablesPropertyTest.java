package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.hot.HotRows;
import io.idlalayer.middleware.embedding.loops.RowLoops;
import io.idlalayer.middleware.embedding.loops.TestLoops;
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
import io.idlalayer.middleware.sample.RowIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Lookups and updates give the bits of plain arrays, in any dimension, with either loops, every
 * updater and every policy: after trainings, dropped trainings, predictions, evictions, writes,
 * deletions and restores, one id alone or many, in open tables and in those of fixed size.
 */
final class PlainTablesPropertyTest {
  private static final RowRule RULE = new RowRule(0.1, 0.5, 7);
  private static final long UNUSED_SECONDS = 2_000;

  /** The tables, the oracle, and the last checkpoint of both. */
  static final class World {
    final SplittableRandom random;
    final RowLoops loops;
    final EmbeddingPlan plan;
    final RowSettings settings;
    final int ids;
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables;
    PlainTables plain;
    InMemoryRowStore savedStore = new InMemoryRowStore();
    byte[] savedState;
    PlainTables savedPlain;
    List<IdLists> past = new ArrayList<>();
    long nowSeconds = 1_000_000;

    World(
        long seed,
        TestLoops kind,
        int dim,
        int wide,
        int ids,
        RowUpdater updater,
        RowPolicyName policy) {
      random = new SplittableRandom(seed);
      loops = kind.loops();
      this.ids = ids;
      int other = 1 + random.nextInt(40);
      plan =
          new EmbeddingPlan(
              List.of(
                  new EmbeddingPlan.Table("users", dim, new RowLayout(dim + wide, updater)),
                  new EmbeddingPlan.Table(
                      "items",
                      other,
                      new RowLayout(other + wide, updater),
                      random.nextBoolean() ? RowIndex.number(ids) : RowIndex.OPEN)),
              List.of(
                  new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
                  new EmbeddingPlan.Feature(1, IdPooling.MEAN, dim),
                  new EmbeddingPlan.Feature(0, IdPooling.MEAN, dim + other)),
              2 * dim + other,
              2 * dim + other + wide);
      long rowBytes = HotRows.rowBytes(plan.tables().get(0).layout());
      settings =
          new RowSettings(
              random.nextLong(2L * ids * rowBytes + 500),
              policy,
              1,
              1_000_000,
              random.nextBoolean() ? Expiry.unused(UNUSED_SECONDS) : Expiry.NEVER);
      tables = tables();
      plain = new PlainTables(plan, RULE, ids + 2);
      savedState = tables.snapshot();
      savedPlain = new PlainTables(plain);
    }

    private RowTables tables() {
      return new RowTables(
          plan,
          RULE,
          settings,
          store,
          RowMemory.mostLogBytes(settings),
          RowMemory.MOST_HISTORY_BYTES,
          loops);
    }

    private long key() {
      return random.nextInt(9) == 0 ? IdLists.MISSING : 2 + random.nextInt(ids);
    }

    List<IdLists> samples() {
      List<IdLists> samples = new ArrayList<>();
      for (int i = random.nextInt(1, 7); i > 0; i--) {
        int users = random.nextInt(1, 4);
        long[] keys = new long[users + 2];
        for (int k = 0; k < keys.length; k++) {
          keys[k] = key();
        }
        samples.add(new IdLists(keys, new int[] {users, users + 1, users + 2}));
      }
      return samples;
    }

    void train(boolean accepted) {
      List<IdLists> fresh = samples();
      List<IdLists> replayed =
          past.isEmpty() ? List.of() : List.of(past.get(random.nextInt(past.size())));
      List<IdLists> all = new ArrayList<>(fresh);
      all.addAll(replayed);
      if (random.nextBoolean()) {
        tables.gather(fresh);
      }
      RowBatch batch = tables.gatherToTrain(fresh, replayed);
      PlainTables copy = plain.begin(fresh, replayed);
      for (int step = 0; step < 2; step++) {
        float[] errors = new float[all.size() * plan.width()];
        for (int i = 0; i < errors.length; i++) {
          errors[i] = (float) random.nextDouble(-1, 1);
        }
        batch.update(all, errors);
        copy.step(all, errors);
      }
      if (random.nextInt(3) == 0) {
        maintain();
      }
      if (random.nextBoolean()) {
        // The next samples are tested while these train.
        tables.gather(random.nextBoolean() ? fresh : samples());
      }
      if (accepted) {
        past.addAll(fresh);
        tables.commit(batch, nowSeconds);
        plain.commit(all, copy, nowSeconds);
      }
    }

    /** Deletes the rows that were not used for long, and no others. */
    void maintain() {
      nowSeconds += random.nextLong(UNUSED_SECONDS);
      do {
        tables.maintain(nowSeconds);
      } while (tables.busy());
      for (RemovedRow row : tables.takeRemoved()) {
        assertThat(plain.has(row.table(), row.key())).isTrue();
        assertThat(nowSeconds - plain.lastUse(row.table(), row.key()))
            .isGreaterThan(UNUSED_SECONDS);
        assertThat(TableSizes.own(row.key())).isFalse();
        plain.delete(row.table(), row.key());
      }
    }

    void save() {
      tables.write();
      savedStore = store.copy();
      savedState = tables.snapshot();
      savedPlain = new PlainTables(plain);
    }

    void restore() {
      store = savedStore.copy();
      tables = tables();
      tables.restore(savedState);
      plain = new PlainTables(savedPlain);
    }

    void check() {
      List<IdLists> asked = samples();
      for (IdLists each : asked) {
        int[] found = tables.occurrences(each);
        assertThat(found[1]).isEqualTo(plain.occurrences(1, each.key(each.from(1))));
        assertThat(found[2]).isEqualTo(plain.occurrences(0, each.key(each.from(2))));
      }
      RowBatch batch = tables.gather(asked);
      float[] input = new float[asked.size() * plan.width()];
      for (int i = 0; i < asked.size(); i++) {
        batch.fill(asked.get(i), input, i * plan.width());
      }
      assertThat(input).containsExactly(plain.columns(asked));
      assertThat(tables.usage(StoreTraffic.NONE).rows()).isEqualTo(plain.rows());
    }
  }

  private static void check(World world) {
    for (int step = 0; step < 30; step++) {
      switch (world.random.nextInt(9)) {
        case 0, 1, 2 -> world.train(true);
        case 3 -> world.train(false);
        case 4 -> world.maintain();
        case 5 -> world.save();
        case 6 -> {
          if (world.random.nextBoolean()) {
            world.restore();
          } else {
            world.tables.flush();
          }
        }
        case 7 -> world.tables.write();
        default -> {}
      }
      world.check();
    }
  }

  @Property(tries = 80)
  void tables_anyHistory_equalPlainArrays(
      @ForAll long seed,
      @ForAll TestLoops loops,
      @ForAll @IntRange(min = 1, max = 140) int dim,
      @ForAll @IntRange(min = 0, max = 2) int wide,
      @ForAll @IntRange(min = 1, max = 40) int ids,
      @ForAll RowUpdater updater,
      @ForAll RowPolicyName policy) {
    check(new World(seed, loops, dim, wide, ids, updater, policy));
  }

  /** One id in all events and features. */
  @Property(tries = 40)
  void tables_idsAllEqual_equalPlainArrays(
      @ForAll long seed,
      @ForAll TestLoops loops,
      @ForAll RowUpdater updater,
      @ForAll RowPolicyName policy) {
    World world = new World(seed, loops, 16, 1, 1, updater, policy);
    check(world);
    assertThat(world.tables.usage(StoreTraffic.NONE).rows()).isLessThanOrEqualTo(2);
  }
}
