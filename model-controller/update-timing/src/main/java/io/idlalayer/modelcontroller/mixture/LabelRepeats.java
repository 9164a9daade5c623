package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.Arrays;

/**
 * Counts how often each class was followed by itself among the labels of one key. Only about the
 * last {@link #WINDOW} labels that followed a class count, and recent labels count more than older
 * labels. Confined to one thread.
 */
final class LabelRepeats {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 2;

  static final int WINDOW = 1_000;

  /**
   * Count of repetitions, and of other labels, before the first label (Krichevsky and Trofimov
   * 1981).
   */
  private static final double AT_FIRST = 0.5;

  private static final double FORGETTING = 1 - 1.0 / WINDOW;

  private final double[] repeated;
  private final double[] all;

  /**
   * @param classes number of classes, at least 1
   */
  LabelRepeats(int classes) {
    repeated = new double[classes];
    all = new double[classes];
  }

  /**
   * Adds the next label of the stream.
   *
   * @param last the label before the added label, of the same key
   * @param weight importance weight of its sample, at least 0
   */
  void add(int last, int label, double weight) {
    repeated[last] = repeated[last] * FORGETTING + (label == last ? weight : 0);
    all[last] = all[last] * FORGETTING + weight;
  }

  /**
   * Returns for each class the probability that the next label of a key is this class, if the last
   * label of the key is this class.
   */
  double[] probabilities() {
    double[] probabilities = new double[all.length];
    for (int i = 0; i < all.length; i++) {
      probabilities[i] = (repeated[i] + AT_FIRST) / (all[i] + 2 * AT_FIRST);
    }
    return probabilities;
  }

  /** Writes the counts to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDoubles(from, repeated).putDoubles(from + 1, all);
  }

  /**
   * Reads the fields that {@link #write} has written.
   *
   * @param classes for each present class, the class from which it comes before a change of the
   *     classes
   */
  void read(StateReader in, int from, ColumnMap classes) {
    double[] repetitions = in.getDoubles(from, classes.before());
    double[] counts = in.getDoubles(from + 1, classes.before());
    for (int i = 0; i < counts.length; i++) {
      if (!(repetitions[i] >= 0 && repetitions[i] <= counts[i] && Double.isFinite(counts[i]))) {
        throw in.refused(
            "its repetitions of classes are %s of %s"
                .formatted(Arrays.toString(repetitions), Arrays.toString(counts)));
      }
    }
    double[] none = new double[all.length];
    System.arraycopy(classes.mapped(repetitions, none), 0, repeated, 0, all.length);
    System.arraycopy(classes.mapped(counts, none), 0, all, 0, all.length);
  }
}
