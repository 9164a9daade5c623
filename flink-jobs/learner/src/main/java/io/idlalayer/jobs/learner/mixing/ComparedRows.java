package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.Sample;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a learner's table in two mixed models. A mixed model contains the rows that the
 * learner had when it made the contribution in this model. The table remembers these rows, see
 * {@link RowTables#remember}; this class determines which rows are needed. Confined to one thread.
 *
 * <p>The row for ids without a row is the learner's own row, whereas a version has this row from
 * one of the partitions.
 */
public final class ComparedRows {
  /** Largest number of contributions whose rows are remembered. */
  static final int MOST = 8;

  private final @Nullable RowTables tables;

  /**
   * Digest of the learner's contribution in the model that was compared last; "" if there is none.
   */
  private String ofModel = "";

  /**
   * Digest of the learner's contribution in the baseline of the model that was compared last; "" if
   * there is none.
   */
  private String ofBaseline = "";

  /**
   * @param tables the table of the model; null if the model has no table
   */
  public ComparedRows(@Nullable RowTables tables) {
    this.tables = tables;
  }

  /**
   * The embedding vectors of some samples in two models.
   *
   * @param ofModel vectors in the model that is compared
   * @param ofBaseline vectors in the baseline
   */
  record Vectors(IdVectors ofModel, IdVectors ofBaseline) {}

  /**
   * Begins with the rows of another model.
   *
   * @param inModel digest of the learner's contribution that the model contains; "" if there is
   *     none
   * @param inBaseline digest of the learner's contribution that the baseline contains; "" if there
   *     is none
   */
  void begin(String inModel, String inBaseline) {
    ofModel = inModel;
    ofBaseline = inBaseline;
  }

  /** Returns whether the rows of both models are known. */
  boolean known() {
    RowTables all = tables;
    return all == null || (known(all, ofModel) && known(all, ofBaseline));
  }

  private static boolean known(RowTables all, String digest) {
    return digest.isEmpty() || update(all, digest) != null;
  }

  private static @Nullable Long update(RowTables all, String digest) {
    for (Map.Entry<Long, String> each : all.publishedUpdates().entrySet()) {
      if (each.getValue().equals(digest)) {
        return each.getKey();
      }
    }
    return null;
  }

  /**
   * Returns the vectors of the ids in some samples.
   *
   * @throws IllegalStateException if the rows of a model are not {@linkplain #known known}
   */
  Vectors of(List<Sample> samples) {
    RowTables all = tables;
    if (all == null) {
      return new Vectors(IdVectors.NONE, IdVectors.NONE);
    }
    RowBatch now = all.look(samples.stream().map(Sample::ids).toList());
    return new Vectors(rows(all, ofModel, now), rows(all, ofBaseline, now));
  }

  private static RowBatch rows(RowTables all, String digest, RowBatch now) {
    if (digest.isEmpty()) {
      return all.withoutRows(now);
    }
    Long update = update(all, digest);
    if (update == null) {
      throw new IllegalStateException("the rows of contribution " + digest + " are not known");
    }
    return all.asOf(update, now);
  }

  /**
   * Returns the updates whose rows are needed: the updates of the contribution in the baseline, of
   * the contribution in the last compared model, and of all later contributions, because the next
   * model can contain them. If there are too many, the result has the newest updates and the oldest
   * one, which can be that of the baseline.
   */
  Set<Long> needed() {
    RowTables all = tables;
    if (all == null) {
      return Set.of();
    }
    Long compared = update(all, ofModel);
    TreeSet<Long> needed = new TreeSet<>();
    for (Map.Entry<Long, String> each : all.publishedUpdates().entrySet()) {
      boolean later = compared == null || each.getKey() >= compared;
      if (later || each.getValue().equals(ofBaseline)) {
        needed.add(each.getKey());
      }
    }
    while (needed.size() > MOST) {
      needed.remove(needed.higher(needed.first()));
    }
    return needed;
  }
}
