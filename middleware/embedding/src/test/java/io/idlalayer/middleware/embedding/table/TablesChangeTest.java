package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.change.ColumnMap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stored rows of tables that change. */
final class TablesChangeTest {
  private static final int IDS = 50;
  private static final int DIM = 2;
  private static final RowRule RULE = new RowRule(0.1, 0.5, 7);

  /** Tables of these names, with a feature for each, and wide parts of this length. */
  private static EmbeddingPlan plan(RowUpdater updater, int wide, String... names) {
    List<EmbeddingPlan.Table> tables = new ArrayList<>();
    List<EmbeddingPlan.Feature> features = new ArrayList<>();
    for (String name : names) {
      features.add(new EmbeddingPlan.Feature(tables.size(), IdPooling.SUM, DIM * tables.size()));
      tables.add(new EmbeddingPlan.Table(name, DIM, new RowLayout(DIM + wide, updater)));
    }
    int width = DIM * names.length;
    return new EmbeddingPlan(tables, features, width, width + wide);
  }

  private static RowTables tables(EmbeddingPlan plan, InMemoryRowStore store) {
    return new RowTables(plan, RULE, RowSettings.DEFAULT, store);
  }

  private static List<IdLists> ids(int features) {
    return LongStream.range(2, 2 + IDS)
        .mapToObj(id -> IdLists.single(LongStream.range(0, features).map(any -> id).toArray()))
        .toList();
  }

  /** Trains the rows of all ids. Those that are hot are newer than the store then. */
  private static void train(RowTables tables, int features, long update) {
    RowBatch batch = tables.gatherToTrain(ids(features), List.of());
    int width = tables.plan().width();
    float[] errors = new float[IDS * width];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) Math.sin((double) (i + update));
    }
    batch.update(ids(features), errors);
    tables.commit(batch, update);
    tables.remember(update);
  }

  private static float[] columns(RowTables tables, int features) {
    RowBatch rows = tables.look(ids(features));
    int width = tables.plan().width();
    float[] columns = new float[IDS * width];
    for (int i = 0; i < IDS; i++) {
      rows.fill(ids(features).get(i), columns, i * width);
    }
    return columns;
  }

  @ParameterizedTest
  @EnumSource(RowUpdater.class)
  void convert_otherTables_keepsTheRowsOfThoseThatStay(RowUpdater updater) {
    EmbeddingPlan before = plan(updater, 0, "a", "b");
    EmbeddingPlan now = plan(updater, 0, "new", "b");
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables old = tables(before, store);
    train(old, 2, 1);
    train(old, 2, 2);
    old.write();
    byte[] snapshot = old.snapshot();
    float[] was = columns(old, 2);
    byte[] changed = new TablesChange(before, now, ColumnMap.unchanged(0)).convert(store, snapshot);
    assertThat(store.changes().entries()).as("nothing is newer in a log").isEmpty();
    assertThat(store.history().entries()).isEmpty();
    RowTables after = tables(now, store);
    after.restore(changed);
    float[] is = columns(after, 2);
    for (int i = 0; i < IDS; i++) {
      assertThat(is[4 * i + 2]).isEqualTo(was[4 * i + 2]).isNotZero();
      assertThat(is[4 * i + 3]).isEqualTo(was[4 * i + 3]).isNotZero();
    }
    assertThat(after.usage(StoreTraffic.NONE).rows()).isEqualTo(IDS);
    train(after, 2, 3);
    assertThat(columns(after, 2)).isNotEqualTo(is);
  }

  /** The mean of the others, as the last layer has it. */
  @ParameterizedTest
  @EnumSource(RowUpdater.class)
  void convert_anotherClass_givesWidePartsItsWeight(RowUpdater updater) {
    EmbeddingPlan before = plan(updater, 2, "a");
    EmbeddingPlan now = plan(updater, 3, "a");
    InMemoryRowStore store = new InMemoryRowStore();
    RowTables old = tables(before, store);
    train(old, 1, 1);
    old.write();
    float[] was = columns(old, 1);
    ColumnMap classes = new ColumnMap(2, 1, ColumnMap.ADDED, 0);
    byte[] changed = new TablesChange(before, now, classes).convert(store, old.snapshot());
    RowTables after = tables(now, store);
    after.restore(changed);
    float[] is = columns(after, 1);
    for (int i = 0; i < IDS; i++) {
      assertThat(is[5 * i]).isEqualTo(was[4 * i]);
      assertThat(is[5 * i + 2]).isEqualTo(was[4 * i + 3]).isNotZero();
      assertThat(is[5 * i + 4]).isEqualTo(was[4 * i + 2]);
      assertThat(is[5 * i + 3]).isEqualTo((float) ((was[4 * i + 2] + (double) was[4 * i + 3]) / 2));
    }
    byte[] again =
        new TablesChange(now, before, new ColumnMap(3, 2, 0)).convert(store, after.snapshot());
    RowTables back = tables(before, store);
    back.restore(again);
    assertThat(columns(back, 1)).isEqualTo(was);
  }
}
