package io.idlalayer.middleware.sample.text;

import java.text.Normalizer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Formats texts of events for messages: in quotes, short, and with invisible characters escaped.
 */
public final class Shown {
  private static final int CHARACTERS_MAX = 24;
  private static final Pattern ESCAPE = Pattern.compile("\\\\(?:[nrt]|u([0-9a-f]{4}))");

  private Shown() {}

  /** Returns a text in quotes, cut to its first characters, with invisible characters escaped. */
  public static String of(String text) {
    return of(text, CHARACTERS_MAX);
  }

  /**
   * Returns a text in quotes, cut and with invisible characters escaped.
   *
   * @param most number of characters of the text that are shown, at least 1
   */
  public static String of(String text, int most) {
    boolean cut = text.length() > most;
    int end = cut ? most : text.length();
    if (cut && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return "'" + escaped(text.substring(0, end)) + (cut ? "...'" : "'");
  }

  /**
   * Returns a text whose control, format and private characters, lone surrogates, and spaces other
   * than the plain one are replaced by their escapes in Java. So are characters that are not in the
   * composed form of Unicode (NFC), such as an accent after its letter, because they look like
   * other characters.
   */
  public static String escaped(String text) {
    StringBuilder out = null;
    boolean composed = Normalizer.isNormalized(text, Normalizer.Form.NFC);
    for (int i = 0; i < text.length(); ) {
      int code = text.codePointAt(i);
      int next = i + Character.charCount(code);
      if (hidden(code) || (!composed && decomposed(text.substring(i, next), code))) {
        if (out == null) {
          out = new StringBuilder(text.substring(0, i));
        }
        escape(text, i, next, out);
      } else if (out != null) {
        out.appendCodePoint(code);
      }
      i = next;
    }
    return out == null ? text : out.toString();
  }

  /**
   * Returns a text with its escapes replaced by the characters that they stand for. If the text was
   * {@linkplain #escaped escaped}, this returns the original text, unless the original text
   * contained escapes.
   */
  public static String unescaped(String shown) {
    return ESCAPE.matcher(shown).replaceAll(found -> Matcher.quoteReplacement(unescaped(found)));
  }

  private static String unescaped(MatchResult escape) {
    String digits = escape.group(1);
    return switch (escape.group()) {
      case "\\n" -> "\n";
      case "\\r" -> "\r";
      case "\\t" -> "\t";
      default -> Character.toString((char) Integer.parseInt(digits, 16));
    };
  }

  private static void escape(String text, int from, int to, StringBuilder out) {
    char first = text.charAt(from);
    switch (first) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        for (int i = from; i < to; i++) {
          out.append("\\u");
          for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(Character.forDigit((text.charAt(i) >> shift) & 0xF, 16));
          }
        }
      }
    }
  }

  /** Returns whether a character is a part of another character, or another form of one. */
  private static boolean decomposed(String character, int code) {
    int type = Character.getType(code);
    return type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK
        || Character.UnicodeBlock.HANGUL_JAMO.equals(Character.UnicodeBlock.of(code))
        || !Normalizer.isNormalized(character, Normalizer.Form.NFC);
  }

  private static boolean hidden(int code) {
    if (code == ' ' || (code > ' ' && code < 0x7f)) {
      return false;
    }
    return switch (Character.getType(code)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> code == 0xFFFD;
    };
  }
}
