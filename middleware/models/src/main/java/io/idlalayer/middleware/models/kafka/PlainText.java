package io.idlalayer.middleware.models.kafka;

/** Makes a text from an untrusted source fit for one line of a terminal, a log or a table. */
final class PlainText {
  private PlainText() {}

  /**
   * Cuts a text to a length, and replaces by a space every character that controls how text is
   * shown: line ends, escapes, marks of direction, single halves of surrogate pairs. The method
   * does not change a text that it has returned.
   *
   * @param most characters ({@code char}) of the result
   */
  static String of(String text, int most) {
    String cut = text.length() > most ? text.substring(0, most) : text;
    StringBuilder plain = new StringBuilder(cut.length());
    cut.codePoints()
        .forEach(
            point -> {
              if (shown(point)) {
                plain.appendCodePoint(point);
              } else {
                plain.append(" ".repeat(Character.charCount(point)));
              }
            });
    return plain.toString();
  }

  private static boolean shown(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
