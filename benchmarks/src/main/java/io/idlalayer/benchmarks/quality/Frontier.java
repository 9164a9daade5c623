package io.idlalayer.benchmarks.quality;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The best accuracy that a contender reaches at each cost. The frontier has the contender's
 * configurations, except each configuration that another one equals or beats in accuracy without a
 * higher cost. Between two points of the frontier, accuracy and cost are interpolated.
 */
final class Frontier {
  private final List<Point> points;

  /** A configuration's cost (seconds or rows) and accuracy. */
  record Point(String configuration, double cost, double accuracy) {}

  private Frontier(List<Point> points) {
    this.points = points;
  }

  /** Returns the frontier of configurations. */
  static Frontier of(List<Point> configurations) {
    if (configurations.isEmpty()) {
      throw new IllegalArgumentException("a frontier needs a configuration");
    }
    List<Point> sorted = new ArrayList<>(configurations);
    sorted.sort(
        Comparator.comparingDouble(Point::cost)
            .thenComparing(Comparator.comparingDouble(Point::accuracy).reversed()));
    List<Point> undominated = new ArrayList<>();
    for (Point point : sorted) {
      if (undominated.isEmpty()
          || point.accuracy() > undominated.get(undominated.size() - 1).accuracy()) {
        undominated.add(point);
      }
    }
    return new Frontier(List.copyOf(undominated));
  }

  /** Returns the points of the frontier, by rising cost and accuracy. */
  List<Point> points() {
    return points;
  }

  /** Returns the point with the highest accuracy. */
  Point best() {
    return points.get(points.size() - 1);
  }

  /** Returns the least cost at which an accuracy is reached; null if it is never reached. */
  @Nullable Double costOf(double accuracy) {
    Point before = null;
    for (Point point : points) {
      if (point.accuracy() >= accuracy) {
        if (before == null) {
          return point.cost();
        }
        double share = (accuracy - before.accuracy()) / (point.accuracy() - before.accuracy());
        return before.cost() + share * (point.cost() - before.cost());
      }
      before = point;
    }
    return null;
  }

  /** Returns the highest accuracy at a cost; null if every configuration costs more. */
  @Nullable Double accuracyAt(double cost) {
    Point before = null;
    for (Point point : points) {
      if (point.cost() > cost) {
        if (before == null) {
          return null;
        }
        double share = (cost - before.cost()) / (point.cost() - before.cost());
        return before.accuracy() + share * (point.accuracy() - before.accuracy());
      }
      before = point;
    }
    return best().accuracy();
  }
}
