package io.idlalayer.middleware.fuzzy.regression;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds cluster centres among data points by subtractive clustering (Chiu 1994). O(n^2) in the
 * points, deterministic.
 */
final class SubtractiveClustering {
  private static final double RADIUS = 0.5;
  private static final double SQUASH = 1.5;
  private static final double ACCEPT = 0.5;
  private static final double REJECT = 0.15;

  private SubtractiveClustering() {}

  /**
   * Returns the indices of the points that are cluster centres, the one of highest potential first.
   *
   * @param points each coordinate scaled to [0, 1]
   * @return indices into points, at least one, at most {@code most}
   */
  static List<Integer> centres(double[][] points, int most) {
    double[] potential = potentials(points);
    List<Integer> centres = new ArrayList<>();
    double first = 0;
    while (centres.size() < most) {
      int best = best(potential);
      double height = potential[best];
      if (centres.isEmpty()) {
        first = height;
      } else if (height <= REJECT * first) {
        break;
      } else if (height < ACCEPT * first) {
        double nearest = Double.MAX_VALUE;
        for (int centre : centres) {
          nearest = Math.min(nearest, Math.sqrt(distance(points[best], points[centre])));
        }
        if (nearest / RADIUS + height / first < 1) {
          potential[best] = 0;
          continue;
        }
      }
      centres.add(best);
      subtract(points, potential, best, height);
    }
    return centres;
  }

  private static double[] potentials(double[][] points) {
    double[] potential = new double[points.length];
    for (int i = 0; i < points.length; i++) {
      for (double[] other : points) {
        potential[i] += Math.exp(-4 * distance(points[i], other) / (RADIUS * RADIUS));
      }
    }
    return potential;
  }

  private static void subtract(double[][] points, double[] potential, int centre, double height) {
    double squashRadius = SQUASH * RADIUS;
    for (int i = 0; i < points.length; i++) {
      double near =
          Math.exp(-4 * distance(points[i], points[centre]) / (squashRadius * squashRadius));
      potential[i] = Math.max(0, potential[i] - height * near);
    }
  }

  private static int best(double[] potential) {
    int best = 0;
    for (int i = 1; i < potential.length; i++) {
      if (potential[i] > potential[best]) {
        best = i;
      }
    }
    return best;
  }

  private static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
  }
}
