package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.middleware.embedding.table.RowTables;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The earlier rows of a learner's tables, which belong to versions that the release gate compares
 * and to which it can return. A learner without tables knows the rows of every version, because
 * there are none. Confined to one thread.
 */
public final class VersionRows {
  private final @Nullable RowTables tables;
  private final boolean remembers;
  private final Supplier<Set<Long>> others;

  /**
   * @param tables rows of the tables; null if the model has none
   * @param remembers whether versions are compared, so that earlier rows must be kept
   * @param others updates whose rows are needed for comparisons outside of the release
   */
  public VersionRows(@Nullable RowTables tables, boolean remembers, Supplier<Set<Long>> others) {
    this.tables = tables;
    this.remembers = remembers;
    this.others = others;
  }

  boolean any() {
    return tables != null;
  }

  /**
   * Starts with the rows of the model that was restored from state. Earlier rows are dropped if
   * versions are not compared.
   */
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

  /** Records that the tables now contain the rows of an update's model. */
  public void accepted(long update) {
    if (tables != null && remembers) {
      tables.remember(update);
    }
  }

  /** Records under which digest the model of an update was published. */
  void published(long update, String digest) {
    if (tables != null) {
      tables.published(update, digest);
    }
  }

  /**
   * Forgets the earlier rows of all updates, except the given updates and the updates that other
   * comparisons need. The model of no other update is needed any more.
   */
  void keepOnly(Set<Long> updates) {
    if (tables != null && remembers) {
      Set<Long> all = new HashSet<>(updates);
      all.addAll(others.get());
      tables.rememberOnly(all);
    }
  }

  /** Returns whether the rows that an update left in the tables are known. */
  boolean known(long update) {
    return tables == null || tables.remembers(update);
  }

  /** Returns whether the rows with which a version was published are known. */
  boolean known(ServedVersion version) {
    // Another lineage can have updates with the same numbers.
    return tables == null || tables.remembers(version.update(), version.digest());
  }

  /** Restores the rows that an update left in the tables. */
  void goBack(long update) {
    if (tables != null) {
      tables.goBack(update);
    }
  }
}
