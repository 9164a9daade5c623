package io.idlalayer.middleware.placement.plan.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mixed-integer linear program. Its solution are values of the variables, within their bounds,
 * that keep every row within its bounds and have the least total cost. Any thread.
 *
 * @param lower least value of each variable
 * @param upper greatest value of each variable; may be infinite
 * @param whole whether each variable takes whole numbers only
 * @param costs what a unit of each variable costs
 * @param rows constraints
 */
public record IntegerProgram(
    double[] lower, double[] upper, boolean[] whole, double[] costs, List<Row> rows) {
  /** How far a solver's whole numbers, bounds and rows may be off, as share of their terms. */
  private static final double TOLERANCE = 1e-5;

  /**
   * A constraint: the sum of factors times variables is within bounds.
   *
   * @param lower least sum; may be negative infinity
   * @param upper greatest sum; may be infinity
   * @param variables indexes of variables, each at most once
   * @param factors factor of each of these variables
   */
  public record Row(double lower, double upper, int[] variables, double[] factors) {}

  public IntegerProgram {
    rows = List.copyOf(rows);
  }

  /** Returns the number of variables. */
  public int variables() {
    return costs.length;
  }

  /** Returns what values of all variables cost. */
  public double cost(double[] values) {
    double cost = 0;
    for (int i = 0; i < costs.length; i++) {
      cost += costs[i] * values[i];
    }
    return cost;
  }

  /**
   * Returns why the given values are not a solution, as a part of a sentence; null if they are a
   * solution, apart from rounding.
   */
  public @Nullable String violation(double[] values) {
    if (values.length != costs.length) {
      return "there are %d values for %d variables".formatted(values.length, costs.length);
    }
    for (int i = 0; i < values.length; i++) {
      double value = values[i];
      double slack = TOLERANCE * Math.max(1, Math.abs(value));
      if (!(value >= lower[i] - slack && value <= upper[i] + slack)) {
        return said("variable %d is %s, not within %s and %s", i, value, lower[i], upper[i]);
      }
      if (whole[i] && Math.abs(value - Math.rint(value)) > TOLERANCE) {
        return said("variable %d is %s, which is no whole number", i, value);
      }
    }
    for (int r = 0; r < rows.size(); r++) {
      Row row = rows.get(r);
      double sum = 0;
      double terms = 1;
      for (int i = 0; i < row.variables().length; i++) {
        double term = row.factors()[i] * values[row.variables()[i]];
        sum += term;
        terms += Math.abs(term);
      }
      double slack = TOLERANCE * terms;
      if (!(sum >= row.lower() - slack && sum <= row.upper() + slack)) {
        return said("row %d is %s, not within %s and %s", r, sum, row.lower(), row.upper());
      }
    }
    return null;
  }

  private static String said(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Collects variables and rows. One thread. */
  public static final class Builder {
    private final List<Row> rows = new ArrayList<>();
    private double[] lower = new double[64];
    private double[] upper = new double[64];
    private boolean[] whole = new boolean[64];
    private double[] costs = new double[64];
    private int variables;

    /** Adds a variable that takes any value, and returns its index. */
    public int variable(double least, double most, double cost) {
      if (variables == costs.length) {
        lower = Arrays.copyOf(lower, 2 * variables);
        upper = Arrays.copyOf(upper, 2 * variables);
        whole = Arrays.copyOf(whole, 2 * variables);
        costs = Arrays.copyOf(costs, 2 * variables);
      }
      lower[variables] = least;
      upper[variables] = most;
      costs[variables] = cost;
      return variables++;
    }

    /** Adds a variable that is 0 or 1, and returns its index. */
    public int choice(double cost) {
      int added = variable(0, 1, cost);
      whole[added] = true;
      return added;
    }

    /** Adds a row: a sum is within bounds, which may be infinite. */
    public void row(double least, Sum sum, double most) {
      rows.add(sum.row(least, most));
    }

    /** Returns the program. */
    public IntegerProgram build() {
      return new IntegerProgram(
          Arrays.copyOf(lower, variables),
          Arrays.copyOf(upper, variables),
          Arrays.copyOf(whole, variables),
          Arrays.copyOf(costs, variables),
          rows);
    }
  }

  /** A sum of factors times variables, and a constant. One thread. */
  public static final class Sum {
    private final Map<Integer, Double> factors = new LinkedHashMap<>();
    private double constant;

    /** Adds a number. */
    public Sum plus(double number) {
      constant += number;
      return this;
    }

    /** Adds a factor times a variable. */
    public Sum plus(double factor, int variable) {
      factors.merge(variable, factor, Double::sum);
      return this;
    }

    /** Adds a factor times another sum. */
    public Sum plus(double factor, Sum other) {
      constant += factor * other.constant;
      other.factors.forEach((variable, own) -> plus(factor * own, variable));
      return this;
    }

    private Row row(double least, double most) {
      return new Row(
          least - constant,
          most - constant,
          factors.keySet().stream().mapToInt(Integer::intValue).toArray(),
          factors.values().stream().mapToDouble(Double::doubleValue).toArray());
    }
  }
}
