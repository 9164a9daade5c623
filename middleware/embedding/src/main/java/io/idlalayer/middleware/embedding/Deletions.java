package io.idlalayer.middleware.embedding;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who must hear of deleted rows: the next version, and the training that runs with copies of them.
 * One thread.
 */
final class Deletions {
  /** Rows that no version has told yet, about; no more are deleted before one has. */
  private static final int MOST_UNTOLD = 50_000;

  private final EmbeddingPlan plan;

  /** Since the last training was committed. */
  private final List<RemovedRow> untold = new ArrayList<>();

  /** The rows that were gathered last for a training, until it is committed. */
  private @Nullable RowBatch inTraining;

  /** Keys of those of them that were deleted since. */
  private final Set<Long> meanwhile = new HashSet<>();

  Deletions(EmbeddingPlan plan) {
    this.plan = plan;
  }

  /** A training begins with copies of rows. */
  void trains(RowBatch gathered) {
    inTraining = gathered;
  }

  /** No training runs whose rows may be committed. */
  void trainsNothing() {
    inTraining = null;
    meanwhile.clear();
  }

  /** Whether what the training began with was deleted while it ran. */
  boolean meanwhile(int table, long key) {
    return !meanwhile.isEmpty() && meanwhile.contains(plan.tables().get(table).rowKey(key));
  }

  /**
   * A row was deleted, or the count of an id without one.
   *
   * @param kind which of them
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

  /** Whether rows must not be deleted before a version has told those that were. */
  boolean full() {
    return untold.size() >= MOST_UNTOLD;
  }

  /** Whether versions have told all rows that were deleted. */
  boolean allTold() {
    return untold.isEmpty();
  }

  /** Rows that were deleted since {@link #takeUntold} was called. */
  List<RemovedRow> untold() {
    return List.copyOf(untold);
  }

  /** The same, for a version that tells them. */
  List<RemovedRow> takeUntold() {
    List<RemovedRow> all = untold();
    untold.clear();
    return all;
  }

  /** Rows are what they were before some of them were deleted: nobody hears of it. */
  void takeBack(Set<Long> rowKeys) {
    untold.removeIf(row -> rowKeys.contains(plan.tables().get(row.table()).rowKey(row.key())));
  }

  /** Takes back what {@link #untold} said. */
  void restore(List<RemovedRow> rows) {
    untold.addAll(rows);
  }
}
