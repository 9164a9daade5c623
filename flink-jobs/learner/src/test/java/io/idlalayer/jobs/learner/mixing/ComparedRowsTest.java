package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two models are compared with the rows that the learner had when it contributed to them. */
final class ComparedRowsTest {
  private static final int IDS = 40;
  private static final int STEPS = 200;

  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("user", 3, new RowLayout(4, RowUpdater.ADAGRAD))),
          List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
          3,
          4);

  /** Few rows stay in DRAM. */
  static RowTables tables(InMemoryRowStore store) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(1_000, RowPolicyName.DYNAMIC, 1, 1_000, Expiry.NEVER),
        store);
  }

  /** Trains rows of a few ids, of which some are new. */
  private static void train(RowTables tables, SplittableRandom random) {
    List<IdLists> samples = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      samples.add(IdLists.single(random.nextInt(2, IDS)));
    }
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    float[] errors = new float[samples.size() * PLAN.width()];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextDouble(-1, 1);
    }
    batch.update(samples, errors);
    tables.commit(batch, 1_000);
  }

  /** Samples with all ids, and some that never get a row. */
  private static List<Sample> samples() {
    return IntStream.range(2, IDS + 5)
        .mapToObj(id -> new Sample("", new double[] {1}, new int[0], IdLists.single(id), id % 2))
        .toList();
  }

  private static float[] columns(IdVectors vectors) {
    List<Sample> samples = samples();
    float[] input = new float[samples.size() * PLAN.width()];
    for (int i = 0; i < samples.size(); i++) {
      vectors.fill(samples.get(i).ids(), input, i * PLAN.width());
    }
    return input;
  }

  private static float[] now(RowTables tables) {
    return columns(tables.look(samples().stream().map(Sample::ids).toList()));
  }

  /** The contributions of a learner, and the vectors that it had when it made them. */
  private static final class History {
    final InMemoryRowStore store = new InMemoryRowStore();
    final SplittableRandom random;
    final List<float[]> contributed = new ArrayList<>();
    RowTables tables = tables(store);
    ComparedRows rows = new ComparedRows(tables);
    long update;
    long contributedUpdate;
    int model = -1;
    int baseline = -1;
    int compared;
    int forgotten;

    History(long seed) {
      random = new SplittableRandom(seed);
      tables.remember(0);
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0, 1, 2, 3 -> {
            train(tables, random);
            tables.remember(++update);
            tables.rememberOnly(rows.needed());
          }
          case 4, 5 -> contribute();
          case 6 -> compare();
          default -> restart();
        }
      }
    }

    private void contribute() {
      if (update > contributedUpdate) {
        contributedUpdate = update;
        contributed.add(now(tables));
        tables.published(update, digest(contributed.size() - 1));
        tables.rememberOnly(rows.needed());
      }
    }

    private static String digest(int contribution) {
      return contribution < 0 ? "" : "contribution " + contribution;
    }

    private void compare() {
      if (random.nextBoolean()) {
        baseline = model;
      }
      int later = contributed.size() - 1 - model;
      model += later == 0 ? 0 : random.nextInt(later + 1);
      rows.begin(digest(model), digest(baseline));
      if (rows.known()) {
        ComparedRows.Vectors vectors = rows.of(samples());
        assertThat(columns(vectors.ofModel())).isEqualTo(expected(model));
        assertThat(columns(vectors.ofBaseline())).isEqualTo(expected(baseline));
        compared++;
      } else {
        forgotten++;
      }
      tables.rememberOnly(rows.needed());
    }

    private float[] expected(int contribution) {
      return contribution < 0
          ? new float[samples().size() * PLAN.width()]
          : contributed.get(contribution);
    }

    /** The learner starts again from its state. */
    private void restart() {
      tables.write();
      byte[] snapshot = tables.snapshot();
      tables = tables(store);
      tables.restore(snapshot);
      rows = new ComparedRows(tables);
    }
  }

  @Test
  void of_anyHistory_hasTheRowsOfBothContributions() {
    int compared = 0;
    int forgotten = 0;
    for (long seed = 0; seed < 60; seed++) {
      History history = new History(seed);
      history.run();
      compared += history.compared;
      forgotten += history.forgotten;
    }
    assertThat(compared).isGreaterThan(800);
    assertThat(forgotten).as("after too many contributions").isLessThan(compared / 20);
  }

  @Test
  void known_manyContributionsBeforeTheNextComparison_keepsTheBaseline() {
    RowTables tables = tables(new InMemoryRowStore());
    ComparedRows rows = new ComparedRows(tables);
    tables.remember(0);
    SplittableRandom random = new SplittableRandom(1);
    for (int update = 1; update <= 3 * ComparedRows.MOST; update++) {
      train(tables, random);
      tables.remember(update);
      tables.published(update, "contribution " + update);
      if (update == 1) {
        rows.begin("contribution 1", "");
      }
      tables.rememberOnly(rows.needed());
    }
    assertThat(tables.publishedUpdates()).hasSize(ComparedRows.MOST);
    rows.begin("contribution " + 3 * ComparedRows.MOST, "contribution 1");
    assertThat(rows.known()).isTrue();
    tables.rememberOnly(rows.needed());
    assertThat(tables.publishedUpdates().values())
        .containsExactly("contribution 1", "contribution " + 3 * ComparedRows.MOST);
  }

  @Test
  void of_rowsThatAreNotKnown_isRefused() {
    ComparedRows rows = new ComparedRows(tables(new InMemoryRowStore()));
    rows.begin("contribution 1", "");
    assertThat(rows.known()).isFalse();
    assertThatThrownBy(() -> rows.of(samples()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("contribution 1");
  }

  @Test
  void of_modelWithoutTable_hasNoVectors() {
    ComparedRows rows = new ComparedRows(null);
    rows.begin("contribution 1", "");
    assertThat(rows.known()).isTrue();
    assertThat(rows.of(samples()).ofModel()).isSameAs(IdVectors.NONE);
    assertThat(rows.needed()).isEmpty();
  }
}
