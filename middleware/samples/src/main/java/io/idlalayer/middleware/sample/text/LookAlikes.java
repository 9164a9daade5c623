package io.idlalayer.middleware.sample.text;

import java.util.Locale;

/**
 * Finds different texts that look alike: a letter of one script in place of a letter of another
 * script (such as the Cyrillic U+0445 and a Latin x), or one kind of dash in place of another.
 */
public final class LookAlikes {
  /**
   * Letters of Cyrillic and Greek. The next constant has the Latin letters that look like them at
   * the same places.
   */
  private static final String OTHERS =
      "\u0430\u0441\u0435\u043e\u0456\u0440\u0445\u0443\u0455\u0458\u0501\u051b\u04bb"
          + "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423"
          + "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd";

  private static final String LATIN = "aceoipxysjdqh" + "ABCEHIJKMOPSTXY" + "ABEZHIKMNOPTYXov";

  private LookAlikes() {}

  /**
   * Returns the Latin letter that looks like a Cyrillic or Greek letter, or the character itself.
   */
  static int latin(int code) {
    int at = code < 0x80 ? -1 : OTHERS.indexOf(code);
    return at < 0 ? code : LATIN.charAt(at);
  }

  /**
   * Returns the first difference of two texts of equal length that look alike, as a clause with
   * both code points; "" if the texts are equal, or look different.
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
