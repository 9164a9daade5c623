package io.idlalayer.middleware.sample.change;

/**
 * A class of which no label has come yet. Its probability is the lowest probability that the prior
 * gives to a class without labels: the estimate of Krichevsky and Trofimov (1981) after a whole
 * window of labels of other classes.
 */
public final class UnseenClass {
  /** Number of labels in the window of the prior. */
  public static final int WINDOW = 10_000;

  /** Count that is added to the labels of each class. */
  public static final double COUNT = 0.5;

  /**
   * Probability with which no-change predicts that a class follows itself, before the class ever
   * came.
   */
  public static final double REPEATS = 0.5;

  private UnseenClass() {}

  /**
   * Returns the probability of a class without labels.
   *
   * @param classes number of all classes, at least 1
   */
  public static double probability(int classes) {
    return COUNT / (WINDOW + COUNT * classes);
  }
}
