package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.release.VersionRows;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.table.RowChanges;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies the rows of a learner's tables for a training, and writes the trained rows into the tables
 * when the model is accepted. Does nothing for a model without tables. Called by the operator's
 * thread.
 */
public final class TrainedRows {
  private static final byte[] NO_BYTES = {};

  /**
   * Largest size in bytes of the rows changed since the last published version, which are kept in
   * state.
   */
  private static final int MOST_CHANGES_BYTES = 256 << 20;

  /** Largest share of the heap for the rows of one update. */
  private static final int HEAP_SHARE = 8;

  private static final long MOST_ROW_BYTES =
      Math.min(1L << 30, Runtime.getRuntime().maxMemory() / HEAP_SHARE);

  private final @Nullable RowTables tables;
  private final List<IdFeature> features;
  private final VersionRows versions;

  /**
   * @param tables rows of the tables; null if the model has none
   * @param features features that use the tables
   */
  public TrainedRows(@Nullable RowTables tables, List<IdFeature> features, VersionRows versions) {
    this.tables = tables;
    this.features = features;
    this.versions = versions;
  }

  /** Returns whether the model has tables. */
  boolean any() {
    return tables != null;
  }

  /**
   * Returns how many new samples can train at once so that their rows do not exceed their share of
   * the heap.
   */
  int mostSamples() {
    RowTables all = tables;
    if (all == null) {
      return Integer.MAX_VALUE;
    }
    EmbeddingPlan plan = all.plan();
    long bytesOfSample = 0;
    for (int f = 0; f < features.size(); f++) {
      int table = plan.features().get(f).table();
      bytesOfSample +=
          features.get(f).mostIds() * RowBatch.bytesOfRow(plan.tables().get(table).layout());
    }
    return (int) Math.min(Integer.MAX_VALUE, MOST_ROW_BYTES / bytesOfSample);
  }

  /** Returns copies of the rows that a batch uses; null without tables. */
  @Nullable RowBatch copy(TrainingBatch batch) {
    RowTables all = tables;
    if (all == null) {
      return null;
    }
    List<IdLists> fresh = new ArrayList<>();
    List<IdLists> replayed = new ArrayList<>();
    for (TrainingRow row : batch.rows()) {
      (row.fresh() ? fresh : replayed).add(row.sample().ids());
    }
    return all.gatherToTrain(fresh, replayed);
  }

  /**
   * Writes the trained rows of an accepted model into the tables.
   *
   * @param before the previous accepted model; null if there is none
   * @return row changes since the last published version, which must be published
   */
  byte[] commit(
      long update, TrainingResult result, @Nullable AcceptedModel before, long wallSeconds) {
    RowTables all = tables;
    if (all == null) {
      return NO_BYTES;
    }
    RowBatch trained = result.rows();
    if (trained == null) {
      throw new IllegalStateException("a training of a model with tables has returned no rows");
    }
    all.commit(trained, wallSeconds);
    byte[] changes = RowChanges.of(trained, all.takeRemoved());
    versions.accepted(update);
    if (before == null || before.published()) {
      return bounded(changes);
    }
    boolean known = before.rowChanges().length > 0;
    return known ? bounded(RowChanges.merged(before.rowChanges(), changes)) : NO_BYTES;
  }

  /**
   * Returns the changes; if they are too large, no bytes, so that the next version gets all rows.
   */
  private static byte[] bounded(byte[] changes) {
    return changes.length > MOST_CHANGES_BYTES ? NO_BYTES : changes;
  }
}
