package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one table of a learner, without a network, and what its versions have of them. Other
 * tables are empty in its row files.
 */
public final class SimulatedRows {
  private final RowFile.Table table;
  private final List<RowFile.Table> tables;

  /** Rows by key. */
  private final Map<Long, float[]> rows = new TreeMap<>();

  /** Rows that have changed since the last version, null for deleted ones. */
  private final Map<Long, float @Nullable []> changed = new TreeMap<>();

  private long parent;
  private String parentDigest = "";

  public SimulatedRows(RowFile.Table table) {
    this(table, List.of(table));
  }

  /**
   * @param tables all tables of the model
   */
  public SimulatedRows(RowFile.Table table, List<RowFile.Table> tables) {
    this.table = table;
    this.tables = List.copyOf(tables);
  }

  /** Changes a row, or creates it. */
  public void train(long key, Random random) {
    float[] row = new float[table.weights()];
    for (int i = 0; i < row.length; i++) {
      row[i] = random.nextFloat();
    }
    rows.put(key, row);
    changed.put(key, row);
  }

  /** Deletes a row if there is one. */
  public void delete(long key) {
    if (rows.remove(key) != null) {
      changed.put(key, null);
    }
  }

  /** Copies what is durable. */
  public SimulatedRows copy() {
    SimulatedRows copy = new SimulatedRows(table, tables);
    copy.rows.putAll(rows);
    copy.changed.putAll(changed);
    copy.parent = parent;
    copy.parentDigest = parentDigest;
    return copy;
  }

  /** Returns the rows as texts, by key. */
  public Map<Long, String> texts() {
    Map<Long, String> texts = new TreeMap<>();
    rows.forEach((key, row) -> texts.put(key, Arrays.toString(row)));
    return texts;
  }

  /** Prepares the rows of the next version as a learner does. */
  public DraftRows prepare(PublishedRows place) throws IOException {
    try {
      return new RowPublication(place, 0)
          .prepare(parent, parentDigest, encoded(changed, RowFile.Kind.DELTA), false, null);
    } catch (FullRowsNeededException broken) {
      return DraftRows.full(0, encoded(rows, RowFile.Kind.FULL), null);
    }
  }

  private byte[] encoded(Map<Long, float @Nullable []> of, RowFile.Kind kind) throws IOException {
    SortedMap<Long, Long> ordered = new TreeMap<>(Long::compareUnsigned);
    of.keySet().forEach(key -> ordered.put(EmbeddingPlan.Table.rowKey(key, table.salt()), key));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RowFile.Writer writer = new RowFile.Writer(bytes, kind, tables.size());
    for (RowFile.Table each : tables) {
      writer.table(each);
      if (each.equals(table)) {
        write(of, ordered.values(), writer);
      }
      writer.end();
    }
    writer.flush();
    return bytes.toByteArray();
  }

  private static void write(
      Map<Long, float @Nullable []> of, Iterable<Long> keys, RowFile.Writer writer)
      throws IOException {
    for (long key : keys) {
      float[] row = of.get(key);
      if (row == null) {
        writer.deleted(key);
      } else {
        writer.row(key, row, 0);
      }
    }
  }

  /** Returns the digest of the last version; "" before the first. */
  public String parentDigest() {
    return parentDigest;
  }

  /** Records that the rows are published. */
  public void published(ModelCheckpoint version) {
    changed.clear();
    parent = version.manifest().version();
    parentDigest = version.digest();
  }
}
