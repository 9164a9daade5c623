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
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever trains, is dropped, expires, is counted or is restored, in any order: the tables know
 * how many rows they have, and no row is lost that was used lately.
 */
final class RowCountsPropertyTest {
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("ids", 1, new RowLayout(1, RowUpdater.SGD))),
          List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
          1,
          1);
  private static final int IDS = 40;
  private static final int MOST_ROWS = 15;
  private static final int UNUSED_SECONDS = 5_000;

  /** Tables, the time, and when each id that has a row was used last. */
  private static final class World {
    final RowSettings settings;
    final SplittableRandom random;
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables tables;
    long now = 100_000;
    final Map<Long, Long> used = new HashMap<>();

    World(RowSettings settings, SplittableRandom random) {
      this.settings = settings;
      this.random = random;
      tables = open();
    }

    RowTables open() {
      return new RowTables(
          PLAN, new RowRule(0.1, 0.5, 7), settings, store, 1_000, 1 << 20, ProcessLoops.LOOPS);
    }

    List<IdLists> samples() {
      List<IdLists> samples = new ArrayList<>();
      for (int i = random.nextInt(1, 8); i > 0; i--) {
        samples.add(IdLists.single(2 + (long) (IDS * Math.pow(random.nextDouble(), 2))));
      }
      return samples;
    }

    void train() {
      List<IdLists> samples = samples();
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      for (int i = random.nextInt(4); i > 0; i--) {
        pass();
      }
      batch.update(samples, new float[samples.size()]);
      if (random.nextInt(5) > 0) {
        tables.commit(batch, now);
        for (IdLists each : samples) {
          if (has(each)) {
            used.put(each.key(0), now);
          }
        }
      }
    }

    /** Predictions bring rows into DRAM. */
    void predict() {
      tables.gather(samples());
    }

    void pass() {
      now += random.nextInt(UNUSED_SECONDS / 3);
      tables.maintain(now);
    }

    void restart() {
      tables.write();
      byte[] state = tables.snapshot();
      store = store.copy();
      tables = open();
      tables.restore(state);
    }

    boolean has(IdLists id) {
      return tables.occurrences(id)[0] > 0;
    }

    void check() {
      tables.write();
      long hot = tables.usage(StoreTraffic.NONE).rows();
      RowTables other = new RowTables(PLAN, new RowRule(0.1, 0.5, 7), settings, store.copy());
      other.restore(tables.snapshot());
      int rows = 0;
      for (long id = 0; id < IDS + 2; id++) {
        if (id != IdLists.UNKNOWN && has(IdLists.single(id))) {
          rows++;
          assertThat(other.occurrences(IdLists.single(id))[0]).isPositive();
        } else {
          Long last = used.remove(id);
          boolean mayGo = last == null || settings.expiry().deletes();
          assertThat(mayGo && (last == null || now - last > UNUSED_SECONDS))
              .as("id %d, used at %s, is without a row at %d", id, last, now)
              .isTrue();
        }
      }
      assertThat(hot).isEqualTo(rows).isLessThanOrEqualTo(2 * MOST_ROWS);
    }
  }

  @Property(tries = 100)
  void tables_anyHistory_knowTheirRows(
      @ForAll long seed,
      @ForAll RowPolicyName policy,
      @ForAll @IntRange(min = 1, max = 4) int admitAfter,
      @ForAll boolean expires) {
    SplittableRandom random = new SplittableRandom(seed);
    World world =
        new World(
            new RowSettings(
                random.nextInt(2_000), policy, admitAfter, MOST_ROWS, expiry(random, expires)),
            random);
    for (int step = 0; step < 80; step++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> world.train();
        case 4 -> world.predict();
        case 5, 6 -> world.pass();
        default -> world.restart();
      }
      world.check();
    }
  }

  private static Expiry expiry(SplittableRandom random, boolean expires) {
    Expiry.Bound rare = new Expiry.Bound(random.nextInt(2, 9), UNUSED_SECONDS);
    Expiry.Bound small = new Expiry.Bound(random.nextDouble(0.6), UNUSED_SECONDS);
    return !expires
        ? Expiry.NEVER
        : switch (random.nextInt(4)) {
          case 0 -> Expiry.unused(UNUSED_SECONDS);
          case 1 -> new Expiry(0, rare, Expiry.Bound.NONE);
          case 2 -> new Expiry(0, Expiry.Bound.NONE, small);
          default -> new Expiry(2 * UNUSED_SECONDS, rare, small);
        };
  }
}
