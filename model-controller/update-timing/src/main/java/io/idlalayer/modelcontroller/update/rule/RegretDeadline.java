package io.idlalayer.modelcontroller.update.rule;

/**
 * The virtual time D = min over k of (x_k + z / k) at which the regret of a group reaches z, in
 * seconds of virtual time after the oldest arrival. Arrivals at one time are taken together: x_k +
 * z / k is convex in k, so its least value is at an end of the range or beside k = sqrt(z / (2 *
 * lambda)).
 */
public final class RegretDeadline {
  /** No sample waits. */
  public static final double NONE = Double.POSITIVE_INFINITY;

  private RegretDeadline() {}

  /**
   * Returns the deadline after further arrivals at one time.
   *
   * @param before the deadline so far, {@link #NONE} for an empty group
   * @param threshold z, in sample-seconds
   * @param lambda seconds per sample
   * @param seconds arrival time
   * @param older samples of the group that arrived before
   * @param more arrivals, at least 1
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
   * Returns the k of a range for which x_k + z / k is least, or the one before it; lambda is above
   * 0.
   */
  static int bestSplit(double threshold, double lambda, int first, int last) {
    double best = Math.sqrt(threshold / (2 * lambda));
    return (int) Math.max(first, Math.min(last, Math.floor(best)));
  }

  /** Real time at which a deadline is reached if nothing else arrives. */
  public static double reachedSeconds(double deadline, int count, double lambda) {
    return deadline - 2 * lambda * count;
  }
}
