package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.FclLexer.Token;
import io.idlalayer.middleware.fuzzy.fcl.FclTokens.Unreadable;
import java.util.ArrayList;
import java.util.List;

/** Parses the membership shapes of terms and the formulas in them. */
final class FclTerms {
  private static final int NESTING_MAX = 64;

  private final FclTokens tokens;
  private final List<String> inputs;

  /**
   * Creates a parser of shapes for a file.
   *
   * @param inputs names that formulas may use, in the order of their index
   */
  FclTerms(FclTokens tokens, List<String> inputs) {
    this.tokens = tokens;
    this.inputs = inputs;
  }

  /** Parses a membership shape and the semicolon after it. */
  Membership shape() throws Unreadable {
    Token start = tokens.here();
    Membership shape = read(start);
    tokens.expect(";");
    return shape;
  }

  private Membership read(Token start) throws Unreadable {
    if (start.is("(")) {
      return points(start);
    }
    if (tokens.numberAhead()) {
      return new Membership.Singleton(tokens.number());
    }
    String shape = tokens.name("the shape of a term").upper();
    return switch (shape) {
      case "TRIAN" -> ordered(start, new Membership.Triangle(number(), number(), number()));
      case "TRAPE" ->
          ordered(start, new Membership.Trapezoid(number(), number(), number(), number()));
      case "GAUSS" -> gauss(start);
      case "GAUSS2" ->
          positive(start, new Membership.Gauss(number(), number(), number(), number()));
      case "GBELL" -> bell(start);
      case "SIGM" -> sigmoid(start);
      case "DSIGM" -> new Membership.SigmoidDifference(sigmoid(start), sigmoid(start));
      case "COSINE" -> cosine(start);
      case "FUNCTION" -> new Membership.Function(sum(0));
      case "SINGLETONS" ->
          throw tokens.unreadable(start, "SINGLETONS are not supported: write one term for each");
      default ->
          throw tokens.unreadable(
              start,
              ("'%s' is not a shape; use points such as (0, 0) (1, 1), a number, TRIAN, "
                      + "TRAPE, GAUSS, GAUSS2, GBELL, SIGM, DSIGM, COSINE or FUNCTION")
                  .formatted(start.text()));
    };
  }

  private double number() throws Unreadable {
    return tokens.number();
  }

  private Membership points(Token start) throws Unreadable {
    List<double[]> points = new ArrayList<>();
    while (tokens.takeIf("(")) {
      double x = number();
      tokens.expect(",");
      double y = number();
      tokens.expect(")");
      points.add(new double[] {x, y});
    }
    double[] xs = points.stream().mapToDouble(point -> point[0]).toArray();
    double[] ys = points.stream().mapToDouble(point -> point[1]).toArray();
    for (int i = 0; i < xs.length; i++) {
      if (i > 0 && xs[i] < xs[i - 1]) {
        tokens.problem(start, "points must ascend: %s follows %s".formatted(xs[i], xs[i - 1]));
      }
      if (ys[i] < 0 || ys[i] > 1) {
        tokens.problem(start, "a membership of %s is not in 0 to 1".formatted(ys[i]));
      }
    }
    return new Membership.Points(xs, ys);
  }

  private Membership ordered(Token start, Membership shape) {
    double[] corners =
        shape instanceof Membership.Trapezoid t
            ? new double[] {t.a(), t.b(), t.c(), t.d()}
            : shape instanceof Membership.Triangle t
                ? new double[] {t.a(), t.b(), t.c()}
                : new double[0];
    for (int i = 1; i < corners.length; i++) {
      if (corners[i] < corners[i - 1]) {
        tokens.problem(
            start, "corners must ascend: %s follows %s".formatted(corners[i], corners[i - 1]));
      }
    }
    return shape;
  }

  private Membership gauss(Token start) throws Unreadable {
    double mean = number();
    double sigma = number();
    return positive(start, new Membership.Gauss(mean, sigma, mean, sigma));
  }

  private Membership positive(Token start, Membership.Gauss gauss) {
    if (gauss.sigma() <= 0 || gauss.sigma2() <= 0) {
      tokens.problem(start, "a deviation must be above 0");
    }
    if (gauss.mean2() < gauss.mean()) {
      tokens.problem(start, "the second mean must not be below the first");
    }
    return gauss;
  }

  private Membership bell(Token start) throws Unreadable {
    Membership.Bell bell = new Membership.Bell(number(), number(), number());
    if (bell.a() <= 0 || bell.b() <= 0) {
      tokens.problem(start, "width and slope of a bell must be above 0");
    }
    return bell;
  }

  private Membership.Sigmoid sigmoid(Token start) throws Unreadable {
    Membership.Sigmoid sigmoid = new Membership.Sigmoid(number(), number());
    if (sigmoid.gain() == 0) {
      tokens.problem(start, "the gain of a sigmoid must not be 0");
    }
    return sigmoid;
  }

  private Membership cosine(Token start) throws Unreadable {
    Membership.Cosine cosine = new Membership.Cosine(number(), number());
    if (cosine.width() <= 0) {
      tokens.problem(start, "the width of a cosine must be above 0");
    }
    return cosine;
  }

  private Expression sum(int depth) throws Unreadable {
    Expression left = product(depth);
    while (tokens.here().is("+") || tokens.here().is("-")) {
      char operator = tokens.take().text().charAt(0);
      left = new Expression.Binary(operator, left, product(depth));
    }
    return left;
  }

  private Expression product(int depth) throws Unreadable {
    Expression left = power(depth);
    while (tokens.here().is("*") || tokens.here().is("/")) {
      char operator = tokens.take().text().charAt(0);
      left = new Expression.Binary(operator, left, power(depth));
    }
    return left;
  }

  private Expression power(int depth) throws Unreadable {
    Expression left = atom(depth);
    while (tokens.here().is("^") || tokens.here().is("%")) {
      char operator = tokens.take().text().charAt(0);
      left = new Expression.Binary(operator, left, atom(depth));
    }
    return left;
  }

  private Expression atom(int depth) throws Unreadable {
    Token token = tokens.here();
    if (depth > NESTING_MAX) {
      throw tokens.unreadable(token, "parentheses are nested too deep");
    }
    if (tokens.numberAhead()) {
      return signed(depth);
    }
    if (tokens.takeIf("(")) {
      Expression inner = sum(depth + 1);
      tokens.expect(")");
      return inner;
    }
    String name = tokens.name("a number, an input or a function").text();
    if (tokens.takeIf("(")) {
      Expression argument = sum(depth + 1);
      tokens.expect(")");
      return call(token, argument);
    }
    int index = inputs.indexOf(name);
    if (index < 0) {
      throw tokens.unreadable(
          token, "'%s' is not an input; known are %s".formatted(name, String.join(", ", inputs)));
    }
    return new Expression.Input(index, name);
  }

  private Expression signed(int depth) throws Unreadable {
    if (tokens.takeIf("-")) {
      return new Expression.Binary('-', new Expression.Constant(0), atom(depth + 1));
    }
    if (tokens.takeIf("+")) {
      return atom(depth + 1);
    }
    return new Expression.Constant(tokens.number());
  }

  private Expression call(Token token, Expression argument) throws Unreadable {
    for (Expression.Call.Name name : Expression.Call.Name.values()) {
      if (name.name().equals(token.upper())) {
        return new Expression.Call(name, argument);
      }
    }
    throw tokens.unreadable(
        token,
        "'%s' is not a function; use exp, ln, log, sin, cos, tan or abs".formatted(token.text()));
  }
}
