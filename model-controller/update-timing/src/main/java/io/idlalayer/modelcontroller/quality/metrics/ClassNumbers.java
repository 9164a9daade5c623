package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.sample.change.ColumnMap;
import java.util.Arrays;

/** The numbers of classes after a change, by their numbers before it. Immutable. */
public final class ClassNumbers {
  private final int[] after;
  private final boolean sameScores;

  /**
   * @param classes where the classes come from
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
   * Returns the number of a class after the change; {@link ClassAnswer#NONE} for a class that is
   * gone, and for none.
   */
  public int of(int number) {
    return number == ClassAnswer.NONE ? number : after[number];
  }

  /** Returns a label after the change; NaN for a class that is gone, and for none. */
  public double of(double label) {
    int number = Double.isNaN(label) ? ClassAnswer.NONE : of((int) label);
    return number == ClassAnswer.NONE ? Double.NaN : number;
  }

  /**
   * Returns the weights of classes by their numbers after the change.
   *
   * @param weights by number before the change; there may be fewer than classes
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
   * probability is that of the second class; with more, that of the predicted class.
   */
  boolean sameScores() {
    return sameScores;
  }
}
