package io.idlalayer.middleware.embedding.store;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * An embedding row, or the count of an id without a row, as stores keep it. Version 1,
 * little-endian:
 *
 * <pre>
 *  0        1      2        4         12             16          20      24
 *  +--------+------+--------+---------+--------------+-----------+-------+-------------------+
 *  |version |kind  |table u2|id key i8|occurrences i4|last use u4|steps i4|stride floats, if ROW|
 *  +--------+------+--------+---------+--------------+-----------+-------+-------------------+
 * </pre>
 *
 * @param table index of the table
 * @param key key of the id
 * @param lastUseSeconds last use in seconds since 1970, as unsigned number
 */
public record StoredRow(
    int table, RowKind kind, long key, int occurrences, int lastUseSeconds, int steps) {
  public static final int HEAD_BYTES = 24;
  private static final byte VERSION = 1;
  private static final int TABLE_AT = 2;
  private static final int KEY_AT = 4;
  private static final int OCCURRENCES_AT = 12;
  private static final int LAST_USE_AT = 16;
  private static final int STEPS_AT = 20;
  private static final VarHandle SHORTS = view(short[].class);
  private static final VarHandle INTS = view(int[].class);
  private static final VarHandle LONGS = view(long[].class);

  private static VarHandle view(Class<?> numbers) {
    return MethodHandles.byteArrayViewVarHandle(numbers, ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Encodes this head together with the row's floats.
   *
   * @param values holds the row's floats from {@code at} on
   */
  public byte[] encode(float[] values, int at, int stride) {
    int floats = kind == RowKind.ROW ? stride : 0;
    byte[] row = new byte[HEAD_BYTES + Float.BYTES * floats];
    row[1] = kind.code();
    head(row, 0, table, key);
    use(row, 0, occurrences, lastUseSeconds, steps);
    floats(row, 0, values, at, floats);
    return row;
  }

  /** Returns the number of bytes of a stored row with this many floats. */
  public static int bytes(int stride) {
    return HEAD_BYTES + Float.BYTES * stride;
  }

  /** Writes the part of a row's head that never changes into an array; creates no object. */
  public static void row(byte[] into, int to, int table, long key) {
    into[to + 1] = RowKind.ROW.code();
    head(into, to, table, key);
  }

  private static void head(byte[] into, int to, int table, long key) {
    into[to] = VERSION;
    SHORTS.set(into, to + TABLE_AT, (short) table);
    LONGS.set(into, to + KEY_AT, key);
  }

  /** Writes the part of a row's head that says how the row was used into an array. */
  public static void use(byte[] into, int to, int occurrences, int lastUseSeconds, int steps) {
    INTS.set(into, to + OCCURRENCES_AT, occurrences);
    INTS.set(into, to + LAST_USE_AT, lastUseSeconds);
    INTS.set(into, to + STEPS_AT, steps);
  }

  /** Writes the floats of a row into an array of bytes. */
  public static void floats(byte[] into, int to, float[] values, int from, int count) {
    int at = to + HEAD_BYTES;
    for (int i = 0; i < count; i++) {
      INTS.set(into, at + Float.BYTES * i, Float.floatToRawIntBits(values[from + i]));
    }
  }

  /**
   * Decodes the head of a row: all but the floats.
   *
   * @throws RowStoreException if it is not a row of this format and plan
   */
  public static StoredRow head(byte[] row, EmbeddingPlan plan) {
    ByteBuffer in = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN);
    if (row.length < HEAD_BYTES || in.get() != VERSION) {
      throw new RowStoreException(
          String.format(
              Locale.ROOT, "a stored row of %d bytes is not in format %d", row.length, VERSION));
    }
    RowKind kind = RowKind.of(in.get());
    int table = in.getShort() & 0xFFFF;
    if (table >= plan.tables().size()) {
      throw new RowStoreException(
          String.format(
              Locale.ROOT,
              "a stored row belongs to table %d, but there are %d tables",
              table,
              plan.tables().size()));
    }
    StoredRow head =
        new StoredRow(table, kind, in.getLong(), in.getInt(), in.getInt(), in.getInt());
    int stride = plan.tables().get(table).layout().stride();
    int floats = head.kind() == RowKind.ROW ? stride : 0;
    if (row.length != HEAD_BYTES + Float.BYTES * floats) {
      throw new RowStoreException(
          String.format(
              Locale.ROOT,
              "a stored row of table '%s' has %d bytes instead of %d",
              plan.tables().get(table).name(),
              row.length,
              HEAD_BYTES + Float.BYTES * floats));
    }
    return head;
  }

  /** Decodes the first floats of a row, which must have them. */
  public static void floats(byte[] row, float[] into, int to, int count) {
    ByteBuffer in =
        ByteBuffer.wrap(row, HEAD_BYTES, row.length - HEAD_BYTES)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    in.asFloatBuffer().get(into, to, count);
  }

  /** Returns the L2 norm of the first floats of an encoded row. */
  public static double norm(byte[] row, int count) {
    float[] values = new float[count];
    floats(row, values, 0, count);
    return norm(values, 0, count);
  }

  /** Returns the L2 norm of some floats, computed so that their squares do not overflow. */
  public static double norm(float[] values, int from, int count) {
    double squares = 0;
    for (int i = from; i < from + count; i++) {
      squares += (double) values[i] * values[i];
    }
    return Math.sqrt(squares);
  }

  /** Changes the time of the last use in an encoded row. */
  public static void lastUse(byte[] row, int seconds) {
    ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN).putInt(LAST_USE_AT, seconds);
  }
}
