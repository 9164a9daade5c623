package io.idlalayer.middleware.placement.plan.autotm;

import java.util.Arrays;

/**
 * Finds prices whose lower bound is high, by subgradient ascent: the price of fast memory rises at
 * kernels for which the tensors that would be fast do not fit, and the weights of a kernel move to
 * the part of its interval that takes longest. One thread.
 */
final class PriceAscent {
  private static final int PATIENCE = 12;
  private static final double SMALLEST_SCALE = 1e-3;
  private static final double OLD_DIRECTION = 0.4;
  private static final double ROUNDING = 1e-9;

  private final Form form;
  private final Prices prices;
  private final double unitNanos;
  private final double unitBytes;
  private final boolean weighing;
  private final double[] memory;
  private final double[][] weights;
  private final double[] bestMemory;
  private final double[][] bestWeights;
  private final double[] memoryDirection;
  private final double[][] weightsDirection;

  /**
   * @param prices where the ascent begins; they are changed
   * @param weighing whether weights change too
   */
  PriceAscent(FlowGraph graph, Form form, Prices prices, boolean weighing) {
    this.form = form;
    this.prices = prices;
    this.weighing = weighing;
    int steps = graph.steps();
    unitNanos = Math.max(1, graph.fastNanos() / Math.max(1, steps));
    unitBytes = Math.max(1, Arrays.stream(graph.limits()).max().orElse(1));
    memory = prices.memory;
    weights = prices.weights;
    bestMemory = memory.clone();
    bestWeights = copy(weights);
    memoryDirection = new double[steps];
    weightsDirection = new double[Prices.ROWS][steps];
  }

  private static double[][] copy(double[][] rows) {
    return Arrays.stream(rows).map(double[]::clone).toArray(double[][]::new);
  }

  /**
   * Raises the lower bound and leaves the prices of the best one. Returns this bound: the
   * nanoseconds that a step takes at least under any plan of the form.
   *
   * @param reached nanoseconds of a step that is known to be possible
   */
  double run(double reached, int iterations) {
    double best = prices.value();
    double now = best;
    double scale = 1;
    int stuck = 0;
    for (int i = 0; i < iterations && scale > SMALLEST_SCALE && best < reached; i++) {
      double norm = turn(OLD_DIRECTION);
      if (norm == 0) {
        norm = turn(0);
      }
      if (norm == 0) {
        break;
      }
      move(scale * (reached - now) / norm);
      now = prices.value();
      if (now > best) {
        stuck = now - best > 1e-4 * best ? 0 : stuck + 1;
        best = now;
        System.arraycopy(memory, 0, bestMemory, 0, memory.length);
        keep(weights, bestWeights);
      } else {
        stuck++;
      }
      if (stuck > PATIENCE) {
        stuck = 0;
        scale /= 2;
        restore();
        Arrays.fill(memoryDirection, 0);
        for (double[] row : weightsDirection) {
          Arrays.fill(row, 0);
        }
        now = prices.value();
      }
    }
    restore();
    prices.value();
    return best - ROUNDING * Math.abs(best);
  }

  private void restore() {
    System.arraycopy(bestMemory, 0, memory, 0, memory.length);
    keep(bestWeights, weights);
  }

  private static void keep(double[][] from, double[][] to) {
    for (int row = 0; row < from.length; row++) {
      System.arraycopy(from[row], 0, to[row], 0, from[row].length);
    }
  }

  /** Rows of the weights that the form has. */
  private int rows() {
    return switch (form) {
      case STATIC, SYNCHRONOUS -> Prices.WRITING + 1;
      case WINDOWS -> Prices.ROWS;
    };
  }

  /** A new direction, with a share of the old one; returns its squared length. */
  private double turn(double share) {
    double norm = 0;
    for (int k = 0; k < memory.length; k++) {
      double up = prices.excess[k] / unitBytes;
      double next = up + share * memoryDirection[k];
      memoryDirection[k] = memory[k] == 0 && next < 0 ? 0 : next;
      norm += memoryDirection[k] * memoryDirection[k];
      norm += weighing ? turnWeights(k, share) : 0;
    }
    return norm;
  }

  /** Turns within the plane in which the sum of the weights stays. */
  private double turnWeights(int k, double share) {
    int rows = rows();
    boolean[] fixed = new boolean[rows];
    int free = rows;
    double mean = 0;
    for (int again = 0; again < rows; again++) {
      double sum = 0;
      free = 0;
      for (int row = 0; row < rows; row++) {
        sum += fixed[row] ? 0 : prices.loads[row][k];
        free += fixed[row] ? 0 : 1;
      }
      mean = sum / free;
      boolean changed = false;
      for (int row = 0; row < rows; row++) {
        if (!fixed[row] && weights[row][k] <= 0 && prices.loads[row][k] < mean) {
          fixed[row] = true;
          changed = true;
        }
      }
      if (!changed) {
        break;
      }
    }
    double norm = 0;
    for (int row = 0; row < rows; row++) {
      double up = fixed[row] ? 0 : (prices.loads[row][k] - mean) / unitNanos;
      double old = fixed[row] ? 0 : weightsDirection[row][k];
      weightsDirection[row][k] = up + share * old;
      norm += weightsDirection[row][k] * weightsDirection[row][k];
    }
    return norm;
  }

  private void move(double step) {
    int rows = rows();
    double[] point = new double[rows];
    for (int k = 0; k < memory.length; k++) {
      memory[k] = Math.max(0, memory[k] + step * memoryDirection[k] / unitBytes);
      if (!weighing) {
        continue;
      }
      for (int row = 0; row < rows; row++) {
        point[row] = weights[row][k] + step * weightsDirection[row][k] / unitNanos;
      }
      project(point);
      for (int row = 0; row < rows; row++) {
        weights[row][k] = point[row];
      }
    }
  }

  /** Moves a point to the nearest one whose coordinates are not negative and add up to 1. */
  private static void project(double[] point) {
    double[] sorted = point.clone();
    Arrays.sort(sorted);
    double sum = 0;
    double shift = 0;
    for (int i = sorted.length - 1, count = 1; i >= 0; i--, count++) {
      sum += sorted[i];
      double next = (sum - 1) / count;
      if (sorted[i] > next) {
        shift = next;
      }
    }
    for (int i = 0; i < point.length; i++) {
      point[i] = Math.max(0, point[i] - shift);
    }
  }
}
