package io.idlalayer.jobs.survey;

/**
 * Computes the kind of a reason: the text of the reason without its values and numbers, so that
 * events with the same fault are counted together.
 */
final class ReasonKind {
  private static final char VALUE = '\u2026';
  private static final char NUMBER = '#';

  private ReasonKind() {}

  /**
   * Returns the kind of a reason.
   *
   * @param field the field at the beginning of the reason, whose name can contain a number; "" if
   *     the reason begins with no field
   */
  static String of(String reason, String field) {
    StringBuilder kind = new StringBuilder(reason.length()).append(field);
    int at = field.length();
    while (at < reason.length()) {
      char c = reason.charAt(at);
      if (c == '\'' && begins(reason, at)) {
        kind.append(VALUE);
        at = afterQuote(reason, at);
      } else if (c >= '0' && c <= '9') {
        kind.append(NUMBER);
        at = afterNumber(reason, at);
      } else {
        kind.append(c);
        at++;
      }
    }
    return kind.toString();
  }

  /**
   * Returns the first value in quotes after the field of a reason; "" if no value follows directly.
   */
  static String value(String reason, String field) {
    int at = field.length() + 2;
    if (at >= reason.length() || reason.charAt(at) != '\'') {
      return "";
    }
    return reason.substring(at, afterQuote(reason, at));
  }

  private static boolean begins(String text, int at) {
    return at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1));
  }

  /**
   * Returns the place after the quote that closes the quote at a given place, or the end of the
   * text.
   */
  private static int afterQuote(String text, int at) {
    for (int end = at + 1; end < text.length(); end++) {
      if (text.charAt(end) == '\''
          && (end + 1 == text.length() || !Character.isLetterOrDigit(text.charAt(end + 1)))) {
        return end + 1;
      }
    }
    return text.length();
  }

  private static int afterNumber(String text, int at) {
    int end = at;
    if (text.startsWith("0x", at)) {
      end += 2;
      while (end < text.length() && Character.digit(text.charAt(end), 16) >= 0) {
        end++;
      }
      return end;
    }
    while (end < text.length() && isOfNumber(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isOfNumber(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == ',' || c == 'e' || c == 'E' || c == '-';
  }
}
