package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.IdLists;
import java.util.List;

/** What learners do with two tables: users, then items of one number. */
final class Steps {
  private Steps() {}

  /** A feature for each table. */
  static EmbeddingPlan plan(int userDim, RowUpdater userUpdater) {
    return new EmbeddingPlan(
        List.of(
            new EmbeddingPlan.Table("users", userDim, new RowLayout(userDim, userUpdater)),
            new EmbeddingPlan.Table("items", 1, new RowLayout(1, RowUpdater.SGD))),
        List.of(
            new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
            new EmbeddingPlan.Feature(1, IdPooling.SUM, userDim)),
        userDim + 1,
        userDim + 1);
  }

  /** An update with errors of zero. */
  static void train(RowTables tables, EmbeddingPlan plan, long nowSeconds, List<IdLists> samples) {
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    batch.update(samples, new float[plan.width() * samples.size()]);
    tables.commit(batch, nowSeconds);
  }

  /** Maintenance until there is none left. */
  static void maintain(RowTables tables, long nowSeconds) {
    do {
      tables.maintain(nowSeconds);
    } while (tables.busy());
  }

  /** Whether an id has a row in a table. */
  static boolean has(RowTables tables, int table, long id) {
    return tables.occurrences(IdLists.single(id, id))[table] > 0;
  }
}
