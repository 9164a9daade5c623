package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts how often each class occurred, was predicted, and was predicted correctly: since the
 * stream began, and among the last {@link #WINDOW} samples. Counts are of samples; only shares of
 * the last samples are weighted by the samples' importance. Confined to one thread.
 */
final class ClassCounts {
  static final int WINDOW = 1_000;

  /** Number of state fields. */
  static final int FIELDS = 10;

  /** Marks a sample for which no class was predicted. */
  private static final int NONE = -1;

  private final List<String> names;
  private final TreeMap<Integer, Count> counts = new TreeMap<>();
  private final int[] recentLabels = new int[WINDOW];
  private final int[] recentPredicted = new int[WINDOW];

  /**
   * Predictions of the no-change reference for the last samples; below, those of the majority
   * reference.
   */
  private final int[] recentNoChange = new int[WINDOW];

  private final int[] recentMajority = new int[WINDOW];
  private final double[] recentWeights = new double[WINDOW];
  private long added;

  /** The counts of one class. */
  private static final class Count {
    private long samples;
    private long predicted;
    private long correct;
  }

  /**
   * The label of a sample, and what was predicted for it.
   *
   * @param predicted its predicted class, NaN for none
   * @param noChange what repeating the label before predicted, NaN for nothing
   * @param majority what the most frequent label predicted, NaN for nothing
   * @param weight importance weight of the sample
   */
  record Answers(double label, double predicted, double noChange, double majority, double weight) {}

  /**
   * @param names names of the classes, by number
   */
  ClassCounts(List<String> names) {
    this.names = names;
  }

  /** Adds the label and the predictions of a sample. */
  void add(Answers answers) {
    int of = (int) answers.label();
    int answer = classOf(answers.predicted());
    count(of).samples++;
    if (answer != NONE) {
      count(answer).predicted++;
    }
    if (answer == of) {
      count(of).correct++;
    }
    int at = (int) (added % WINDOW);
    recentLabels[at] = of;
    recentPredicted[at] = answer;
    recentNoChange[at] = classOf(answers.noChange());
    recentMajority[at] = classOf(answers.majority());
    recentWeights[at] = answers.weight();
    added++;
  }

  private static int classOf(double predicted) {
    return Double.isNaN(predicted) ? NONE : (int) predicted;
  }

  private Count count(int label) {
    return counts.computeIfAbsent(label, key -> new Count());
  }

  private int recent() {
    return (int) Math.min(added, WINDOW);
  }

  /**
   * Returns the share of the last samples whose class the model predicted; NaN before the first.
   */
  double recentAccuracy() {
    return recentShare(recentPredicted);
  }

  /**
   * Returns the share of the last samples whose class equals that of the sample before them; NaN
   * before the first.
   */
  double recentNoChangeAccuracy() {
    return recentShare(recentNoChange);
  }

  /**
   * Returns the share of the last samples whose class was the most frequent one until then; NaN
   * before the first.
   */
  double recentMajorityAccuracy() {
    return recentShare(recentMajority);
  }

  /**
   * Returns the share of right answers among the last samples by weight; by number if all of them
   * have weight 0.
   */
  private double recentShare(int[] answers) {
    double weight = 0;
    double correctWeight = 0;
    int correct = 0;
    for (int i = 0; i < recent(); i++) {
      boolean right = recentLabels[i] == answers[i];
      weight += recentWeights[i];
      correctWeight += right ? recentWeights[i] : 0;
      correct += right ? 1 : 0;
    }
    return weight > 0 ? correctWeight / weight : correct / (double) recent();
  }

  /**
   * Returns the quality of the classes in the order of their numbers. If there are too many
   * classes, it covers those that were most frequent among the last samples, then those that were
   * most frequent overall.
   */
  List<PrequentialSummary.ClassQuality> summaries() {
    Map<Integer, Count> lately = lately();
    return counts.keySet().stream()
        .sorted(
            Comparator.comparingLong((Integer label) -> recent(lately, label).samples)
                .thenComparingLong(label -> count(label).samples)
                .reversed())
        .limit(PrequentialSummary.MOST_CLASSES)
        .sorted()
        .map(label -> summary(label, recent(lately, label)))
        .toList();
  }

  private static Count recent(Map<Integer, Count> lately, int label) {
    return lately.getOrDefault(label, new Count());
  }

  private PrequentialSummary.ClassQuality summary(int label, Count recent) {
    Count count = count(label);
    return new PrequentialSummary.ClassQuality(
        label < names.size() ? names.get(label) : Integer.toString(label),
        count.samples,
        count.predicted,
        count.correct,
        recent.samples,
        recent.predicted,
        recent.correct);
  }

  private Map<Integer, Count> lately() {
    Map<Integer, Count> lately = new HashMap<>();
    for (int i = 0; i < recent(); i++) {
      Count of = lately.computeIfAbsent(recentLabels[i], key -> new Count());
      of.samples++;
      of.correct += recentLabels[i] == recentPredicted[i] ? 1 : 0;
      if (recentPredicted[i] != NONE) {
        lately.computeIfAbsent(recentPredicted[i], key -> new Count()).predicted++;
      }
    }
    return lately;
  }

  /**
   * Writes the counts to {@link #FIELDS} fields of the state, beginning with field {@code from}.
   */
  StateWriter write(StateWriter out, int from) {
    int[] labels = counts.keySet().stream().mapToInt(Integer::intValue).toArray();
    return out.putLong(from, added)
        .putInts(from + 1, Arrays.copyOf(recentLabels, recent()))
        .putInts(from + 2, Arrays.copyOf(recentPredicted, recent()))
        .putInts(from + 3, labels)
        .putLongs(from + 4, counts.values().stream().mapToLong(each -> each.samples).toArray())
        .putLongs(from + 5, counts.values().stream().mapToLong(each -> each.predicted).toArray())
        .putLongs(from + 6, counts.values().stream().mapToLong(each -> each.correct).toArray())
        .putInts(from + 7, Arrays.copyOf(recentNoChange, recent()))
        .putInts(from + 8, Arrays.copyOf(recentMajority, recent()))
        .putDoubles(from + 9, Arrays.copyOf(recentWeights, recent()));
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    long total = in.getLong(from);
    int[] lateLabels = in.getInts(from + 1);
    int[] latePredicted = in.getInts(from + 2);
    int[] labels = in.getInts(from + 3);
    long[] samples = in.getLongs(from + 4);
    long[] predicted = in.getLongs(from + 5);
    long[] correct = in.getLongs(from + 6);
    int[] lateNoChange = in.getInts(from + 7);
    int[] lateMajority = in.getInts(from + 8);
    double[] lateWeights = in.getDoubles(from + 9);
    if (lateLabels.length != Math.min(total, WINDOW)
        || latePredicted.length != lateLabels.length
        || lateNoChange.length != lateLabels.length
        || lateMajority.length != lateLabels.length
        || lateWeights.length != lateLabels.length
        || samples.length != labels.length
        || predicted.length != labels.length
        || correct.length != labels.length) {
      throw in.refused("its counts of classes contradict each other");
    }
    added = total;
    System.arraycopy(lateLabels, 0, recentLabels, 0, lateLabels.length);
    System.arraycopy(latePredicted, 0, recentPredicted, 0, latePredicted.length);
    System.arraycopy(lateNoChange, 0, recentNoChange, 0, lateNoChange.length);
    System.arraycopy(lateMajority, 0, recentMajority, 0, lateMajority.length);
    System.arraycopy(lateWeights, 0, recentWeights, 0, lateWeights.length);
    counts.clear();
    for (int i = 0; i < labels.length; i++) {
      Count count = count(labels[i]);
      count.samples = samples[i];
      count.predicted = predicted[i];
      count.correct = correct[i];
    }
  }
}
