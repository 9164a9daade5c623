package io.idlalayer.middleware.embedding.plan;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.primitive.Murmur3;
import io.idlalayer.middleware.sample.RowIndex;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The embedding tables of a model, and how the ids of a sample become those columns of the
 * network's input that come from embedding rows.
 *
 * @param features one for each id feature of a sample, in its order
 * @param wideFrom first column of the sum of all wide parts
 * @param width number of columns
 */
public record EmbeddingPlan(List<Table> tables, List<Feature> features, int wideFrom, int width)
    implements Serializable {

  public EmbeddingPlan {
    tables = List.copyOf(tables);
    features = List.copyOf(features);
  }

  /**
   * An embedding table of the model.
   *
   * @param vector how many of a row's weights are its vector; the others are its wide part
   * @param index maps ids to the keys of the table
   * @param salt distinguishes the rows of this table from those of others, see {@link #rowKey}
   */
  public record Table(String name, int vector, RowLayout layout, RowIndex index, long salt)
      implements Serializable {
    public Table(String name, int vector, RowLayout layout, RowIndex index) {
      this(name, vector, layout, index, saltOf(name));
    }

    /** Creates a table that is open: every id may get a row, in place of a fixed number of rows. */
    public Table(String name, int vector, RowLayout layout) {
      this(name, vector, layout, RowIndex.OPEN);
    }

    /** Returns the salt of a table by its name. */
    public static long saltOf(String name) {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      return Murmur3.hash128(bytes, bytes.length, 0)[1];
    }

    /** Returns the length of the wide part of a row, in floats. */
    public int wide() {
      return layout.weights() - vector;
    }

    /**
     * Returns the key under which a store keeps the row of an id. Different ids of a table have
     * different row keys. Rows of two tables have the same row key as rarely as two ids have the
     * same key. A row key is never 0: the one id for which it would be 0 shares the row of another
     * id.
     */
    public long rowKey(long key) {
      return rowKey(key, salt);
    }

    /** Returns the key under which a store keeps the row of an id, in a table with this salt. */
    public static long rowKey(long key, long salt) {
      long mixed = BitMixer.splitMix(key ^ salt);
      return mixed == 0 ? 1 : mixed;
    }

    /** Returns the key of the id whose row is stored under a row key of this table. */
    public long key(long rowKey) {
      return BitMixer.splitMixInverse(rowKey) ^ salt;
    }
  }

  /**
   * An id feature of the samples, with its table and its place in the network's input.
   *
   * @param table index of its table
   * @param from first column of its vector
   */
  public record Feature(int table, IdPooling pooling, int from) implements Serializable {}
}
