package io.idlalayer.middleware.sample.text;

import java.util.Locale;

/**
 * Finds texts that may look alike and differ: a letter of one script in place of a letter of
 * another (U+0445, which is Cyrillic, and a Latin x), or one dash in place of another.
 */
public final class LookAlikes {
  private LookAlikes() {}

  /**
   * Returns where two texts of equal length that may look alike differ first, as a clause with the
   * code points of both; "" if they are equal, or can be told apart by their look.
   */
  public static String difference(String one, String other) {
    int[] first = one.codePoints().toArray();
    int[] second = other.codePoints().toArray();
    if (first.length != second.length) {
      return "";
    }
    int found = -1;
    for (int i = 0; i < first.length; i++) {
      if (first[i] != second[i]) {
        if (!mayLookAlike(first[i], second[i])) {
          return "";
        }
        found = found < 0 ? i : found;
      }
    }
    return found < 0
        ? ""
        : String.format(
            Locale.ROOT,
            "they differ in character %d, U+%04X and U+%04X",
            found + 1,
            first[found],
            second[found]);
  }

  /** Returns the {@link #difference} in brackets, as the end of a sentence; "" if there is none. */
  public static String note(String one, String other) {
    String difference = difference(one, other);
    return difference.isEmpty() ? "" : " (" + difference + ")";
  }

  private static boolean mayLookAlike(int one, int other) {
    boolean letters = Character.isLetter(one) && Character.isLetter(other);
    boolean signs = !Character.isLetterOrDigit(one) && !Character.isLetterOrDigit(other);
    return letters
        ? Character.UnicodeScript.of(one) != Character.UnicodeScript.of(other)
        : signs && (one > 0x7f || other > 0x7f);
  }
}
