package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A learner's tables that every partition uses. The learner's model also contains the weights of
 * these tables in a file, {@link SharedRows}, which is contributed and mixed with the model. This
 * class keeps tables and file equal: a training changes the rows, and then the file; a mixed
 * version changes the file, and then the rows. Confined to the operator's thread.
 */
public final class SharedTables {
  private final RowTables rows;
  private final RowRule rule;
  private final List<Integer> tables;
  private final LongSupplier wallMillis;

  /**
   * @param rows all tables of the learner
   * @param rule the rule for the initial weights of rows, which is the same for all learners
   * @param tables indexes of the tables that every partition uses, ascending
   * @param wallMillis the wall clock, in milliseconds since 1970
   */
  public SharedTables(RowTables rows, RowRule rule, List<Integer> tables, LongSupplier wallMillis) {
    this.rows = rows;
    this.rule = rule;
    this.tables = List.copyOf(tables);
    this.wallMillis = wallMillis;
  }

  private SharedRows of(@Nullable ModelArtifact model) {
    try {
      SharedRows known = model == null ? null : SharedRows.of(model.files());
      return known == null ? SharedRows.begin(rows.plan(), rule, tables) : known;
    } catch (IOException malformed) {
      throw new UncheckedIOException("the rows of the model cannot be read", malformed);
    }
  }

  /**
   * Returns a model with the rows that its training has changed.
   *
   * @param before the base model of the training; null if there was none
   * @param batch the rows of the training
   */
  ModelArtifact trained(ModelArtifact model, @Nullable ModelArtifact before, RowBatch batch) {
    SharedRows shared = of(before);
    shared.train(batch);
    SortedMap<String, byte[]> files = new TreeMap<>(model.files());
    files.put(SharedRows.FILE, shared.encode());
    return new ModelArtifact(files);
  }

  /**
   * Changes the rows as a mixed version has changed the model.
   *
   * @param before the previous model, whose rows are in the tables; null if the tables have their
   *     initial rows
   * @param now the model from which the learner continues
   */
  void adopted(@Nullable ModelArtifact before, ModelArtifact now) {
    SharedRows old = of(before);
    SharedRows next = of(now);
    for (SharedRows.Table table : next.tables()) {
      int first = next.from(table);
      int weights = table.weights();
      int[] changed =
          IntStream.range(0, table.keys())
              .filter(
                  key -> {
                    int at = first + key * weights;
                    return !Arrays.equals(
                        old.values(), at, at + weights, next.values(), at, at + weights);
                  })
              .toArray();
      long[] keys = Arrays.stream(changed).asLongStream().toArray();
      float[] values = new float[changed.length * weights];
      for (int i = 0; i < changed.length; i++) {
        System.arraycopy(next.values(), first + changed[i] * weights, values, i * weights, weights);
      }
      rows.replace(
          table.index(), keys, values, TimeUnit.MILLISECONDS.toSeconds(wallMillis.getAsLong()));
    }
  }
}
