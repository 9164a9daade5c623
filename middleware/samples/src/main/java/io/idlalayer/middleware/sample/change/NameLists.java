package io.idlalayer.middleware.sample.change;

import java.util.List;
import java.util.Locale;

/** Writes lists of names for messages, which contain at most the first ten names. */
final class NameLists {
  private static final int MOST_NAMED = 10;

  private NameLists() {}

  /**
   * Returns a phrase about some names, with the first of them; "" if there are none.
   *
   * @param one words before a single name
   * @param several words before several names
   */
  static List<String> counted(String one, String several, List<String> names) {
    return names.isEmpty()
        ? List.of()
        : List.of((names.size() == 1 ? one : several) + " " + abridged(names));
  }

  static String abridged(List<String> names) {
    int more = names.size() - MOST_NAMED;
    return String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMED)))
        + (more > 0 ? String.format(Locale.ROOT, " and %d more", more) : "");
  }
}
