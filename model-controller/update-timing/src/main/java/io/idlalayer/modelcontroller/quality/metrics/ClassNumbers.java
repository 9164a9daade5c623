package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.sample.change.ColumnMap;
import java.util.Arrays;

/**
 * The numbers of classes after a change of the classes, by their numbers before the change.
 * Immutable.
 */
public final class ClassNumbers {
  private final int[] after;
  private final boolean sameScores;

  /**
   * @param classes for each present class, the class from which it comes
   */
  public ClassNumbers(ColumnMap classes) {
    after = new int[classes.before()];
    Arrays.fill(after, ClassAnswer.NONE);
    for (int i = 0; i < classes.after(); i++) {
      if (classes.source(i) != ColumnMap.ADDED) {
        after[classes.source(i)] = i;
      }
    }
    sameScores = classes.isUnchanged() || (classes.before() > 2 && classes.after() > 2);
  }

  /**
   * Returns the number of a class after the change; {@link ClassAnswer#NONE} for a class that no
   * longer exists, and for {@code NONE}.
   */
  public int of(int number) {
    return number == ClassAnswer.NONE ? number : after[number];
  }

  /** Returns a label after the change; NaN for a class that no longer exists, and for NaN. */
  public double of(double label) {
    int number = Double.isNaN(label) ? ClassAnswer.NONE : of((int) label);
    return number == ClassAnswer.NONE ? Double.NaN : number;
  }

  /**
   * Returns the weights of classes by their numbers after the change.
   *
   * @param weights weights by number before the change; the array can be shorter than the number of
   *     classes
   */
  double[] of(double[] weights) {
    double[] changed = new double[Arrays.stream(after).max().orElse(ClassAnswer.NONE) + 1];
    for (int i = 0; i < weights.length; i++) {
      if (after[i] != ClassAnswer.NONE) {
        changed[after[i]] = weights[i];
      }
    }
    return changed;
  }

  /**
   * Returns whether probabilities have the same meaning as before the change. With two classes, a
   * probability belongs to the second class; with more classes, it belongs to the predicted class.
   */
  boolean sameScores() {
    return sameScores;
  }
}
