package io.idlalayer.middleware.fuzzy.fcl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Splits the text of an FCL file into tokens. Anything unknown becomes a token that no rule
 * expects.
 */
final class FclLexer {
  private final String source;
  private final List<FclException.Problem> problems;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int line = 1;
  private int lineStart;

  enum Kind {
    NAME,
    NUMBER,
    SYMBOL,
    END
  }

  /**
   * A word, number or symbol of the text, with its place.
   *
   * @param text the token as written; "" at the end of the file
   */
  record Token(Kind kind, String text, int line, int column) {
    /** Returns whether this token is a given keyword or symbol, in any case of letters. */
    boolean is(String word) {
      return kind != Kind.NUMBER && text.equalsIgnoreCase(word);
    }

    String upper() {
      return text.toUpperCase(Locale.ROOT);
    }

    String shown() {
      return kind == Kind.END ? "the end of the file" : "'" + text + "'";
    }
  }

  private FclLexer(String source, List<FclException.Problem> problems) {
    this.source = source;
    this.problems = problems;
  }

  static List<Token> tokens(String source, List<FclException.Problem> problems) {
    FclLexer lexer = new FclLexer(source, problems);
    lexer.run();
    return lexer.tokens;
  }

  private void run() {
    while (at < source.length()) {
      char c = source.charAt(at);
      if (c == '\n') {
        at++;
        line++;
        lineStart = at;
      } else if (Character.isWhitespace(c) || c == '\uFEFF') {
        at++;
      } else if (source.startsWith("//", at)) {
        int end = source.indexOf('\n', at);
        at = end < 0 ? source.length() : end;
      } else if (source.startsWith("(*", at)) {
        comment("*)");
      } else if (source.startsWith("/*", at)) {
        comment("*/");
      } else {
        token(c);
      }
    }
    add(Kind.END, at);
  }

  private void comment(String close) {
    int end = source.indexOf(close, at + 2);
    if (end < 0) {
      problems.add(
          new FclException.Problem(line, at - lineStart + 1, "this comment has no " + close));
      end = source.length() - 2;
    }
    while (at < Math.min(end + 2, source.length())) {
      if (source.charAt(at++) == '\n') {
        line++;
        lineStart = at;
      }
    }
  }

  private void token(char c) {
    int start = at;
    if (letter(c)) {
      while (at < source.length() && (letter(source.charAt(at)) || digit(source.charAt(at)))) {
        at++;
      }
      add(Kind.NAME, start);
    } else if (digit(c)) {
      number();
      add(Kind.NUMBER, start);
    } else {
      at += source.startsWith(":=", at) || source.startsWith("..", at) ? 2 : 1;
      add(Kind.SYMBOL, start);
    }
  }

  private void number() {
    digits();
    if (at + 1 < source.length() && source.charAt(at) == '.' && digit(source.charAt(at + 1))) {
      at++;
      digits();
    }
    if (at < source.length() && (source.charAt(at) == 'e' || source.charAt(at) == 'E')) {
      int mark = at++;
      if (at < source.length() && (source.charAt(at) == '+' || source.charAt(at) == '-')) {
        at++;
      }
      if (at < source.length() && digit(source.charAt(at))) {
        digits();
      } else {
        at = mark;
      }
    }
  }

  private void digits() {
    while (at < source.length() && digit(source.charAt(at))) {
      at++;
    }
  }

  private static boolean letter(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean digit(char c) {
    return c >= '0' && c <= '9';
  }

  private void add(Kind kind, int start) {
    tokens.add(new Token(kind, source.substring(start, at), line, start - lineStart + 1));
  }
}
