package io.idlalayer.modelcontroller.update.rule;

/**
 * The virtual time at which the regret of a waiting group reaches the threshold z, in seconds after
 * its oldest arrival: the least x_k + z / k over the samples k = 1, 2, ... of the group, where x_k
 * is the virtual arrival time of the k-th oldest sample. Arrivals at one time are evaluated
 * together: among these arrivals x_k + z / k is convex in k, so it is least at the first arrival,
 * at the last arrival, or next to k = sqrt(z / (2 * lambda)).
 */
public final class RegretDeadline {
  /** Deadline of a group without samples. */
  public static final double NONE = Double.POSITIVE_INFINITY;

  private RegretDeadline() {}

  /**
   * Returns the deadline of a group after further arrivals at one time.
   *
   * @param before deadline without these arrivals; {@link #NONE} for an empty group
   * @param threshold threshold z of the regret, in sample-seconds
   * @param lambda seconds that one more sample adds to a training
   * @param seconds time of the arrivals, in seconds after the oldest arrival of the group
   * @param older number of samples of the group that arrived before
   * @param more number of arrivals, at least 1
   */
  public static double after(
      double before, double threshold, double lambda, double seconds, int older, int more) {
    int first = older + 1;
    int last = older + more;
    if (lambda == 0) {
      return Math.min(before, seconds + threshold / last);
    }
    int below = bestSplit(threshold, lambda, first, last);
    int above = Math.min(last, below + 1);
    double least =
        Math.min(2 * lambda * below + threshold / below, 2 * lambda * above + threshold / above);
    return Math.min(before, seconds + least);
  }

  /**
   * Returns the number k of a sample between {@code first} and {@code last} where the deadline x_k
   * + z / k is least, or the number before it; lambda must be above 0.
   */
  static int bestSplit(double threshold, double lambda, int first, int last) {
    double best = Math.sqrt(threshold / (2 * lambda));
    return (int) Math.max(first, Math.min(last, Math.floor(best)));
  }

  /**
   * Returns the real time at which a deadline in virtual time is reached if nothing else arrives.
   */
  public static double reachedSeconds(double deadline, int count, double lambda) {
    return deadline - 2 * lambda * count;
  }
}
