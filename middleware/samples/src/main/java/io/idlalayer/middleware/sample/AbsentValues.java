package io.idlalayer.middleware.sample;

import java.util.BitSet;

/**
 * The values that an event did not have, and that a later event with the same id can bring. In the
 * sample, each has the value that the schema defines for missing values. A place is the index of a
 * dense value, or the number of dense values plus the index of a categorical feature, or both
 * numbers plus the index of an id feature. Immutable.
 */
public final class AbsentValues {
  /**
   * No absent values. Also used for events without an id, for which absent values make no
   * difference.
   */
  public static final AbsentValues NONE = new AbsentValues(new BitSet(), new BitSet());

  private final BitSet places;
  private final BitSet needed;

  private AbsentValues(BitSet places, BitSet needed) {
    this.places = places;
    this.needed = needed;
  }

  /**
   * Returns absent values.
   *
   * @param places places of the absent values in the sample
   * @param needed places without which the sample cannot be trained or predicted
   */
  public static AbsentValues of(BitSet places, BitSet needed) {
    return places.isEmpty()
        ? NONE
        : new AbsentValues((BitSet) places.clone(), (BitSet) needed.clone());
  }

  /** Returns whether any value is absent. */
  public boolean any() {
    return !places.isEmpty();
  }

  /** Returns whether the value of a place is absent. */
  public boolean at(int place) {
    return places.get(place);
  }

  /** Returns whether a value is absent without which the sample cannot be trained or predicted. */
  public boolean anyNeeded() {
    return !needed.isEmpty();
  }

  /** Returns whether the value of a place is absent and needed. */
  public boolean neededAt(int place) {
    return needed.get(place);
  }

  /** Returns the values that are absent both here and in another sample. */
  AbsentValues and(AbsentValues other) {
    BitSet both = (BitSet) places.clone();
    both.and(other.places);
    BitSet neededInBoth = (BitSet) needed.clone();
    neededInBoth.and(other.needed);
    return of(both, neededInBoth);
  }

  /** Returns the number of places up to the last place whose value is absent. */
  int length() {
    return places.length();
  }

  byte[] placeBytes() {
    return places.toByteArray();
  }

  byte[] neededBytes() {
    return needed.toByteArray();
  }

  @Override
  public String toString() {
    return "AbsentValues[" + places + ", needed " + needed + "]";
  }
}
