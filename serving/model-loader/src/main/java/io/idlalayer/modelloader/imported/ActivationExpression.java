package io.idlalayer.modelloader.imported;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/**
 * Finds activation functions that a file computes with several operators: exporters write them so
 * if the operator set lacks the function. The functions are recognized by their values, because
 * each exporter orders the operators differently.
 */
public final class ActivationExpression {
  /** Most steps of an expression; the expressions of exporters have fewer than ten. */
  private static final int MOST_STEPS = 24;

  /** Largest difference of values that count as equal: constants of 32 bits cause differences. */
  private static final double CLOSE = 2e-6;

  private static final double[] PLACES = {
    -9, -5.5, -3.25, -2.5, -2, -1.6, -1.2, -0.9, -0.7, -0.45, -0.2, -0.05, 0, 0.1, 0.3, 0.6, 0.8,
    1.1, 1.5, 1.9, 2.3, 2.9, 3.7, 6, 11
  };

  private final List<ImportedNetwork.Node> nodes;

  public ActivationExpression(ImportedNetwork network) {
    nodes = network.nodes();
  }

  /**
   * Returns the step whose output is the input of an activation.
   *
   * @param at place of the step whose output are the values of the activation
   * @param function the activation
   * @return place of the step; -1 if the steps before {@code at} compute something else
   */
  public int source(int at, DoubleUnaryOperator function) {
    TreeSet<Integer> open = new TreeSet<>(List.of(at));
    for (int taken = 0; taken < MOST_STEPS && !open.isEmpty(); taken++) {
      int last = open.pollLast();
      if (!isElementwise(nodes.get(last).step())) {
        return -1;
      }
      open.addAll(nodes.get(last).sources());
      // Sources come before the steps that use them, so a single open step provides all inputs.
      if (open.size() == 1 && equal(at, open.first(), function)) {
        return open.first();
      }
    }
    return -1;
  }

  private static boolean isElementwise(ImportedStep step) {
    if (step instanceof ImportedStep.Activated activated) {
      return NumberFunctions.of(activated) != null;
    } else if (step instanceof ImportedStep.Affine affine) {
      return isSingle(affine.scale()) && isSingle(affine.shift());
    }
    return step instanceof ImportedStep.Combined;
  }

  private static boolean isSingle(double[] numbers) {
    for (double each : numbers) {
      if (each != numbers[0]) {
        return false;
      }
    }
    return numbers.length > 0;
  }

  private boolean equal(int at, int source, DoubleUnaryOperator function) {
    for (double x : PLACES) {
      Map<Integer, Double> known = new HashMap<>();
      known.put(source, x);
      double found = value(at, known);
      if (!(Math.abs(found - function.applyAsDouble(x)) <= CLOSE * (1 + Math.abs(x)))) {
        return false;
      }
    }
    return true;
  }

  private double value(int at, Map<Integer, Double> known) {
    Double before = known.get(at);
    if (before != null) {
      return before;
    }
    ImportedNetwork.Node node = nodes.get(at);
    double[] from = new double[node.sources().size()];
    for (int i = 0; i < from.length; i++) {
      from[i] = value(node.sources().get(i), known);
    }
    double value = value(node.step(), from);
    known.put(at, value);
    return value;
  }

  private static double value(ImportedStep step, double[] from) {
    if (step instanceof ImportedStep.Affine affine) {
      return from[0] * affine.scale()[0] + affine.shift()[0];
    } else if (step instanceof ImportedStep.Combined combined) {
      return NumberFunctions.combined(combined.operation(), from);
    } else if (step instanceof ImportedStep.Activated activated) {
      DoubleUnaryOperator function = NumberFunctions.of(activated);
      return function == null ? Double.NaN : function.applyAsDouble(from[0]);
    }
    return Double.NaN;
  }
}
