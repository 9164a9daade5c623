package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.loops.ProcessLoops;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * What tables say of earlier updates, and what they go back to, is what they were then, after any
 * trainings, deletions, foldings, crashes and ways back. Copies made at the time say what they
 * were.
 */
final class RowHistoryPropertyTest {
  private static final int IDS = 40;
  private static final long ENOUGH_BYTES = 1 << 17;

  /** Tables with what they were after each update that is remembered. */
  private static final class World {
    final EmbeddingPlan plan;
    final RowRule rule = new RowRule(0.1, 0.5, 7);
    final RowSettings settings;
    final long mostHistoryBytes;
    final TreeMap<Long, Saved> then = new TreeMap<>();
    final SplittableRandom random;
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables;

    /** Samples that wait for their training. */
    List<IdLists> waiting;

    long update;
    long nowSeconds = 1_000_000;

    /** A copy, as a checkpoint is. */
    record Saved(InMemoryRowStore store, byte[] state, long update, Map<Long, Saved> then) {}

    World(RowUpdater updater, RowPolicyName policy, long seed, long mostHistoryBytes) {
      random = new SplittableRandom(seed);
      this.mostHistoryBytes = mostHistoryBytes;
      plan =
          new EmbeddingPlan(
              List.of(
                  new EmbeddingPlan.Table("users", 3, new RowLayout(4, updater)),
                  new EmbeddingPlan.Table("items", 5, new RowLayout(6, updater))),
              List.of(
                  new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
                  new EmbeddingPlan.Feature(1, IdPooling.MEAN, 3)),
              8,
              9);
      int fastBytes = random.nextInt(6_000);
      Expiry expiry = Expiry.unused(2_000);
      settings = new RowSettings(fastBytes, policy, random.nextInt(1, 4), 2 * IDS, expiry);
      tables = open(store);
      waiting = samples(6);
    }

    /** Samples are tested before they train, which reads their rows ahead. */
    void test() {
      tables.gather(waiting);
    }

    RowTables open(InMemoryRowStore of) {
      return new RowTables(plan, rule, settings, of, 8_000, mostHistoryBytes, ProcessLoops.LOOPS);
    }

    Saved save() {
      tables.write();
      return new Saved(store.copy(), tables.snapshot(), update, Map.copyOf(then));
    }

    void crash(Saved to) {
      store = to.store().copy();
      tables = open(store);
      tables.restore(to.state());
      then.clear();
      then.putAll(to.then());
    }

    void train() {
      List<IdLists> fresh = waiting;
      waiting = samples(6);
      RowBatch batch = tables.gatherToTrain(fresh, List.of());
      float[] errors = new float[fresh.size() * plan.width()];
      for (int i = 0; i < errors.length; i++) {
        errors[i] = (float) random.nextDouble(-1, 1);
      }
      batch.update(fresh, errors);
      if (random.nextInt(4) == 0) {
        tables.maintain(nowSeconds);
      }
      if (random.nextBoolean()) {
        test();
      }
      tables.commit(batch, nowSeconds);
      update++;
      tables.takeRemoved();
      tables.remember(update);
      then.put(update, save());
    }

    void keepSome() {
      Set<Long> kept = new HashSet<>();
      then.keySet().stream().filter(each -> random.nextInt(3) == 0).forEach(kept::add);
      tables.rememberOnly(kept);
      if (!then.isEmpty()) {
        kept.add(then.lastKey());
      }
      then.keySet().retainAll(kept);
    }

    /** All rows are written, and the file counts as that of the last update. */
    void writeAll() {
      if (tables.remembers(update)) {
        tables.rememberAnew();
        then.put(update, save());
      }
    }

    void pass() {
      nowSeconds += random.nextInt(1_500);
      for (int i = 0; i < 5; i++) {
        tables.maintain(nowSeconds);
      }
    }

    /** An update that is still remembered; 0 for none. */
    long anyKnown() {
      List<Long> known = new ArrayList<>(then.keySet());
      known.removeIf(each -> !tables.remembers(each));
      return known.isEmpty() ? 0 : known.get(random.nextInt(known.size()));
    }

    void goBack() {
      long to = anyKnown();
      if (to > 0) {
        tables.goBack(to);
        then.tailMap(to, false).clear();
        assertThat(rows(save())).isEqualTo(rows(then.get(to)));
        assertThat(tables.usage(StoreTraffic.NONE).rows())
            .isEqualTo(opened(then.get(to)).usage(StoreTraffic.NONE).rows());
      }
    }

    void compare() {
      long of = anyKnown();
      if (of > 0) {
        List<IdLists> asked = samples(10);
        RowBatch now = tables.gather(asked);
        float[] unchanged = vectors(now, asked);
        RowBatch before = tables.asOf(of, now);
        assertThat(vectors(before, asked))
            .containsExactly(vectors(opened(then.get(of)).gather(asked), asked));
        assertThat(vectors(now, asked)).containsExactly(unchanged);
      }
    }

    RowTables opened(Saved saved) {
      RowTables copy = open(saved.store().copy());
      copy.restore(saved.state());
      return copy;
    }

    float[] vectors(RowBatch batch, List<IdLists> samples) {
      float[] input = new float[samples.size() * plan.width()];
      for (int i = 0; i < samples.size(); i++) {
        batch.fill(samples.get(i), input, i * plan.width());
      }
      return input;
    }

    /** Every row with its updater's state, and whether what is counted is there. */
    Map<String, String> rows(Saved saved) {
      InMemoryRowStore copy = saved.store().copy();
      RowTables of = open(copy);
      of.restore(saved.state());
      of.flush();
      Map<String, String> rows = new TreeMap<>();
      long[] counts = {0};
      copy.rows()
          .forEachRemaining(
              each -> {
                if (StoredRow.head(each.getValue(), plan).kind() == RowKind.ROW) {
                  rows.put(
                      "%016x".formatted(each.getKey()), HexFormat.of().formatHex(each.getValue()));
                } else {
                  counts[0]++;
                }
              });
      assertThat(of.usage(StoreTraffic.NONE).counted()).isEqualTo(counts[0]);
      return rows;
    }

    List<IdLists> samples(int most) {
      List<IdLists> samples = new ArrayList<>();
      int count = random.nextInt(1, most + 1);
      for (int i = 0; i < count; i++) {
        long[] keys = new long[1 + random.nextInt(1, 4)];
        Arrays.setAll(keys, k -> 2 + (long) (IDS * Math.pow(random.nextDouble(), 3)));
        samples.add(new IdLists(keys, new int[] {1, keys.length}));
      }
      return samples;
    }
  }

  @Property(tries = 80)
  void history_anyEvents_isWhatTheRowsWere(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy) {
    run(new World(updater, policy, seed, ENOUGH_BYTES));
  }

  @Property(tries = 40)
  void history_aboveItsBound_isForgottenAndNeverWrong(
      @ForAll long seed,
      @ForAll RowPolicyName policy,
      @ForAll @IntRange(min = 0, max = 20_000) int mostHistoryBytes) {
    run(new World(RowUpdater.ADAGRAD, policy, seed, mostHistoryBytes));
  }

  private static void run(World world) {
    World.Saved checkpoint = world.save();
    for (int step = 0; step < 50; step++) {
      switch (world.random.nextInt(12)) {
        case 0, 1, 2 -> world.train();
        case 3 -> world.pass();
        case 4 -> world.keepSome();
        case 5 -> checkpoint = world.save();
        case 6 -> {
          world.crash(checkpoint);
          world.update = checkpoint.update();
        }
        case 7 -> world.goBack();
        case 8 -> world.writeAll();
        case 9 -> world.test();
        default -> world.compare();
      }
    }
    world.goBack();
  }
}
