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
 * The rows of a learner's table as two mixed models have them: each has the rows that the learner
 * had when it made the contribution that the model contains. The table remembers them, see {@link
 * RowTables#remember}; this class says which ones are needed. Confined to one thread.
 *
 * <p>The row for ids without a row is the learner's own, while versions have that of one partition.
 */
public final class ComparedRows {
  /** Most contributions whose rows are remembered. */
  static final int MOST = 8;

  private final @Nullable RowTables tables;

  /** Digest of the learner's contribution in the model that was compared last; "" for none. */
  private String ofModel = "";

  /** Digest of the learner's contribution in the baseline of that model; "" for none. */
  private String ofBaseline = "";

  /**
   * @param tables the table of the model; null if it has none
   */
  public ComparedRows(@Nullable RowTables tables) {
    this.tables = tables;
  }

  /**
   * The embedding vectors of some samples, as two models have them.
   *
   * @param ofModel vectors of the model that is compared
   * @param ofBaseline vectors of its baseline
   */
  record Vectors(IdVectors ofModel, IdVectors ofBaseline) {}

  /**
   * Begins with the rows of another model.
   *
   * @param inModel digest of the learner's contribution that the model contains; "" for none
   * @param inBaseline digest of the one that its baseline contains; "" for none
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
   * Returns the updates whose rows are needed: those of the baseline's contribution, of the one in
   * the last compared model, and of all that were made later, because the next model may contain
   * them. If there are too many, the newest ones, beside the oldest, which may be the baseline's.
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
