package io.idlalayer.middleware.sample.text;

import java.util.Locale;

/**
 * Finds the first place at which a text stops being one JSON object (RFC 8259), and says what is
 * wrong there.
 */
public final class JsonFault {
  /** Deepest nesting of an event's objects and arrays. */
  public static final int DEPTH_MAX = 1000;

  /** Largest number of characters of a number. */
  public static final int NUMBER_CHARACTERS_MAX = 1000;

  private static final int SHOWN = 16;

  private final String text;
  private int at;

  private JsonFault(String text) {
    this.text = text;
  }

  /**
   * The description and the place of a fault.
   *
   * @param at index of the character at which the text stops being JSON
   */
  public record Place(int at, String reason) {}

  /** Thrown inside this class when the fault is found. */
  private static final class Found extends Exception {
    private static final long serialVersionUID = 1L;

    Found(String reason) {
      super(reason, null, false, false);
    }
  }

  /** Returns the first fault of a text. If none is found, returns a fault without a place. */
  public static Place of(String text) {
    JsonFault search = new JsonFault(text);
    try {
      search.event();
      return new Place(0, "it cannot be read as JSON");
    } catch (Found found) {
      return new Place(search.at, String.valueOf(found.getMessage()));
    }
  }

  private void event() throws Found {
    skipSpace();
    if (at == text.length()) {
      throw new Found("nothing but spaces");
    }
    if (text.charAt(at) != '{') {
      throw new Found("an object in braces is expected");
    }
    value();
    skipSpace();
    if (at < text.length()) {
      throw new Found("text after the JSON object: " + here());
    }
  }

  /** Reads a value without recursion, so that deep nesting cannot overflow the stack. */
  private void value() throws Found {
    StringBuilder open = new StringBuilder();
    do {
      skipSpace();
      char c = begin(open.length() == 0 ? "a value" : "a value or an end");
      switch (c) {
        case '{', '[' -> {
          open.append(c);
          at++;
          if (open.length() > DEPTH_MAX) {
            throw new Found(
                String.format(Locale.ROOT, "nested deeper than %d objects and arrays", DEPTH_MAX));
          }
          skipSpace();
          if (at < text.length() && text.charAt(at) == closing(c)) {
            at++;
            open.setLength(open.length() - 1);
            next(open);
          } else if (c == '{') {
            name();
          }
        }
        case '"' -> {
          string("a text");
          next(open);
        }
        default -> {
          scalar();
          next(open);
        }
      }
    } while (open.length() > 0);
  }

  /**
   * Moves from the end of a value to the next value, or to the end of the object or array that ends
   * there.
   */
  private void next(StringBuilder open) throws Found {
    while (open.length() > 0) {
      skipSpace();
      char inside = open.charAt(open.length() - 1);
      String what = inside == '{' ? "object" : "array";
      char c = begin("a comma or the end of the " + what);
      if (c == ',') {
        at++;
        skipSpace();
        if (at < text.length() && text.charAt(at) == closing(inside)) {
          throw new Found("a comma before the end of the " + what);
        }
        if (inside == '{') {
          name();
        }
        return;
      }
      if (c != closing(inside)) {
        throw new Found(
            "%s where a comma or the end of the %s is expected".formatted(here(), what));
      }
      at++;
      open.setLength(open.length() - 1);
    }
  }

  private static char closing(char opening) {
    return opening == '{' ? '}' : ']';
  }

  private void name() throws Found {
    skipSpace();
    if (begin("the name of a field") != '"') {
      throw new Found(here() + " where the name of a field in double quotes is expected");
    }
    string("the name of a field");
    skipSpace();
    if (begin("a colon") != ':') {
      throw new Found(here() + " where a colon is expected");
    }
    at++;
  }

  private char begin(String expected) throws Found {
    if (at == text.length()) {
      throw new Found("it ends where %s is expected".formatted(expected));
    }
    return text.charAt(at);
  }

  private void string(String what) throws Found {
    int start = at++;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return;
      }
      if (c < ' ') {
        throw new Found(
            "%s in %s; it is escaped inside of texts".formatted(Shown.of(String.valueOf(c)), what));
      }
      if (c == '\\') {
        escape();
      } else {
        at++;
      }
    }
    at = start;
    throw new Found("the closing quote of %s is missing".formatted(what));
  }

  private void escape() throws Found {
    boolean unicode = text.startsWith("\\u", at);
    int length = unicode ? 6 : 2;
    boolean valid =
        unicode
            ? text.substring(at, Math.min(text.length(), at + length))
                .matches("\\\\u[0-9A-Fa-f]{4}")
            : at + 1 < text.length() && "\"\\/bfnrt".indexOf(text.charAt(at + 1)) >= 0;
    if (!valid) {
      throw new Found(
          Shown.of(text.substring(at, Math.min(text.length(), at + length)))
              + " is not an escape of JSON");
    }
    at += length;
  }

  private void scalar() throws Found {
    int end = at;
    while (end < text.length() && " \t\r\n,:[]{}\"".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    String word = text.substring(at, end);
    if (word.isEmpty()) {
      throw new Found(here() + " where a value is expected");
    }
    boolean number = word.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");
    if (number && word.length() > NUMBER_CHARACTERS_MAX) {
      throw new Found(
          String.format(
              Locale.ROOT,
              "a number of %d characters; at most %d",
              word.length(),
              NUMBER_CHARACTERS_MAX));
    }
    if (!number && !word.equals("true") && !word.equals("false") && !word.equals("null")) {
      throw new Found(reason(word));
    }
    at = end;
  }

  private static String reason(String word) {
    String shown = Shown.of(word);
    if (word.matches("-?(NaN|Infinity|Inf|nan|inf)")) {
      return shown + " is not a number of JSON; a missing number is null";
    }
    if (word.equalsIgnoreCase("true")
        || word.equalsIgnoreCase("false")
        || word.equalsIgnoreCase("null")
        || word.equals("None")) {
      return shown + " is not a value of JSON, whose words are true, false and null";
    }
    if (word.startsWith("'")) {
      return "a single quote; JSON has double quotes around texts";
    }
    if (word.startsWith("/") || word.startsWith("#")) {
      return "a comment; JSON has none";
    }
    if (word.matches("-?0\\d.*")) {
      return shown + " is not a number of JSON: it begins with 0";
    }
    if (word.matches("[+]?\\.?\\d.*") || word.matches("-\\.?\\d.*") || word.startsWith("-")) {
      return shown + " is not a number of JSON, such as 0.5 or -1e3";
    }
    return shown + " is not a value of JSON: texts are in double quotes";
  }

  private String here() {
    return at == text.length() ? "the end" : Shown.of(text.substring(at), SHOWN);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }
}
