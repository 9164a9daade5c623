package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.FclLexer.Kind;
import io.idlalayer.middleware.fuzzy.fcl.FclLexer.Token;
import java.util.List;
import java.util.Set;

/**
 * The sequence of a file's tokens with the parser's position in it, and the problems found so far.
 */
final class FclTokens {
  private static final int PROBLEMS_MAX = 100;

  /** Words that FCL engines treat as keywords wherever they stand, in any case of letters. */
  private static final Set<String> RESERVED =
      Set.of(
          "AND",
          "OR",
          "NOT",
          "IS",
          "IF",
          "THEN",
          "WITH",
          "RULE",
          "TERM",
          "REAL",
          "RANGE",
          "METHOD",
          "DEFAULT",
          "NC",
          "ACT",
          "ACCU",
          "MIN",
          "MAX",
          "PROD",
          "SUM",
          "ASUM",
          "BSUM",
          "NSUM",
          "BDIF",
          "DMIN",
          "DMAX",
          "NIPMIN",
          "NIPMAX",
          "HAMACHER",
          "EINSTEIN",
          "PROBOR",
          "COG",
          "COGS",
          "COGF",
          "COA",
          "MM",
          "LM",
          "RM",
          "TRIAN",
          "TRAPE",
          "GAUSS",
          "GAUSS2",
          "GBELL",
          "SIGM",
          "DSIGM",
          "COSINE",
          "SINGLETONS",
          "FUNCTION",
          "FUZZIFY",
          "DEFUZZIFY",
          "RULEBLOCK",
          "FUNCTION_BLOCK",
          "VAR_INPUT",
          "VAR_OUTPUT",
          "END_VAR",
          "END_FUZZIFY",
          "END_DEFUZZIFY",
          "END_RULEBLOCK",
          "END_FUNCTION_BLOCK",
          "EXP",
          "LN",
          "LOG",
          "SIN",
          "COS",
          "TAN",
          "ABS");

  private final List<Token> tokens;
  private final List<FclException.Problem> problems;
  private int at;

  /**
   * Thrown to abandon the statement that is being parsed, after its problem was added to the list.
   */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  FclTokens(List<Token> tokens, List<FclException.Problem> problems) {
    this.tokens = tokens;
    this.problems = problems;
  }

  Token here() {
    return tokens.get(at);
  }

  Token take() {
    Token token = tokens.get(at);
    if (token.kind() != Kind.END) {
      at++;
    }
    return token;
  }

  boolean ended() {
    return here().kind() == Kind.END;
  }

  /** Consumes the next token if it is a given keyword or symbol, and returns whether it was. */
  boolean takeIf(String word) {
    if (here().is(word)) {
      take();
      return true;
    }
    return false;
  }

  void expect(String word) throws Unreadable {
    if (!takeIf(word)) {
      throw unreadable(here(), "'%s' is expected, not %s".formatted(word, here().shown()));
    }
  }

  Token name(String what) throws Unreadable {
    Token token = here();
    if (token.kind() != Kind.NAME) {
      throw unreadable(token, "%s is expected, not %s".formatted(what, token.shown()));
    }
    return take();
  }

  /** Returns the next token as a new name, which must not be a keyword. */
  Token newName(String what) throws Unreadable {
    Token token = name(what);
    if (RESERVED.contains(token.upper())) {
      problem(token, "'%s' is a keyword; choose another name".formatted(token.text()));
    }
    return token;
  }

  /** Consumes and returns a number with an optional sign. */
  double number() throws Unreadable {
    Token token = here();
    double sign = 1;
    if (takeIf("-")) {
      sign = -1;
    } else {
      takeIf("+");
    }
    if (here().kind() != Kind.NUMBER) {
      throw unreadable(here(), "a number is expected, not " + here().shown());
    }
    double value = sign * Double.parseDouble(take().text());
    if (Double.isInfinite(value)) {
      problem(token, "this number is too large");
    }
    return value;
  }

  boolean numberAhead() {
    return here().kind() == Kind.NUMBER || here().is("-") || here().is("+");
  }

  /** Skips tokens up to and including the next semicolon, or up to the end of the section. */
  void recover(String end) {
    while (!ended() && !here().is(end)) {
      if (take().is(";")) {
        return;
      }
    }
  }

  void problem(Token where, String message) {
    if (problems.size() < PROBLEMS_MAX) {
      problems.add(new FclException.Problem(where.line(), where.column(), message));
    }
  }

  Unreadable unreadable(Token where, String message) {
    problem(where, message);
    return new Unreadable();
  }
}
