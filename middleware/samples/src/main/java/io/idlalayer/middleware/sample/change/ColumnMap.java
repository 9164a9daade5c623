package io.idlalayer.middleware.sample.change;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/** Maps each column after a change to its column before the change. Immutable. */
public final class ColumnMap {
  /** The source of a column that did not exist before the change. */
  public static final int ADDED = -1;

  private final int before;
  private final int[] sources;

  /**
   * @param before number of columns before the change
   * @param sources for each column after the change, its index before the change, or {@link
   *     #ADDED}; no index occurs twice
   * @throws IllegalArgumentException if an index is out of range or occurs twice
   */
  public ColumnMap(int before, int... sources) {
    this.before = before;
    this.sources = sources.clone();
    boolean[] used = new boolean[before];
    for (int source : sources) {
      if (source == ADDED) {
        continue;
      }
      if (source < 0 || source >= before || used[source]) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT, "%d columns cannot become %s", before, Arrays.toString(sources)));
      }
      used[source] = true;
    }
  }

  /** Returns the map of columns that do not change. */
  public static ColumnMap unchanged(int columns) {
    return new ColumnMap(columns, IntStream.range(0, columns).toArray());
  }

  /** Returns the number of columns before the change. */
  public int before() {
    return before;
  }

  /** Returns the number of columns after the change. */
  public int after() {
    return sources.length;
  }

  /** Returns which column a column was before the change, or {@link #ADDED}. */
  public int source(int column) {
    return sources[column];
  }

  /** Returns whether all columns are the same as before and in the same order. */
  public boolean isUnchanged() {
    return before == sources.length
        && IntStream.range(0, before).allMatch(column -> sources[column] == column);
  }

  /** Returns the columns that were removed, by their indices before the change, ascending. */
  public int[] removed() {
    boolean[] stays = new boolean[before];
    for (int source : sources) {
      if (source != ADDED) {
        stays[source] = true;
      }
    }
    return IntStream.range(0, before).filter(column -> !stays[column]).toArray();
  }

  /** Returns the map of these columns followed by others. */
  public ColumnMap then(ColumnMap others) {
    int[] all = Arrays.copyOf(sources, sources.length + others.sources.length);
    for (int i = 0; i < others.sources.length; i++) {
      int source = others.sources[i];
      all[sources.length + i] = source == ADDED ? ADDED : before + source;
    }
    return new ColumnMap(before + others.before, all);
  }

  /**
   * Returns the map of single columns if each of these columns is a group of columns.
   *
   * @param size number of columns in a group, at least 0
   */
  public ColumnMap grouped(int size) {
    int[] all = new int[sources.length * size];
    for (int i = 0; i < all.length; i++) {
      int source = sources[i / size];
      all[i] = source == ADDED ? ADDED : source * size + i % size;
    }
    return new ColumnMap(before * size, all);
  }

  /**
   * Returns values after the change.
   *
   * @param values one for each column before the change
   * @param added for each column after the change, its value if it is an added column
   * @throws IllegalArgumentException if the number of values differs from the number of columns
   */
  public double[] mapped(double[] values, double[] added) {
    if (values.length != before) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d values where %d columns were before the change",
              values.length,
              before));
    }
    double[] mapped = new double[sources.length];
    for (int i = 0; i < mapped.length; i++) {
      mapped[i] = sources[i] == ADDED ? added[i] : values[sources[i]];
    }
    return mapped;
  }

  @Override
  public String toString() {
    return "ColumnMap[" + before + " to " + Arrays.toString(sources) + "]";
  }
}
