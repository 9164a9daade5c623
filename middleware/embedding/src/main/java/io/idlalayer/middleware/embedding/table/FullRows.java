package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Writes all embedding rows of a store as a full {@link RowFile}. In the store, the rows of all
 * tables are mixed. So each scan handles up to {@value #TABLES_AT_ONCE} tables, and writes the rows
 * of each to a file of its own. The limit keeps the number of open files and the size of the
 * buffers small.
 */
final class FullRows {
  /** Number of tables whose rows are written by one scan of the store. */
  static final int TABLES_AT_ONCE = 128;

  private final EmbeddingPlan plan;
  private final RowStore store;

  FullRows(EmbeddingPlan plan, RowStore store) {
    this.plan = plan;
    this.store = store;
  }

  /**
   * Writes all rows of the store to a file.
   *
   * @param directory existing folder for one temporary file for each table; they are deleted again
   * @param to the file, which must not exist
   * @return number of rows
   * @throws IOException if the disk fails; no file is left then
   * @throws RowStoreException if the store fails, or its rows are not in order
   */
  long write(Path directory, Path to) throws IOException {
    List<Path> parts = new ArrayList<>();
    boolean done = false;
    try {
      long rows = 0;
      int tables = plan.tables().size();
      for (int from = 0; from < tables; from += TABLES_AT_ONCE) {
        rows += scan(from, Math.min(tables, from + TABLES_AT_ONCE), directory, parts);
      }
      try (OutputStream out = Files.newOutputStream(to, StandardOpenOption.CREATE_NEW)) {
        RowFile.Writer writer = new RowFile.Writer(out, RowFile.Kind.FULL, parts.size());
        for (Path part : parts) {
          try (InputStream in = Files.newInputStream(part)) {
            append(new RowFile.Reader(in), writer);
          }
        }
        writer.flush();
      }
      done = true;
      return rows;
    } finally {
      for (Path part : parts) {
        Files.deleteIfExists(part);
      }
      if (!done) {
        Files.deleteIfExists(to);
      }
    }
  }

  /**
   * Scans the store and writes the rows of some tables, each to a file of its own.
   *
   * @param parts receives the files
   * @return number of rows
   */
  private long scan(int fromTable, int toTable, Path directory, List<Path> parts)
      throws IOException {
    List<RowFile.Writer> writers = new ArrayList<>();
    List<OutputStream> open = new ArrayList<>();
    long rows = 0;
    try {
      for (EmbeddingPlan.Table table : plan.tables().subList(fromTable, toTable)) {
        Path part = Files.createTempFile(directory, "rows-", ".part");
        parts.add(part);
        OutputStream out = Files.newOutputStream(part);
        open.add(out);
        RowFile.Writer writer = new RowFile.Writer(out, RowFile.Kind.FULL, 1);
        writer.table(RowFile.Table.of(table));
        writers.add(writer);
      }
      float[] values = new float[widestStride()];
      for (Iterator<Map.Entry<Long, byte[]>> all = store.rows(); all.hasNext(); ) {
        byte[] row = all.next().getValue();
        StoredRow head = StoredRow.head(row, plan);
        int table = head.table();
        if (head.kind() == RowKind.ROW && table >= fromTable && table < toTable) {
          StoredRow.floats(row, values, 0, plan.tables().get(table).layout().weights());
          writers.get(table - fromTable).row(head.key(), values, 0);
          rows++;
        }
      }
      for (RowFile.Writer writer : writers) {
        writer.end();
        writer.flush();
      }
    } finally {
      for (OutputStream out : open) {
        out.close();
      }
    }
    return rows;
  }

  private int widestStride() {
    return plan.tables().stream().mapToInt(table -> table.layout().stride()).max().orElse(0);
  }

  /** Copies a table to the file; reading it checks that the store returned its rows in order. */
  private static void append(RowFile.Reader part, RowFile.Writer to) throws IOException {
    to.table(part.nextTable());
    while (part.next()) {
      float[] values = part.values();
      if (values != null) {
        to.row(part.key(), values, 0);
      }
    }
    to.end();
    part.checkEnd();
  }
}
