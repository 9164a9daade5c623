package io.idlalayer.middleware.fuzzy.fcl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parsed content of a rule file. Terms and variables are known by their index. */
record RuleBase(String name, List<Input> inputs, List<Output> outputs, List<Block> blocks) {

  record Term(String name, Membership shape) {}

  record Input(String name, List<Term> terms) {}

  /**
   * An output variable with its terms and its defuzzification.
   *
   * @param defaultValue NaN for "no change"
   */
  record Output(
      String name, List<Term> terms, Method method, double defaultValue, @Nullable Range range) {}

  record Range(double low, double high) {}

  /** Methods of defuzzification: how one value is computed from all conclusions about an output. */
  enum Method {
    /** Centre of gravity of the accumulated area. */
    COG,
    /** Centre of gravity of singletons and functions, as in Takagi-Sugeno models. */
    COGS,
    /** Centre of area: the value that halves the accumulated area. */
    COA,
    /** Mean of the values at which the accumulated membership is greatest. */
    MM,
    /** Leftmost maximum. */
    LM,
    /** Rightmost maximum. */
    RM;

    boolean discrete() {
      return this == COGS;
    }
  }

  /** Pairs of operators for AND and OR that obey De Morgan's laws. */
  enum Connection {
    MIN_MAX("MIN", "MAX"),
    PROD_ASUM("PROD", "ASUM"),
    BDIF_BSUM("BDIF", "BSUM"),
    DRASTIC("DMIN", "DMAX"),
    NILPOTENT("NIPMIN", "NIPMAX"),
    HAMACHER_EINSTEIN("HAMACHER", "EINSTEIN");

    final String and;
    final String or;

    Connection(String and, String or) {
      this.and = and;
      this.or = or;
    }

    double and(double a, double b) {
      return switch (this) {
        case MIN_MAX -> Math.min(a, b);
        case PROD_ASUM -> a * b;
        case BDIF_BSUM -> Math.max(0, a + b - 1);
        case DRASTIC -> a == 1 ? b : b == 1 ? a : 0;
        case NILPOTENT -> a + b > 1 ? Math.min(a, b) : 0;
        case HAMACHER_EINSTEIN -> a == 0 && b == 0 ? 0 : a * b / (a + b - a * b);
      };
    }

    double or(double a, double b) {
      return switch (this) {
        case MIN_MAX -> Math.max(a, b);
        case PROD_ASUM -> a + b - a * b;
        case BDIF_BSUM -> Math.min(1, a + b);
        case DRASTIC -> a == 0 ? b : b == 0 ? a : 1;
        case NILPOTENT -> a + b < 1 ? Math.max(a, b) : 1;
        case HAMACHER_EINSTEIN -> (a + b) / (1 + a * b);
      };
    }
  }

  /**
   * Operators by which a rule's strength shapes the membership function of the term that it
   * concludes.
   */
  enum Activation {
    MIN,
    PROD;

    double of(double strength, double membership) {
      return this == MIN ? Math.min(strength, membership) : strength * membership;
    }
  }

  /** Operators that combine the conclusions of several rules about one output. */
  enum Accumulation {
    MAX,
    BSUM,
    NSUM,
    PROBOR,
    SUM;

    double of(double a, double b) {
      return switch (this) {
        case MAX -> Math.max(a, b);
        // The norm (a + b) / max(1, a + b) bounds the sum of two at 1, as BSUM does.
        case BSUM, NSUM -> Math.min(1, a + b);
        case PROBOR -> a + b - a * b;
        case SUM -> a + b;
      };
    }
  }

  record Block(
      String name,
      Connection connection,
      Activation activation,
      Accumulation accumulation,
      List<Rule> rules) {}

  /** The condition in the premise of a rule, over the terms of inputs. */
  sealed interface Condition {
    record Is(int input, int term, boolean negated) implements Condition {}

    record Not(Condition inner) implements Condition {}

    record And(Condition left, Condition right) implements Condition {}

    record Or(Condition left, Condition right) implements Condition {}
  }

  record Conclusion(int output, int term) {}

  record Rule(
      String name, Condition condition, List<Conclusion> conclusions, double weight, int line) {}
}
