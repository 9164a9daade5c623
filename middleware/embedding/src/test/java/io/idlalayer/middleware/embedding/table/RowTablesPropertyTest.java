package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Tables whose rows move between DRAM, log and store, with either loops, give the same bits as
 * tables with plain loops all of whose rows stay in DRAM, after any trainings, dropped trainings,
 * predictions, writes, foldings and crashes.
 */
final class RowTablesPropertyTest {
  private static final int IDS = 60;

  /** One run with a small tier, and the same with a large one that never crashes. */
  private static final class Pair {
    final EmbeddingPlan plan;
    final RowRule rule = new RowRule(0.1, 0.5, 7);
    final RowSettings small;
    final RowLoops loops;
    final RowTables model;
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables;

    /** A checkpoint: the store and the small state. */
    InMemoryRowStore savedStore = new InMemoryRowStore();

    byte[] savedState;

    Pair(
        int items,
        RowUpdater updater,
        RowPolicyName policy,
        int admitAfter,
        long fastBytes,
        long mostFastBytes,
        RowLoops loops) {
      this.loops = loops;
      plan =
          new EmbeddingPlan(
              List.of(
                  new EmbeddingPlan.Table("users", 3, new RowLayout(4, updater)),
                  new EmbeddingPlan.Table("items", items, new RowLayout(items + 1, updater)),
                  new EmbeddingPlan.Table("shops", 3, new RowLayout(4, updater))),
              List.of(
                  new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
                  new EmbeddingPlan.Feature(1, IdPooling.MEAN, 3),
                  new EmbeddingPlan.Feature(2, IdPooling.SUM, 3 + items),
                  new EmbeddingPlan.Feature(0, IdPooling.SUM, 6 + items)),
              9 + items,
              10 + items);
      // Tables may be full, but not of counts: those would be halved at different times.
      long mostRows = admitAfter == 1 ? 40 : 2 * IDS;
      RowSettings fixed = new RowSettings(fastBytes, policy, admitAfter, mostRows, Expiry.NEVER);
      small = mostFastBytes == 0 ? fixed : fixed.resizable(fastBytes, mostFastBytes);
      tables = new RowTables(plan, rule, small, store, 8_000, 1 << 20, loops);
      model =
          new RowTables(
              plan,
              rule,
              new RowSettings(1 << 24, RowPolicyName.DYNAMIC, admitAfter, mostRows, Expiry.NEVER),
              new InMemoryRowStore(),
              1 << 24,
              1 << 24,
              TestLoops.PLAIN.loops());
      savedState = tables.snapshot();
    }

    void save() {
      tables.write();
      savedStore = store.copy();
      savedState = tables.snapshot();
    }

    void crash() {
      store = savedStore.copy();
      tables = new RowTables(plan, rule, small, store, 8_000, 1 << 20, loops);
      tables.restore(savedState);
    }

    void train(RowTables of, List<IdLists> fresh, List<IdLists> replayed, long seed, boolean keep) {
      RowBatch batch = of.gatherToTrain(fresh, replayed);
      if (small.resizable() && of == tables && seed % 2 == 0) {
        // While a training has copies of rows, which know their places.
        var unused = tables.resize(Math.floorMod(seed, small.mostFastBytes() + 1));
      }
      List<IdLists> all = new ArrayList<>(fresh);
      all.addAll(replayed);
      SplittableRandom random = new SplittableRandom(seed);
      for (int step = 0; step < 2; step++) {
        float[] errors = new float[all.size() * plan.width()];
        for (int i = 0; i < errors.length; i++) {
          errors[i] = (float) random.nextDouble(-1, 1);
        }
        batch.update(all, errors);
      }
      if (keep) {
        of.commit(batch, 1_000);
      }
    }

    float[] vectors(RowTables of, List<IdLists> samples) {
      RowBatch batch = of.gather(samples);
      float[] input = new float[samples.size() * plan.width()];
      for (int i = 0; i < samples.size(); i++) {
        batch.fill(samples.get(i), input, i * plan.width());
      }
      return input;
    }
  }

  private static IdLists sample(SplittableRandom random) {
    long[] keys = new long[3 + random.nextInt(1, 4)];
    int list = keys.length - 3;
    for (int i = 0; i < keys.length; i++) {
      // Some come often, some once, some values are missing.
      keys[i] =
          random.nextInt(12) == 0
              ? IdLists.MISSING
              : 2 + (long) (IDS * Math.pow(random.nextDouble(), 3));
    }
    return new IdLists(keys, new int[] {1, 1 + list, 2 + list, 3 + list});
  }

  private static List<IdLists> samples(SplittableRandom random, int most) {
    List<IdLists> samples = new ArrayList<>();
    int count = random.nextInt(1, most + 1);
    for (int i = 0; i < count; i++) {
      samples.add(sample(random));
    }
    return samples;
  }

  private record Training(List<IdLists> fresh, List<IdLists> replayed, long seed) {}

  @Property(tries = 100)
  void tables_anyHistory_equalTablesInDram(
      @ForAll long seed,
      @ForAll TestLoops loops,
      @ForAll boolean longRows,
      @ForAll RowUpdater updater,
      @ForAll RowPolicyName policy,
      @ForAll @IntRange(min = 1, max = 3) int admitAfter,
      @ForAll @IntRange(min = 0, max = 6_000) int fastBytes,
      @ForAll boolean resizes) {
    SplittableRandom random = new SplittableRandom(seed);
    int items = longRows ? 37 : 5;
    int most = resizes ? fastBytes + 4_000 : 0;
    Pair pair = new Pair(items, updater, policy, admitAfter, fastBytes, most, loops.loops());
    List<Training> sinceSaved = new ArrayList<>();
    List<IdLists> past = new ArrayList<>();
    List<IdLists> waiting = samples(random, 6);
    for (int step = 0; step < 40; step++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> {
          List<IdLists> replayed =
              past.isEmpty() ? List.of() : List.of(past.get(random.nextInt(past.size())));
          Training training = new Training(waiting, replayed, random.nextLong());
          waiting = samples(random, 6);
          past.addAll(training.fresh());
          pair.train(pair.tables, training.fresh(), replayed, training.seed(), true);
          pair.train(pair.model, training.fresh(), replayed, training.seed(), true);
          sinceSaved.add(training);
        }
        case 3 -> {
          if (resizes) {
            var unused = pair.tables.resize(random.nextInt(most + 1));
          } else {
            pair.train(pair.tables, samples(random, 6), List.of(), 1, false);
          }
        }
        case 4 -> pair.tables.maintain(1_000);
        case 5 -> {
          pair.save();
          sinceSaved.clear();
        }
        case 6 -> {
          // The trainings since the checkpoint are repeated.
          pair.crash();
          for (Training each : sinceSaved) {
            pair.train(pair.tables, each.fresh(), each.replayed(), each.seed(), true);
          }
        }
        case 7 -> pair.tables.write();
        default -> {
          // Waiting samples are tested before their training.
          List<IdLists> asked = random.nextInt(4) == 0 ? samples(random, 6) : waiting;
          assertThat(pair.vectors(pair.tables, asked))
              .containsExactly(pair.vectors(pair.model, asked));
        }
      }
      assertThat(pair.tables.usage(StoreTraffic.NONE).rows())
          .isEqualTo(pair.model.usage(StoreTraffic.NONE).rows());
    }
    List<IdLists> asked = samples(random, 30);
    assertThat(pair.vectors(pair.tables, asked)).containsExactly(pair.vectors(pair.model, asked));
  }
}
