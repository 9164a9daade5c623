package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.middleware.embedding.table.RowTables;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a learner's tables as they were with the versions that the release gate compares and
 * may go back to. A learner without tables knows the rows of every version, as there are none.
 * Confined to one thread.
 */
public final class VersionRows {
  private final @Nullable RowTables tables;
  private final boolean remembers;

  /**
   * @param tables null if the model has none
   * @param remembers whether versions are compared, so that it must be known what rows were
   */
  public VersionRows(@Nullable RowTables tables, boolean remembers) {
    this.tables = tables;
    this.remembers = remembers;
  }

  boolean any() {
    return tables != null;
  }

  /** The rows are those of the restored model; what they were is of no use without the gate. */
  void begin(@Nullable AcceptedModel model) {
    RowTables all = tables;
    if (all == null) {
      return;
    }
    if (!remembers) {
      all.rememberNothing();
    } else if (model != null) {
      all.remember(model.update().number());
      if (model.published()) {
        all.published(model.update().number(), model.lineage().digest());
      }
    }
  }

  /** The rows are those after an update. */
  public void accepted(long update) {
    if (tables != null && remembers) {
      tables.remember(update);
    }
  }

  /** The model of an update is published as the version with a digest. */
  void published(long update, String digest) {
    if (tables != null) {
      tables.published(update, digest);
    }
  }

  /** Forgets the earlier rows of all other updates, whose models are not needed any more. */
  void keepOnly(Set<Long> updates) {
    if (tables != null && remembers) {
      tables.rememberOnly(updates);
    }
  }

  /** Whether it is known what rows were after an update. */
  boolean known(long update) {
    return tables == null || tables.remembers(update);
  }

  /** Whether the rows that a version was published with are known. */
  boolean known(ServedVersion version) {
    // Another lineage has updates with the same numbers.
    return tables == null || tables.remembers(version.update(), version.digest());
  }

  /** The rows are again what they were after an update. */
  void goBack(long update) {
    if (tables != null) {
      tables.goBack(update);
    }
  }
}
