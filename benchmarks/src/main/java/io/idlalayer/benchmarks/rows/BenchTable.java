package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The one table that all contenders look up: ids from 0 on, rows that follow from them.
 *
 * @param rows number of ids
 * @param dim floats of a row
 */
record BenchTable(int rows, int dim) {
  /** The keys of the ids 0 and 1 are taken. */
  private static final int FIRST_KEY = 2;

  private static final int HEAD_BYTES = 24;
  private static final int WRITTEN_AT_ONCE = 5_000;
  private static final int SORTED_BITS = 16;
  private static final int FLOATS_MOST = 1 << 10;
  private static final int FLOAT_SHIFT = 40;
  private static final float FLOAT_UNIT = 0x1p-27f;

  /** How rows learn, for all contenders. */
  static final RowRule RULE = new RowRule(0.01, 0.1, 1);

  /** What a row takes at least: key, count, time and steps, floats. */
  int payloadBytes() {
    return Long.BYTES + 3 * Integer.BYTES + Float.BYTES * dim;
  }

  /** One feature, whose ids' rows are added up. */
  EmbeddingPlan plan() {
    RowLayout layout = new RowLayout(dim, RowUpdater.SGD);
    return new EmbeddingPlan(
        List.of(new EmbeddingPlan.Table("rows", dim, layout, RowIndex.OPEN)),
        List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
        dim,
        dim);
  }

  static long key(int id) {
    return (long) id + FIRST_KEY;
  }

  /** A float of a row, before it has learnt: small, and as hard to compress as a learnt one. */
  static float value(long key, int column) {
    return (BitMixer.murmur(key * FLOATS_MOST + column) >> FLOAT_SHIFT) * FLOAT_UNIT;
  }

  /** A row as {@code StoredRow} writes it. */
  byte[] row(long key, int occurrences) {
    ByteBuffer out =
        ByteBuffer.allocate(HEAD_BYTES + Float.BYTES * dim).order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) 1).put((byte) 2).putShort((short) 0).putLong(key);
    out.putInt(occurrences).putInt(0).putInt(1);
    for (int k = 0; k < dim; k++) {
      out.putFloat(value(key, k));
    }
    return out.array();
  }

  /** The floats of such a row. */
  float[] floats(byte[] row) {
    float[] values = new float[dim];
    ByteBuffer.wrap(row, HEAD_BYTES, row.length - HEAD_BYTES)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(values);
    return values;
  }

  /** Such a row with other floats. */
  byte[] row(long key, float[] values) {
    byte[] row = row(key, 1);
    ByteBuffer.wrap(row, HEAD_BYTES, row.length - HEAD_BYTES)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .put(values);
    return row;
  }

  /** Writes all rows, in the order of the store, so that none of its files overlap. */
  void fill(Consumer<Map<Long, byte[]>> store) {
    EmbeddingPlan.Table table = plan().tables().get(0);
    Map<Long, byte[]> ascending = new TreeMap<>(Long::compareUnsigned);
    ascending.put(table.rowKey(IdLists.UNKNOWN), row(IdLists.UNKNOWN, 1));
    for (int id : byUpperBits(table)) {
      ascending.put(table.rowKey(key(id)), row(key(id), 1));
      if (ascending.size() == WRITTEN_AT_ONCE) {
        store.accept(ascending);
        ascending.clear();
      }
    }
    store.accept(ascending);
  }

  /** All ids, by the upper bits of their row keys. */
  private int[] byUpperBits(EmbeddingPlan.Table table) {
    int[] from = new int[(1 << SORTED_BITS) + 1];
    for (int id = 0; id < rows; id++) {
      from[upperBits(table, id) + 1]++;
    }
    Arrays.parallelPrefix(from, Integer::sum);
    int[] ids = new int[rows];
    for (int id = 0; id < rows; id++) {
      ids[from[upperBits(table, id)]++] = id;
    }
    return ids;
  }

  private static int upperBits(EmbeddingPlan.Table table, int id) {
    return (int) (table.rowKey(key(id)) >>> (Long.SIZE - SORTED_BITS));
  }
}
