package io.idlalayer.middleware.sample.change;

/**
 * A class of which no label has come yet. Its probability is the lowest one that the prior gives to
 * such a class: the estimate of Krichevsky and Trofimov (1981) after a whole window of labels of
 * other classes.
 */
public final class UnseenClass {
  /** Number of labels in the window of the prior. */
  public static final int WINDOW = 10_000;

  /** Count that each class has besides its labels. */
  public static final double COUNT = 0.5;

  /** Probability that no-change gives to a class to follow itself before it ever came. */
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
