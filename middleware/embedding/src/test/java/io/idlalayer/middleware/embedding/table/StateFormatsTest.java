package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state of tables. Rows have a test of their own. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(
              new EmbeddingPlan.Table("users", 2, new RowLayout(3, RowUpdater.ADAGRAD)),
              new EmbeddingPlan.Table("items", 1, new RowLayout(1, RowUpdater.SGD))),
          List.of(
              new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
              new EmbeddingPlan.Feature(1, IdPooling.MEAN, 2)),
          3,
          4);
  private static final double UNUSED_SECONDS = 1_000;

  @Override
  protected Stream<PinnedState> states() {
    return Stream.of(
        new PinnedState(
            "tables", () -> learned(new InMemoryRowStore()).snapshot(), StateFormatsTest::again),
        new PinnedState(
            "tables-remembered", StateFormatsTest::remembered, StateFormatsTest::again));
  }

  private static byte[] remembered() {
    RowTables tables = learned(new InMemoryRowStore());
    tables.takeRemoved();
    tables.remember(2);
    tables.published(2, "digest");
    tables.remember(5);
    return tables.snapshot();
  }

  private static RowTables tables(RowStore store) {
    return new RowTables(
        PLAN,
        new RowRule(0.1, 0.5, 7),
        new RowSettings(1 << 16, RowPolicyName.DYNAMIC, 2, 100, Expiry.unused(UNUSED_SECONDS)),
        store,
        1,
        1 << 20,
        ProcessLoops.LOOPS);
  }

  private static void train(RowTables tables, long nowSeconds, IdLists... samples) {
    RowBatch batch = tables.gatherToTrain(List.of(samples), List.of());
    float[] errors = new float[samples.length * PLAN.width()];
    errors[0] = 1;
    batch.update(List.of(samples), errors);
    tables.commit(batch, nowSeconds);
  }

  /** Rows, counted ids, and a row that was deleted and not told yet. */
  static RowTables learned(InMemoryRowStore store) {
    RowTables tables = tables(store);
    train(tables, 10, IdLists.single(5, 8), IdLists.single(5, 8));
    tables.flush();
    train(tables, 2_000, IdLists.single(6, 9), IdLists.single(6, 10));
    do {
      tables.maintain(2_001);
    } while (tables.busy());
    return tables;
  }

  /** Version 1 counted rows of missing values as rows of ids. */
  @Test
  void restore_ofTheFirstVersion_isRefused() {
    byte[] first = learned(new InMemoryRowStore()).snapshot();
    first[1 + first[0]] = 1;
    assertThatThrownBy(() -> again(first))
        .isInstanceOf(UnreadableStateException.class)
        .hasMessageContaining("'embedding tables'")
        .hasMessageContaining("it has version 1, this program reads 2 to 2");
  }

  private static byte[] again(byte[] snapshot) {
    RowTables tables = tables(new InMemoryRowStore());
    tables.restore(snapshot);
    return tables.snapshot();
  }
}
