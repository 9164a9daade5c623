package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Two predictors that any model must beat: the label before, and the most frequent label so far. Of
 * equally frequent labels the one that was first as frequent stays. Confined to one thread.
 */
public final class ReferenceLabels {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 5;

  private final Task task;
  private final Map<Integer, Long> counts = new HashMap<>();
  private double last = Double.NaN;
  private double frequent = Double.NaN;
  private long frequentCount;
  private double noChange = Double.NaN;
  private double majority = Double.NaN;

  public ReferenceLabels(Task task) {
    this.task = task;
  }

  /**
   * Adds the next label of the stream; {@link #noChange} and {@link #majority} then return what was
   * predicted for it.
   */
  public void add(double label) {
    noChange = last;
    majority = frequent;
    last = label;
    if (task == Task.CLASSIFICATION) {
      long count = counts.merge((int) label, 1L, Long::sum);
      if (count > frequentCount) {
        frequentCount = count;
        frequent = label;
      }
    }
  }

  /** Returns the label before the last one; NaN for the first. */
  public double noChange() {
    return noChange;
  }

  /** Returns the most frequent label before the last one; NaN for the first and for targets. */
  public double majority() {
    return majority;
  }

  /** Writes the counts to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    int[] labels = new int[counts.size()];
    long[] ofLabels = new long[labels.length];
    int at = 0;
    for (Map.Entry<Integer, Long> entry : new TreeMap<>(counts).entrySet()) {
      labels[at] = entry.getKey();
      ofLabels[at++] = entry.getValue();
    }
    return out.putLong(from, frequentCount)
        .putDouble(from + 1, last)
        .putDouble(from + 2, frequent)
        .putInts(from + 3, labels)
        .putLongs(from + 4, ofLabels);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    int[] labels = in.getInts(from + 3);
    long[] ofLabels = in.getLongs(from + 4);
    if (labels.length != ofLabels.length) {
      throw in.refused("%d labels have %d counts".formatted(labels.length, ofLabels.length));
    }
    frequentCount = in.getLong(from);
    last = in.getDouble(from + 1);
    frequent = in.getDouble(from + 2);
    counts.clear();
    for (int i = 0; i < labels.length; i++) {
      counts.put(labels[i], ofLabels[i]);
    }
  }
}
