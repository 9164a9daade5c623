package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes the changes of an update to embedding rows as the bytes of a {@link RowFile}: the rows
 * that differ from those of the version before, and the ids of deleted rows.
 */
public final class RowChanges {
  private RowChanges() {}

  /** Encodes the rows that a training has changed, and the rows that were deleted before it. */
  public static byte[] of(RowBatch trained, List<RemovedRow> removed) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      List<EmbeddingPlan.Table> tables = trained.plan().tables();
      RowFile.Writer writer = new RowFile.Writer(bytes, RowFile.Kind.DELTA, tables.size());
      for (int table = 0; table < tables.size(); table++) {
        RowFile.Table head = RowFile.Table.of(tables.get(table));
        writer.table(head);
        write(writer, trained.rows(table), head, deleted(table, removed));
        writer.end();
      }
      writer.flush();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static List<Long> deleted(int table, List<RemovedRow> removed) {
    return removed.stream().filter(each -> each.table() == table).map(RemovedRow::key).toList();
  }

  private static void write(
      RowFile.Writer writer, RowSet set, RowFile.Table table, List<Long> deleted)
      throws IOException {
    long salt = table.salt();
    TreeMap<Long, Integer> positions = new TreeMap<>(Long::compareUnsigned);
    Map<Long, Long> deletedKeys = new HashMap<>();
    for (long key : deleted) {
      long rowKey = EmbeddingPlan.Table.rowKey(key, salt);
      positions.put(rowKey, -1);
      deletedKeys.put(rowKey, key);
    }
    for (int position = 0; position < set.size(); position++) {
      if (set.changed(position)) {
        positions.put(EmbeddingPlan.Table.rowKey(set.key(position), salt), position);
      }
    }
    for (var each : positions.entrySet()) {
      int position = each.getValue();
      if (position < 0) {
        writer.deleted(deletedKeys.getOrDefault(each.getKey(), 0L));
      } else {
        writer.row(set.key(position), set.values(), set.at(position));
      }
    }
  }

  /**
   * Makes a full row file of changes that hold all existing rows, by leaving out the deletions.
   *
   * @throws RowStoreException if they are damaged
   */
  public static byte[] full(byte[] changes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(changes.length);
    try {
      RowFile.Reader from = new RowFile.Reader(new ByteArrayInputStream(changes));
      RowFile.Writer writer = new RowFile.Writer(bytes, RowFile.Kind.FULL, from.tables());
      RowFile.merge(List.of(from), writer, true);
      writer.flush();
    } catch (IOException damaged) {
      throw new RowStoreException("the changes of an update cannot be read", damaged);
    }
    return bytes.toByteArray();
  }

  /**
   * Returns the number of entries in encoded changes: rows and deletions.
   *
   * @throws RowStoreException if they are damaged
   */
  public static long entries(byte[] changes) {
    long count = 0;
    try {
      RowFile.Reader reader = new RowFile.Reader(new ByteArrayInputStream(changes));
      for (int table = 0; table < reader.tables(); table++) {
        reader.nextTable();
        while (reader.next()) {
          count++;
        }
      }
      reader.checkEnd();
    } catch (IOException damaged) {
      throw new RowStoreException("the changes of an update cannot be read", damaged);
    }
    return count;
  }

  /** Merges the changes of two successive updates. */
  public static byte[] merged(byte[] older, byte[] newer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(older.length + newer.length);
    try {
      RowFile.merge(
          List.of(
              new RowFile.Reader(new ByteArrayInputStream(newer)),
              new RowFile.Reader(new ByteArrayInputStream(older))),
          bytes);
    } catch (IOException damaged) {
      throw new RowStoreException("the changes of two updates cannot be merged", damaged);
    }
    return bytes.toByteArray();
  }
}
