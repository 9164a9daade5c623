package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.metrics.ClassAnswer;
import io.idlalayer.modelcontroller.quality.metrics.ClassNumbers;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Two predictors that any model should beat. One predicts the previous label. The other predicts
 * the most frequent label so far, which is the label with the largest sum of weights. If several
 * labels are equally frequent, the predictor takes the label that reached this frequency first.
 * Confined to one thread.
 */
public final class ReferenceLabels {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 5;

  private final Task task;
  private final Map<Integer, Double> weights = new HashMap<>();
  private double last = Double.NaN;
  private double frequent = Double.NaN;
  private double frequentWeight;
  private double noChange = Double.NaN;
  private double majority = Double.NaN;

  public ReferenceLabels(Task task) {
    this.task = task;
  }

  /**
   * Adds the next label of the stream; {@link #noChange} and {@link #majority} then return the
   * predictions for this label.
   *
   * @param weight importance weight of its sample, at least 0
   */
  public void add(double label, double weight) {
    noChange = last;
    majority = frequent;
    last = label;
    if (task == Task.CLASSIFICATION) {
      double all = weights.merge((int) label, weight, Double::sum);
      if (all > frequentWeight) {
        frequentWeight = all;
        frequent = label;
      }
    }
  }

  /** Returns the label before the label that was added last; NaN after the first label. */
  public double noChange() {
    return noChange;
  }

  /**
   * Returns the most frequent label before the label that was added last; NaN after the first
   * label, and for targets.
   */
  public double majority() {
    return majority;
  }

  /** Writes the weights to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    int[] labels = new int[weights.size()];
    double[] ofLabels = new double[labels.length];
    int at = 0;
    for (Map.Entry<Integer, Double> entry : new TreeMap<>(weights).entrySet()) {
      labels[at] = entry.getKey();
      ofLabels[at++] = entry.getValue();
    }
    return out.putDouble(from, frequentWeight)
        .putDouble(from + 1, last)
        .putDouble(from + 2, frequent)
        .putInts(from + 3, labels)
        .putDoubles(from + 4, ofLabels);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    int[] labels = in.getInts(from + 3);
    double[] ofLabels = in.getDoubles(from + 4);
    if (labels.length != ofLabels.length) {
      throw in.refused("%d labels have %d weights".formatted(labels.length, ofLabels.length));
    }
    frequentWeight = in.getDouble(from);
    last = in.getDouble(from + 1);
    frequent = in.getDouble(from + 2);
    weights.clear();
    for (int i = 0; i < labels.length; i++) {
      weights.put(labels[i], ofLabels[i]);
    }
  }

  /**
   * Renumbers the classes after a change, and drops classes that no longer exist. If the most
   * frequent class is dropped, the most frequent of the remaining classes replaces it. If several
   * remaining classes are equally frequent, this is the class with the lowest number.
   */
  void changed(ClassNumbers numbers) {
    last = numbers.of(last);
    frequent = numbers.of(frequent);
    Map<Integer, Double> before = new TreeMap<>(weights);
    weights.clear();
    boolean gone = Double.isNaN(frequent);
    frequentWeight = gone ? 0 : frequentWeight;
    before.forEach(
        (label, weight) -> {
          int number = numbers.of((int) label);
          if (number != ClassAnswer.NONE) {
            weights.put(number, weight);
            if (gone && weight > frequentWeight) {
              frequentWeight = weight;
              frequent = number;
            }
          }
        });
  }
}
