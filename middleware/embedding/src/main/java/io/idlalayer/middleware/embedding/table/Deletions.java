package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.store.RowKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rows that were deleted, for the next version and for the training that runs with copies
 * of them. One thread.
 */
final class Deletions {
  /**
   * Approximate number of deleted rows above which no more are deleted until a version contains
   * them.
   */
  private static final int MOST_UNTOLD = 50_000;

  private final EmbeddingPlan plan;

  /** Deleted rows that no version contains yet. */
  private final List<RemovedRow> untold = new ArrayList<>();

  /** The rows that were gathered last for a training, until it is committed. */
  private @Nullable RowBatch inTraining;

  /** Row keys of the gathered rows that were deleted since. */
  private final Set<Long> meanwhile = new HashSet<>();

  Deletions(EmbeddingPlan plan) {
    this.plan = plan;
  }

  /** Called when a training begins with copies of rows. */
  void trains(RowBatch gathered) {
    inTraining = gathered;
  }

  /** Called when no running training may be committed. */
  void trainsNothing() {
    inTraining = null;
    meanwhile.clear();
  }

  /** Returns whether a row that the training began with was deleted while it ran. */
  boolean meanwhile(int table, long key) {
    return !meanwhile.isEmpty() && meanwhile.contains(plan.tables().get(table).rowKey(key));
  }

  /**
   * Records that a row was deleted, or the count of an id without one.
   *
   * @param kind which of the two
   */
  void deleted(int table, long key, RowKind kind) {
    if (kind == RowKind.ROW) {
      untold.add(new RemovedRow(table, key));
    }
    RowBatch trains = inTraining;
    if (trains != null && trains.rows(table).holds(key)) {
      meanwhile.add(plan.tables().get(table).rowKey(key));
    }
  }

  /** Returns whether no row may be deleted until a version contains the deleted ones. */
  boolean full() {
    return untold.size() >= MOST_UNTOLD;
  }

  /** Returns whether versions contain all deleted rows. */
  boolean allTold() {
    return untold.isEmpty();
  }

  /** Rows that were deleted since the last call of {@link #takeUntold}. */
  List<RemovedRow> untold() {
    return List.copyOf(untold);
  }

  /** Returns {@link #untold} for a version that contains them, and forgets them. */
  List<RemovedRow> takeUntold() {
    List<RemovedRow> all = untold();
    untold.clear();
    return all;
  }

  /** Forgets the deletion of rows that exist again. */
  void takeBack(Set<Long> rowKeys) {
    untold.removeIf(row -> rowKeys.contains(plan.tables().get(row.table()).rowKey(row.key())));
  }

  /** Restores the result of {@link #untold}. */
  void restore(List<RemovedRow> rows) {
    untold.addAll(rows);
  }
}
