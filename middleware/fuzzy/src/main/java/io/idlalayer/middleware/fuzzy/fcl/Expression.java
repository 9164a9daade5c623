package io.idlalayer.middleware.fuzzy.fcl;

import java.util.Locale;

/** A formula over the values of the inputs, in the consequent of a rule. */
sealed interface Expression {
  double of(double[] inputs);

  /** Returns this formula in FCL, with all parentheses. */
  String text();

  record Constant(double value) implements Expression {
    @Override
    public double of(double[] inputs) {
      return value;
    }

    @Override
    public String text() {
      return Double.toString(value);
    }
  }

  record Input(int index, String name) implements Expression {
    @Override
    public double of(double[] inputs) {
      return inputs[index];
    }

    @Override
    public String text() {
      return name;
    }
  }

  record Binary(char operator, Expression left, Expression right) implements Expression {
    @Override
    public double of(double[] inputs) {
      double a = left.of(inputs);
      double b = right.of(inputs);
      return switch (operator) {
        case '+' -> a + b;
        case '-' -> a - b;
        case '*' -> a * b;
        case '/' -> a / b;
        case '%' -> a % b;
        case '^' -> Math.pow(a, b);
        default -> throw new IllegalStateException("operator " + operator);
      };
    }

    @Override
    public String text() {
      return "(" + left.text() + " " + operator + " " + right.text() + ")";
    }
  }

  record Call(Name name, Expression argument) implements Expression {
    /** Functions of one argument that a formula may call. */
    enum Name {
      EXP,
      LN,
      LOG,
      SIN,
      COS,
      TAN,
      ABS
    }

    @Override
    public double of(double[] inputs) {
      double x = argument.of(inputs);
      return switch (name) {
        case EXP -> Math.exp(x);
        case LN -> Math.log(x);
        case LOG -> Math.log10(x);
        case SIN -> Math.sin(x);
        case COS -> Math.cos(x);
        case TAN -> Math.tan(x);
        case ABS -> Math.abs(x);
      };
    }

    @Override
    public String text() {
      return name.name().toLowerCase(Locale.ROOT) + "(" + argument.text() + ")";
    }
  }
}
