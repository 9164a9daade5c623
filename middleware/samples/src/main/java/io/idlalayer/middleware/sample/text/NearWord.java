package io.idlalayer.middleware.sample.text;

import java.text.Normalizer;
import java.util.Collection;

/** Finds the known word that is most similar to an unknown word. */
public final class NearWord {
  private static final int EDITS_MAX = 2;

  private NearWord() {}

  /**
   * Returns the known word that is most similar to a misspelt word: a word that differs only in
   * case, accents, spaces, dashes, underscores and {@linkplain LookAlikes#latin letters that look
   * alike}, or else a word at a distance of at most two edits; "" if there is none.
   */
  public static String of(String word, Collection<String> known) {
    String nearest = "";
    int best = EDITS_MAX + 1;
    String plain = plain(word);
    for (String candidate : known) {
      if (!plain.isEmpty() && plain.equals(plain(candidate))) {
        return candidate;
      }
      int distance = edits(word, candidate);
      if (distance < best && distance < Math.max(word.length(), candidate.length())) {
        best = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** Returns the letters and digits of a word, in lower case and without accents. */
  private static String plain(String word) {
    StringBuilder plain = new StringBuilder();
    Normalizer.normalize(word, Normalizer.Form.NFKD)
        .codePoints()
        .filter(Character::isLetterOrDigit)
        .forEach(code -> plain.appendCodePoint(Character.toLowerCase(LookAlikes.latin(code))));
    return plain.toString();
  }

  /** Returns the Levenshtein distance of two words. */
  private static int edits(String a, String b) {
    if (Math.abs(a.length() - b.length()) > EDITS_MAX) {
      return EDITS_MAX + 1;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int same = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(same, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
