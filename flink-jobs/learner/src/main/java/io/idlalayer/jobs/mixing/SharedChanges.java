package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the tables that every partition uses, for the row file of a version: all rows that
 * any learner has used, or only the rows that were changed in rounds after the parent's round.
 *
 * @param rows all rows of the mixed model; null if the model shares none
 * @param afterRound rows whose last change was in this round or earlier are left out
 */
record SharedChanges(@Nullable SharedRows rows, long afterRound) {
  /** Returns all rows that any learner has used. */
  static SharedChanges all(@Nullable SharedRows rows) {
    return new SharedChanges(rows, 0);
  }

  /** Returns the rows that have changed since a version of the same lineage. */
  static SharedChanges since(ModelCheckpoint parent, @Nullable SharedRows rows) {
    return new SharedChanges(
        rows, MixedVersion.of(parent.manifest()).map(MixedVersion::round).orElse(0L));
  }

  private boolean has(int row) {
    SharedRows all = rows;
    return all != null && all.marks()[row] > afterRound;
  }

  /** Returns how many bytes the rows take in a row file. */
  long bytes() {
    SharedRows all = rows;
    if (all == null) {
      return 0;
    }
    long[] bytes = {0};
    all.forEach(
        (table, key, row, at) -> {
          if (has(row)) {
            bytes[0] += RowFile.rowBytes(table.weights());
          }
        });
    return bytes[0];
  }

  /**
   * Writes a table with its rows, in the order of row files.
   *
   * @param index index of the table in the model
   * @return number of rows
   */
  long write(EmbeddingPlan plan, int index, RowFile.Writer to) throws IOException {
    EmbeddingPlan.Table of = plan.tables().get(index);
    to.table(RowFile.Table.of(of));
    SharedRows all = rows;
    long written = 0;
    if (all != null) {
      for (SharedRows.Table table : all.tables()) {
        if (table.index() == index) {
          written = write(all, table, of, to);
        }
      }
    }
    to.end();
    return written;
  }

  private long write(
      SharedRows all, SharedRows.Table table, EmbeddingPlan.Table of, RowFile.Writer to)
      throws IOException {
    Integer[] keys = Arrays.stream(all.keys(table, this::has)).boxed().toArray(Integer[]::new);
    Comparator<Integer> order =
        (one, other) -> Long.compareUnsigned(of.rowKey(one), of.rowKey(other));
    Arrays.sort(keys, order);
    int first = all.from(table);
    for (int key : keys) {
      to.row(key, all.values(), first + key * table.weights());
    }
    return keys.length;
  }
}
