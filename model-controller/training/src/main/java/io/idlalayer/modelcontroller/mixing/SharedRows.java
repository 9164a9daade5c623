package io.idlalayer.modelcontroller.mixing;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The weights of all rows of the tables that every partition uses, if the partitions learn one
 * model. The weights are mixed like parameters, but row by row: a learner's share is its share of
 * the row's uses. The tables are of fixed size, so that the number of weights is known beforehand.
 *
 * <p>A learner's model and the mixed model each have a file with these weights. Version 1,
 * big-endian:
 *
 * <pre>
 *   "IDSR", u8 version, u16 tables
 *   for each table: index in the model u16, name (modified UTF-8 with u16 length), i32 keys, i32 weights
 *   floats: the weights of all rows, one table after the other, in the order of keys
 *   i32 for each row: its mark
 * </pre>
 *
 * @param tables the tables, in the order of the model
 * @param values weights of all rows; the array is not copied, and only {@link #train} changes it
 * @param marks one mark for each row, 0 or more; the array is not copied, and only {@link #train}
 *     changes it. In a learner's model, a mark is the number of uses of the row since the mixed
 *     version that the learner adopted last. In the mixed model, a mark is the last round that has
 *     changed the row; 0 if no learner has used the row yet.
 */
public record SharedRows(List<Table> tables, float[] values, int[] marks) {
  /** Name of the file. */
  public static final String FILE = "shared-rows.bin";

  private static final int MAGIC = 0x49445352;
  private static final int VERSION = 1;

  /**
   * A table of fixed size.
   *
   * @param index index of the table in the model
   * @param keys number of rows; the keys of the table are the numbers from 0 to {@code keys - 1}
   * @param weights number of weights of a row
   */
  public record Table(int index, String name, int keys, int weights) {
    /** Returns the shared part of a table of fixed size. */
    static Table of(EmbeddingPlan plan, int index) {
      EmbeddingPlan.Table table = plan.tables().get(index);
      if (!table.index().fixed()) {
        throw new IllegalArgumentException(
            "table '%s' is not of fixed size".formatted(table.name()));
      }
      return new Table(
          index, table.name(), table.index().rows() + RowIndex.OWN_ROWS, table.layout().weights());
    }

    long floats() {
      return (long) keys * weights;
    }
  }

  public SharedRows {
    tables = List.copyOf(tables);
  }

  /**
   * Returns the shared parts of tables.
   *
   * @param tables indexes of the tables, ascending, which are of fixed size
   */
  public static List<Table> tables(EmbeddingPlan plan, List<Integer> tables) {
    return tables.stream().map(index -> Table.of(plan, index)).toList();
  }

  /**
   * Returns the rows of a new model, each with its initial weights. No row is used yet.
   *
   * @param tables indexes of the tables, ascending, which are of fixed size
   */
  public static SharedRows begin(EmbeddingPlan plan, RowRule rule, List<Integer> tables) {
    List<Table> shared = tables(plan, tables);
    long floats = shared.stream().mapToLong(Table::floats).sum();
    int rows = shared.stream().mapToInt(Table::keys).sum();
    SharedRows begun = new SharedRows(shared, new float[Math.toIntExact(floats)], new int[rows]);
    begun.forEach(
        (table, key, row, at) -> {
          // The row of unknown ids begins with zeros.
          if (key != IdLists.UNKNOWN) {
            EmbeddingPlan.Table of = plan.tables().get(table.index());
            rule.begin(of, key, begun.values, at, table.weights());
          }
        });
    return begun;
  }

  /** Returns the rows that a model shares; null if it shares none. */
  public static @Nullable SharedRows of(SortedMap<String, byte[]> files)
      throws MalformedModelException {
    byte[] file = files.get(FILE);
    return file == null ? null : decode(file);
  }

  /** Visits rows. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param row number of the row among the rows of all tables
     * @param at index of its first weight
     */
    void row(Table table, int key, int row, int at);
  }

  /** Visits all rows, table by table, in the order of keys. */
  public void forEach(Visitor visitor) {
    int row = 0;
    int at = 0;
    for (Table table : tables) {
      for (int key = 0; key < table.keys(); key++) {
        visitor.row(table, key, row, at);
        row++;
        at += table.weights();
      }
    }
  }

  /**
   * Stores the rows that a training has changed or created. The learner calls this after it has
   * accepted the training. Each occurrence of a row in the new samples of the training counts as
   * one use of the row. A row that only replayed samples have changed counts one use.
   */
  public void train(RowBatch batch) {
    int firstRow = 0;
    int first = 0;
    for (Table table : tables) {
      RowSet set = batch.rows(table.index());
      for (int position = 0; position < set.size(); position++) {
        if (!set.changed(position)) {
          continue;
        }
        int key = (int) set.key(position);
        int to = first + key * table.weights();
        int from = set.at(position);
        boolean used =
            set.begun(position)
                || !Arrays.equals(
                    values, to, to + table.weights(), set.values(), from, from + table.weights());
        if (used) {
          System.arraycopy(set.values(), from, values, to, table.weights());
          marks[firstRow + key] = added(marks[firstRow + key], Math.max(1, set.fresh(position)));
        }
      }
      firstRow += table.keys();
      first += Math.toIntExact(table.floats());
    }
  }

  private static int added(int uses, int more) {
    return (int) Math.min(Integer.MAX_VALUE, (long) uses + more);
  }

  /**
   * A learner's share in a round.
   *
   * @param to weights of the learner's contribution
   * @param from weights from which the learner's progress is computed; the array can have other
   *     numbers before them
   * @param fromAt index in {@code from} of the first weight
   * @param uses how often the learner used each row for this progress
   * @param scale factor of the progress, 1 unless the progress is shortened
   */
  record Part(float[] to, float[] from, int fromAt, int[] uses, double scale) {}

  /**
   * Returns these rows after a round. The progress of each learner is added to each row, multiplied
   * by the learner's share of all uses of the row in this round. A row that only one learner has
   * used gets the whole progress of that learner. Sums have 64 bits and are in the order of the
   * learners.
   *
   * @param parts the learners' shares, in the order of partitions
   */
  SharedRows mixed(List<Part> parts, int round) {
    float[] weights = values.clone();
    int[] rounds = marks.clone();
    forEach(
        (table, key, row, at) -> {
          long all = 0;
          for (Part part : parts) {
            all += part.uses()[row];
          }
          if (all == 0) {
            return;
          }
          for (int i = at; i < at + table.weights(); i++) {
            double sum = values[i];
            for (Part part : parts) {
              double step = (double) part.to()[i] - part.from()[part.fromAt() + i];
              sum += part.scale() * part.uses()[row] / all * step;
            }
            weights[i] = (float) sum;
          }
          rounds[row] = round;
        });
    return new SharedRows(tables, weights, rounds);
  }

  /**
   * Returns these rows of a learner as the rows of the first mixed model, which is the learner's
   * model.
   */
  SharedRows first(int round) {
    return new SharedRows(
        tables, values, Arrays.stream(marks).map(uses -> uses > 0 ? round : 0).toArray());
  }

  /** Returns mixed rows as the rows of a learner that has learned nothing since it adopted them. */
  SharedRows unused() {
    return new SharedRows(tables, values, new int[marks.length]);
  }

  /**
   * Returns the rows of a learner after mixed rows have replaced the rows that the learner had
   * contributed. Everything that the learner has learned since its contribution stays.
   *
   * @param contributed the learner's weights at its contribution; the array can have other numbers
   *     before them
   * @param contributedAt index in {@code contributed} of the first weight
   * @param uses how often the learner had used each row at its contribution
   */
  SharedRows adopting(SharedRows mixed, float[] contributed, int contributedAt, int[] uses) {
    float[] weights = new float[values.length];
    for (int i = 0; i < weights.length; i++) {
      float before = contributed[contributedAt + i];
      weights[i] = ParameterMix.adopted(values[i], before, mixed.values[i]);
    }
    return new SharedRows(tables, weights, usesSince(uses));
  }

  /** Returns, for each row, the number of uses minus the number of uses in {@code before}. */
  public int[] usesSince(int[] before) {
    int[] since = marks.clone();
    for (int row = 0; row < before.length; row++) {
      since[row] = Math.max(0, since[row] - before[row]);
    }
    return since;
  }

  /** Returns the keys of the rows of a table whose row numbers satisfy a condition. */
  public int[] keys(Table table, IntPredicate rows) {
    int from = before(table, Table::keys);
    return IntStream.range(0, table.keys()).filter(key -> rows.test(from + key)).toArray();
  }

  /** Returns the index of the first weight of a table. */
  public int from(Table table) {
    return before(table, each -> Math.toIntExact(each.floats()));
  }

  /** Returns the sum of {@code length} over all tables before a table. */
  private int before(Table table, ToIntFunction<Table> length) {
    int sum = 0;
    for (Table each : tables) {
      if (each.equals(table)) {
        return sum;
      }
      sum += length.applyAsInt(each);
    }
    throw new IllegalArgumentException("%s is not shared".formatted(table));
  }

  /**
   * Refuses rows if their tables are not the tables that are mixed.
   *
   * @param tables the tables that are mixed; empty if there are none
   * @param rows rows of a model; null if the model shares none
   * @throws MalformedModelException if the tables differ
   */
  public static void requireTables(List<Table> tables, @Nullable SharedRows rows)
      throws MalformedModelException {
    if (!tables.equals(rows == null ? List.of() : rows.tables)) {
      throw new MalformedModelException(
          "rows of %s are not mixed with rows of %s"
              .formatted(
                  rows == null ? "no table" : rows.tables, tables.isEmpty() ? "no table" : tables));
    }
  }

  /** Returns the content of the file. */
  public byte[] encode() {
    byte[] head = head();
    int numbers = Float.BYTES * values.length;
    ByteBuffer file = ByteBuffer.allocate(head.length + numbers + Integer.BYTES * marks.length);
    file.put(head).slice().asFloatBuffer().put(values);
    file.position(head.length + numbers).slice().asIntBuffer().put(marks);
    return file.array();
  }

  private byte[] head() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(MAGIC);
      out.writeByte(VERSION);
      out.writeShort(tables.size());
      for (Table table : tables) {
        out.writeShort(table.index());
        out.writeUTF(table.name());
        out.writeInt(table.keys());
        out.writeInt(table.weights());
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads the content of a file.
   *
   * @throws MalformedModelException if the content is malformed
   */
  public static SharedRows decode(byte[] file) throws MalformedModelException {
    try {
      ByteArrayInputStream bytes = new ByteArrayInputStream(file);
      DataInputStream in = new DataInputStream(bytes);
      int magic = in.readInt();
      int version = in.readUnsignedByte();
      if (magic != MAGIC || version != VERSION) {
        throw new MalformedModelException(
            String.format(Locale.ROOT, "%s is not in version %d of its format", FILE, VERSION));
      }
      List<Table> tables = new ArrayList<>();
      long floats = 0;
      long rows = 0;
      int before = -1;
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        Table table = new Table(in.readUnsignedShort(), in.readUTF(), in.readInt(), in.readInt());
        floats += table.floats();
        rows += table.keys();
        if (table.keys() < 1 || table.weights() < 1 || floats > file.length) {
          throw new MalformedModelException(
              FILE + " has a table with impossible lengths: " + table);
        }
        if (table.index() <= before) {
          throw new MalformedModelException(
              FILE + " has tables that are not in the order of the model: " + table);
        }
        before = table.index();
        tables.add(table);
      }
      if (tables.isEmpty()) {
        throw new MalformedModelException(FILE + " has no table");
      }
      if (bytes.available() != Float.BYTES * floats + Integer.BYTES * rows) {
        throw new MalformedModelException(
            String.format(
                Locale.ROOT,
                "%s has %,d bytes of numbers for %,d weights of %,d rows",
                FILE,
                bytes.available(),
                floats,
                rows));
      }
      SharedRows read = new SharedRows(tables, new float[(int) floats], new int[(int) rows]);
      ByteBuffer numbers =
          ByteBuffer.wrap(file, file.length - bytes.available(), bytes.available()).slice();
      numbers.asFloatBuffer().get(read.values);
      numbers.position(Float.BYTES * read.values.length).slice().asIntBuffer().get(read.marks);
      for (int mark : read.marks) {
        if (mark < 0) {
          throw new MalformedModelException(FILE + " has a row with the mark " + mark);
        }
      }
      return read;
    } catch (MalformedModelException told) {
      throw told;
    } catch (IOException cut) {
      throw new MalformedModelException(FILE + " ends too early", cut);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SharedRows rows
        && rows.tables.equals(tables)
        && Arrays.equals(rows.values, values)
        && Arrays.equals(rows.marks, marks);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(values) + Arrays.hashCode(marks);
  }

  @Override
  public String toString() {
    return "shared rows of " + tables;
  }
}
