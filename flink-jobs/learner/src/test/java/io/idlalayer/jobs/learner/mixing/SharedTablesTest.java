package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The rows of a learner's tables and those in its model's file are the same. */
final class SharedTablesTest {
  private static final int ROWS = 30;
  static final RowRule RULE = new RowRule(0.1, 0.05, 7);
  static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(
              new EmbeddingPlan.Table(
                  "devices", 3, new RowLayout(4, RowUpdater.ADAGRAD), RowIndex.hash(ROWS)),
              new EmbeddingPlan.Table("users", 3, new RowLayout(4, RowUpdater.ADAGRAD))),
          List.of(
              new EmbeddingPlan.Feature(1, IdPooling.SUM, 0),
              new EmbeddingPlan.Feature(0, IdPooling.SUM, 3)),
          6,
          7);

  private final RowTables rows =
      new RowTables(PLAN, RULE, RowSettings.DEFAULT, new InMemoryRowStore());
  private final SharedTables tables = new SharedTables(rows, RULE, List.of(0), () -> 2_000_000);
  private final Random random = new Random(5);
  private final int[] occurred = new int[ROWS + 2];
  private long seconds = 1_000;

  private static ModelArtifact empty() {
    return new ModelArtifact(TinyNetwork.files(1, 2));
  }

  /** A training on a few events; each has a user and a device. */
  private ModelArtifact train(ModelArtifact before) {
    List<IdLists> events = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      events.add(event(random.nextInt(ROWS + 2)));
    }
    return train(before, events, List.of());
  }

  private IdLists event(long device) {
    return new IdLists(new long[] {2 + random.nextInt(50), device}, new int[] {1, 2});
  }

  private ModelArtifact train(ModelArtifact before, List<IdLists> fresh, List<IdLists> replayed) {
    for (IdLists each : fresh) {
      occurred[(int) each.key(1)]++;
    }
    List<IdLists> events = new ArrayList<>(fresh);
    events.addAll(replayed);
    RowBatch batch = rows.gatherToTrain(fresh, replayed);
    float[] errors = new float[events.size() * PLAN.width()];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextGaussian();
    }
    batch.update(events, errors);
    rows.commit(batch, ++seconds);
    rows.write();
    return tables.trained(empty(), before, batch);
  }

  private static SharedRows of(ModelArtifact model) throws IOException {
    return SharedRows.of(model.files());
  }

  /** Reads all rows of the first table, without a change. */
  static RowSet all(RowTables rows, int keysOfTable) {
    long[] keys = new long[keysOfTable];
    Arrays.setAll(keys, key -> key);
    int[] ends = new int[2];
    boolean placed = false;
    for (int f = 0; f < ends.length; f++) {
      placed |= rows.plan().features().get(f).table() == 0;
      ends[f] = placed ? keys.length : 0;
    }
    return rows.look(List.of(new IdLists(keys, ends))).rows(0);
  }

  private void assertSame(SharedRows file) {
    assertSame(rows, file);
  }

  /** Each row of the first table has the weights that the file has, or begins with them. */
  static void assertSame(RowTables rows, SharedRows file) {
    SharedRows.Table table = file.tables().get(0);
    RowSet set = all(rows, table.keys());
    int found = 0;
    for (int key = 0; key < table.keys(); key++) {
      int position = set.place(key);
      if (set.kind(position) == RowKind.ROW) {
        found++;
        int at = set.at(position);
        int from = key * table.weights();
        assertThat(Arrays.copyOfRange(set.values(), at, at + table.weights()))
            .as("row %d", key)
            .containsExactly(Arrays.copyOfRange(file.values(), from, from + table.weights()));
      } else {
        assertThat(file.marks()[key]).as("uses of row %d, which is not there", key).isZero();
      }
    }
    assertThat(found).isPositive();
  }

  @Test
  void adopted_betweenTrainings_changesTheRowsAsTheFile() throws IOException {
    ModelArtifact model = train(null);
    assertSame(of(model));
    assertThat(of(model).marks()).containsExactly(occurred);
    for (int round = 1; round < 20; round++) {
      ModelArtifact contributed = model;
      Arrays.fill(occurred, 0);
      model = train(model);
      assertThat(of(model).usesSince(of(contributed).marks())).containsExactly(occurred);
      // Another learner has changed other rows, and one that this one has never used.
      SharedRows mine = of(contributed);
      float[] mixed = mine.values().clone();
      for (int i = 0; i < 6; i++) {
        mixed[random.nextInt(mixed.length)] += (float) random.nextGaussian();
      }
      SortedMap<String, byte[]> version = new TreeMap<>(empty().files());
      version.put(
          SharedRows.FILE, new SharedRows(mine.tables(), mixed, new int[ROWS + 2]).encode());
      ModelArtifact before = model;
      int[] uses = mine.marks();
      model = ModelMix.adopted(model, ModelMix.parameters(contributed.files()), uses, version);
      tables.adopted(before, model);
      assertSame(of(model));
      assertThat(of(model).marks()).isEqualTo(of(before).usesSince(uses));
      float[] since = of(before).values();
      for (int i = 0; i < mixed.length; i++) {
        if (since[i] == mine.values()[i]) {
          assertThat(of(model).values()[i]).isEqualTo(mixed[i]);
        }
      }
    }
  }

  @Test
  void trained_rowsOfReplayedSamplesAlone_areUsedOnce() throws IOException {
    ModelArtifact model = train(null, List.of(event(5), event(5), event(6)), List.of());
    assertThat(of(model).marks()).containsExactly(occurred);
    int[] before = of(model).marks();
    ModelArtifact replayed =
        train(model, List.of(), List.of(event(5), event(5), event(6), event(5)));
    int[] since = new int[ROWS + 2];
    since[5] = 1;
    since[6] = 1;
    assertThat(of(replayed).usesSince(before)).containsExactly(since);
    assertSame(of(replayed));
    // A replayed sample adds nothing to a row that new samples use too.
    ModelArtifact both = train(replayed, List.of(event(6), event(6)), List.of(event(6)));
    since[5] = 0;
    since[6] = 2;
    assertThat(of(both).usesSince(of(replayed).marks())).containsExactly(since);
  }

  @Test
  void adopted_updaterStateAndCounts_stay() throws IOException {
    ModelArtifact model = train(null);
    long device = 2;
    while (of(model).marks()[(int) device] == 0) {
      device++;
    }
    IdLists one = new IdLists(new long[] {2, device}, new int[] {1, 2});
    RowSet before = rows.gatherToTrain(List.of(), List.of(one)).rows(0);
    int stride = PLAN.tables().get(0).layout().stride();
    int was = before.at(before.place(device));
    float[] values = of(model).values().clone();
    values[(int) device * 4] += 1;
    ModelArtifact now =
        new ModelArtifact(
            new TreeMap<>(
                Map.of(
                    SharedRows.FILE,
                    new SharedRows(of(model).tables(), values, of(model).marks()).encode())));
    tables.adopted(model, now);
    RowSet after = rows.gatherToTrain(List.of(), List.of(one)).rows(0);
    int at = after.at(after.place(device));
    assertThat(after.values()[at]).isEqualTo(values[(int) device * 4]);
    assertThat(Arrays.copyOfRange(after.values(), at + 4, at + stride))
        .containsExactly(Arrays.copyOfRange(before.values(), was + 4, was + stride))
        .doesNotContain(0f);
    assertThat(after.occurrences(after.place(device)))
        .isEqualTo(before.occurrences(before.place(device)))
        .isPositive();
  }
}
