package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.UnseenClass;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.Arrays;

/**
 * The frequencies of the classes in about the last {@link #WINDOW} labels, where recent labels
 * count more than older labels. Before the first label all classes are equally probable. No class
 * ever has probability 0. Confined to one thread.
 */
final class ClassPrior {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 2;

  static final int WINDOW = UnseenClass.WINDOW;

  /** Count that is added to the labels of each class (Krichevsky and Trofimov 1981). */
  private static final double AT_FIRST = UnseenClass.COUNT;

  private static final double FORGETTING = 1 - 1.0 / WINDOW;

  /** Unit of counts beyond which all are scaled down. */
  private static final double LARGEST_UNIT = 1e100;

  /**
   * Counts of the classes. The unit of new counts grows with each label, which has the effect of
   * scaling the older counts down.
   */
  private final double[] counts;

  private double unit = 1;

  /**
   * @param classes number of classes, at least 1
   */
  ClassPrior(int classes) {
    counts = new double[classes];
  }

  /**
   * Adds the next label of the stream.
   *
   * @param weight importance weight of its sample, at least 0
   */
  void add(int label, double weight) {
    unit /= FORGETTING;
    counts[label] += weight * unit;
    if (unit > LARGEST_UNIT) {
      scaleDown();
    }
  }

  private void scaleDown() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] /= unit;
    }
    unit = 1;
  }

  /** Returns the probability of each class. */
  double[] probabilities() {
    double sum = 0;
    for (double count : counts) {
      sum += count + AT_FIRST * unit;
    }
    double[] probabilities = new double[counts.length];
    for (int i = 0; i < counts.length; i++) {
      probabilities[i] = (counts[i] + AT_FIRST * unit) / sum;
    }
    return probabilities;
  }

  /** Writes the counts to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDoubles(from, counts).putDouble(from + 1, unit);
  }

  /**
   * Reads the fields that {@link #write} has written.
   *
   * @param classes for each present class, the class from which it comes before a change of the
   *     classes
   */
  void read(StateReader in, int from, ColumnMap classes) {
    double[] stored = in.getDoubles(from, classes.before());
    double scale = in.getDouble(from + 1);
    if (Arrays.stream(stored).anyMatch(count -> !(count >= 0 && count < Double.POSITIVE_INFINITY))
        || !(scale >= 1 && scale < Double.POSITIVE_INFINITY)) {
      throw in.refused("its counts of classes are not numbers");
    }
    System.arraycopy(
        classes.mapped(stored, new double[counts.length]), 0, counts, 0, counts.length);
    unit = scale;
  }
}
