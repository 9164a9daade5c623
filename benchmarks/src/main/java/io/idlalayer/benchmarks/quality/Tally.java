package io.idlalayer.benchmarks.quality;

/**
 * Counts the quality of predictions before training, against the true labels and against the given
 * labels. An event that came while no model was in service counts as a guess: 1/classes of a hit,
 * and a loss of ln classes.
 */
final class Tally {
  /** Number of equal parts of the stream. Accuracy is also counted for each part. */
  static final int PARTS = 20;

  private static final double LEAST_PROBABILITY = 1e-7;

  private final int classes;
  private final int events;
  private final double[] partHits = new double[PARTS];
  private final int[] partScored = new int[PARTS];
  private int scored;
  private double trueHits;
  private double givenHits;
  private double trueLoss;
  private double givenLoss;

  /**
   * @param events length of the stream
   */
  Tally(int classes, int events) {
    this.classes = classes;
    this.events = events;
  }

  /** Counts a prediction. */
  void predicted(int event, double[] probabilities, int trueLabel, int givenLabel) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      if (probabilities[i] > probabilities[best]) {
        best = i;
      }
    }
    add(event, best == trueLabel ? 1 : 0, best == givenLabel ? 1 : 0);
    trueLoss += loss(probabilities[trueLabel]);
    givenLoss += loss(probabilities[givenLabel]);
  }

  /** Counts an event that no model has predicted. */
  void guessed(int event) {
    add(event, 1.0 / classes, 1.0 / classes);
    trueLoss += Math.log(classes);
    givenLoss += Math.log(classes);
  }

  private void add(int event, double trueHit, double givenHit) {
    int part = (int) ((long) event * PARTS / events);
    partHits[part] += trueHit;
    partScored[part]++;
    trueHits += trueHit;
    givenHits += givenHit;
    scored++;
  }

  private static double loss(double probability) {
    return -Math.log(Math.max(LEAST_PROBABILITY, probability));
  }

  int scored() {
    return scored;
  }

  Quality quality() {
    double[] parts = new double[PARTS];
    for (int i = 0; i < PARTS; i++) {
      parts[i] = partScored[i] == 0 ? Double.NaN : partHits[i] / partScored[i];
    }
    double n = scored;
    return new Quality(trueHits / n, givenHits / n, trueLoss / n, givenLoss / n, parts);
  }

  /**
   * The quality of predictions before training.
   *
   * @param trueLogLoss mean of -ln p(true label)
   * @param parts accuracy on the true labels in 20 equal parts of the stream
   */
  record Quality(
      double trueAccuracy,
      double givenAccuracy,
      double trueLogLoss,
      double givenLogLoss,
      double[] parts) {}
}
