package io.idlalayer.benchmarks.clicks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Probabilities that were predicted, with what came. One thread. */
final class ClickPredictions {
  private static final double LEAST_PROBABILITY = 1e-7;

  private final List<Prediction> predictions = new ArrayList<>();

  private record Prediction(double probability, boolean positive) {}

  void add(double probability, boolean positive) {
    predictions.add(new Prediction(probability, positive));
  }

  int count() {
    return predictions.size();
  }

  /** Share of the predictions whose likelier class is the label. */
  double accuracy() {
    return predictions.stream()
        .mapToDouble(it -> it.probability() > 0.5 == it.positive() ? 1 : 0)
        .average()
        .orElse(Double.NaN);
  }

  /** Mean of -ln p(label). */
  double logLoss() {
    return predictions.stream()
        .mapToDouble(it -> loss(it.probability(), it.positive()))
        .average()
        .orElse(Double.NaN);
  }

  /**
   * Returns the log loss of predicting the rate of positives so far, with one added to both
   * classes.
   */
  double rateLogLoss() {
    double positives = 1;
    double all = 2;
    double sum = 0;
    for (Prediction each : predictions) {
      sum += loss(positives / all, each.positive());
      positives += each.positive() ? 1 : 0;
      all++;
    }
    return sum / predictions.size();
  }

  private static double loss(double probability, boolean positive) {
    return -Math.log(Math.max(LEAST_PROBABILITY, positive ? probability : 1 - probability));
  }

  /** Probability that a positive sample is ranked above a negative one; ties count half. */
  double auc() {
    List<Prediction> ascending = new ArrayList<>(predictions);
    ascending.sort(Comparator.comparingDouble(Prediction::probability));
    double ranks = 0;
    long positives = 0;
    for (int from = 0; from < ascending.size(); ) {
      int to = from;
      int tied = 0;
      while (to < ascending.size()
          && ascending.get(to).probability() == ascending.get(from).probability()) {
        tied += ascending.get(to).positive() ? 1 : 0;
        to++;
      }
      ranks += tied * (from + 1 + to) / 2.0;
      positives += tied;
      from = to;
    }
    double negatives = (double) ascending.size() - positives;
    return (ranks - positives * (positives + 1) / 2.0) / (positives * negatives);
  }
}
