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
 * Records which embedding rows were deleted, for the next published version and for the training
 * that runs with copies of them. One thread.
 */
final class Deletions {
  /**
   * Approximate number of deleted rows above which no more are deleted until a published version
   * contains the deletions.
   */
  private static final int MOST_UNTOLD = 50_000;

  private final EmbeddingPlan plan;

  /** Deleted rows whose deletion no published version contains yet. */
  private final List<RemovedRow> untold = new ArrayList<>();

  /**
   * Copies of the rows for the running training, until it is committed; null if none may be
   * committed.
   */
  private @Nullable RowBatch inTraining;

  /** Row keys of copied rows that were deleted since the training began. */
  private final Set<Long> meanwhile = new HashSet<>();

  Deletions(EmbeddingPlan plan) {
    this.plan = plan;
  }

  /** Notifies that a training begins with copies of rows. */
  void trains(RowBatch gathered) {
    inTraining = gathered;
  }

  /** Notifies that no running training may be committed any more. */
  void trainsNothing() {
    inTraining = null;
    meanwhile.clear();
  }

  /**
   * Returns whether a row that the running training has copied was deleted since that training
   * began.
   */
  boolean meanwhile(int table, long key) {
    return !meanwhile.isEmpty() && meanwhile.contains(plan.tables().get(table).rowKey(key));
  }

  /**
   * Records that the row of an id, or the count of an id without a row, was deleted.
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

  /**
   * Returns whether no row may be deleted until a published version contains the earlier deletions.
   */
  boolean full() {
    return untold.size() >= MOST_UNTOLD;
  }

  /** Returns whether published versions contain all deletions. */
  boolean allTold() {
    return untold.isEmpty();
  }

  /** Returns the rows that were deleted since the last call of {@link #takeUntold}. */
  List<RemovedRow> untold() {
    return List.copyOf(untold);
  }

  /** Returns {@link #untold} for the next published version, and forgets these rows. */
  List<RemovedRow> takeUntold() {
    List<RemovedRow> all = untold();
    untold.clear();
    return all;
  }

  /** Forgets that rows were deleted, because they exist again. */
  void takeBack(Set<Long> rowKeys) {
    untold.removeIf(row -> rowKeys.contains(plan.tables().get(row.table()).rowKey(row.key())));
  }

  /** Restores deleted rows that {@link #untold} returned before a restart. */
  void restore(List<RemovedRow> rows) {
    untold.addAll(rows);
  }
}
