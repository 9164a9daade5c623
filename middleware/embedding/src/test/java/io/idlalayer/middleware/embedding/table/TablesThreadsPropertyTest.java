package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.loops.TestLoops;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * What the threads of a learner do at the same time: the trainer's updates its copies and the
 * scorer's reads its own, while the operator's gathers others, writes, evicts and deletes, and
 * while it commits. All of them find the bits of plain arrays.
 */
final class TablesThreadsPropertyTest {
  private static final int STEPS = 12;
  private static final int ROUNDS = 12;
  private static final int AGAIN = 6;
  private static final long SECONDS = 60;

  /** Rows that were gathered to predict, and what plain arrays had at that time. */
  private record Prediction(RowBatch batch, List<IdLists> asked, float[] expected) {
    static Prediction of(PlainTablesPropertyTest.World world) {
      List<IdLists> asked = world.samples();
      return new Prediction(world.tables.gather(asked), asked, world.plain.columns(asked));
    }

    void check() {
      int width = batch.plan().width();
      float[] columns = new float[asked.size() * width];
      for (int i = 0; i < asked.size(); i++) {
        batch.fill(asked.get(i), columns, i * width);
      }
      assertThat(columns).containsExactly(expected);
    }
  }

  private static Callable<Boolean> score(CyclicBarrier begin, List<Prediction> predictions) {
    List<Prediction> own = List.copyOf(predictions);
    return () -> {
      begin.await(SECONDS, TimeUnit.SECONDS);
      for (int i = 0; i < AGAIN; i++) {
        own.forEach(Prediction::check);
      }
      return true;
    };
  }

  private static float[][] errors(PlainTablesPropertyTest.World world, int samples) {
    float[][] errors = new float[STEPS][samples * world.plan.width()];
    for (float[] step : errors) {
      for (int i = 0; i < step.length; i++) {
        step[i] = (float) world.random.nextDouble(-1, 1);
      }
    }
    return errors;
  }

  /** An update: trained while rows are gathered and moved, then committed while some are read. */
  private static void update(
      PlainTablesPropertyTest.World world, ExecutorService trainer, ExecutorService scorer)
      throws Exception {
    List<IdLists> fresh = world.samples();
    List<IdLists> replayed = world.past.isEmpty() ? List.of() : List.of(world.past.get(0));
    List<IdLists> all = new ArrayList<>(fresh);
    all.addAll(replayed);
    List<Prediction> predictions = new ArrayList<>();
    for (int i = 0; i < AGAIN; i++) {
      predictions.add(Prediction.of(world));
    }
    RowBatch batch = world.tables.gatherToTrain(fresh, replayed);
    PlainTables copy = world.plain.begin(fresh, replayed);
    float[][] errors = errors(world, all.size());
    CyclicBarrier begin = new CyclicBarrier(3);
    Future<Boolean> trained =
        trainer.submit(
            () -> {
              begin.await(SECONDS, TimeUnit.SECONDS);
              for (float[] step : errors) {
                batch.update(all, step);
              }
              return true;
            });
    Future<Boolean> scored = scorer.submit(score(begin, predictions));
    begin.await(SECONDS, TimeUnit.SECONDS);
    for (int i = 0; i < AGAIN; i++) {
      predictions.add(Prediction.of(world));
      world.tables.write();
      if (i == AGAIN / 2) {
        world.maintain();
      }
    }
    for (float[] step : errors) {
      copy.step(all, step);
    }
    assertThat(trained.get(SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(scored.get(SECONDS, TimeUnit.SECONDS)).isTrue();

    CyclicBarrier accept = new CyclicBarrier(2);
    Future<Boolean> alsoScored = scorer.submit(score(accept, predictions));
    accept.await(SECONDS, TimeUnit.SECONDS);
    world.tables.commit(batch, world.nowSeconds);
    world.plain.commit(all, copy, world.nowSeconds);
    world.past.addAll(fresh);
    world.tables.flush();
    world.check();
    assertThat(alsoScored.get(SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Property(tries = 10)
  void trainerAndScorer_whileRowsMove_findPlainArrays(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws Exception {
    ExecutorService trainer = Executors.newSingleThreadExecutor();
    ExecutorService scorer = Executors.newSingleThreadExecutor();
    try {
      PlainTablesPropertyTest.World world =
          new PlainTablesPropertyTest.World(seed, TestLoops.VECTOR, 16, 1, 40, updater, policy);
      for (int round = 0; round < ROUNDS; round++) {
        update(world, trainer, scorer);
        if (round % 5 == 4) {
          world.save();
          world.restore();
        }
      }
    } finally {
      trainer.shutdownNow();
      scorer.shutdownNow();
    }
  }
}
