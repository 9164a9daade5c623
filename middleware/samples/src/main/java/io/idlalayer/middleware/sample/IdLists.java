package io.idlalayer.middleware.sample;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The ids of one sample as 64-bit keys: a list for each id feature of the schema, with at least one
 * key. Immutable; after construction the lists own the arrays, and callers must not change them.
 */
public final class IdLists {
  /** Key of a missing id. Each table has a separate row for it. */
  public static final long MISSING = 0;

  /**
   * Key of the row that stands for all ids without a row. Samples contain it only for ids that have
   * no row in a table of fixed size, see {@link RowIndex}.
   */
  public static final long UNKNOWN = 1;

  /** The lists of a sample without id features. */
  public static final IdLists NONE = new IdLists(new long[0], new int[0]);

  private final long[] keys;
  private final int[] ends;

  /**
   * Creates lists from the keys of all features.
   *
   * @param keys keys of all features, one feature after the other
   * @param ends index after the last key of each feature; ascending; the last index is the number
   *     of keys
   */
  public IdLists(long[] keys, int[] ends) {
    if (keys.length != (ends.length == 0 ? 0 : ends[ends.length - 1])) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d keys, but the features' keys end at %s",
              keys.length,
              Arrays.toString(ends)));
    }
    this.keys = keys;
    this.ends = ends;
  }

  /** Returns lists with exactly one key for each feature. */
  public static IdLists single(long... keys) {
    int[] ends = new int[keys.length];
    Arrays.setAll(ends, i -> i + 1);
    return new IdLists(keys, ends);
  }

  /** Returns the lists of all features of the sources, in the order of the sources. */
  static IdLists of(IdLists... sources) {
    int[] ends = new int[sources.length];
    int end = 0;
    for (int feature = 0; feature < sources.length; feature++) {
      end += sources[feature].to(feature) - sources[feature].from(feature);
      ends[feature] = end;
    }
    long[] keys = new long[end];
    int at = 0;
    for (int feature = 0; feature < sources.length; feature++) {
      IdLists source = sources[feature];
      System.arraycopy(source.keys, source.from(feature), keys, at, ends[feature] - at);
      at = ends[feature];
    }
    return new IdLists(keys, ends);
  }

  /** Returns whether a feature has the keys that it has in other lists, in the same order. */
  boolean sameKeys(IdLists other, int feature) {
    return Arrays.equals(
        keys, from(feature), to(feature), other.keys, other.from(feature), other.to(feature));
  }

  /** Returns the number of id features. */
  public int features() {
    return ends.length;
  }

  /** Returns the total number of keys of all features. */
  public int size() {
    return keys.length;
  }

  /** Returns the index of a feature's first key. */
  public int from(int feature) {
    return feature == 0 ? 0 : ends[feature - 1];
  }

  /** Returns the index after a feature's last key. */
  public int to(int feature) {
    return ends[feature];
  }

  /** Returns a key by its position among the keys of all features. */
  public long key(int position) {
    return keys[position];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IdLists that
        && Arrays.equals(keys, that.keys)
        && Arrays.equals(ends, that.ends);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(keys) + Arrays.hashCode(ends);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "IdLists[%d features, %d keys]", ends.length, keys.length);
  }
}
