package io.idlalayer.modelcontroller.mixing;

import java.util.List;

/**
 * Adds the weighted progress of several learners to the parameters from which they started, with
 * 64-bit numbers and in the order in which the caller lists the learners. So equal inputs give
 * equal bits.
 *
 * <p>The running mean of a batch normalization is averaged as all other parameters are. The running
 * variance is the mean of the variances plus the variance of the means, because the learners have
 * seen different samples.
 */
public final class ParameterMix {
  private ParameterMix() {}

  /**
   * The progress of a learner: the parameters that the learner has now, and the parameters from
   * which the progress is computed.
   *
   * @param share share of the learner in the sum, at least 0; the shares of all learners add up to
   *     1
   * @param scale factor of the length of the progress, 1 unless the progress is shortened
   */
  public record Progress(float[] from, float[] to, double share, double scale) {
    /**
     * Returns the length of the progress before it is shortened: the square root of the sum of
     * squares.
     */
    public double length() {
      double sum = 0;
      for (int i = 0; i < from.length; i++) {
        double step = (double) to[i] - from[i];
        sum += step * step;
      }
      return Math.sqrt(sum);
    }

    private double step(int i) {
      return scale * ((double) to[i] - from[i]);
    }
  }

  /**
   * Returns the base parameters plus the progress of all learners.
   *
   * @param progress progress of each learner, in the order of their partitions; can be empty
   */
  public static float[] mixed(
      float[] base, List<Progress> progress, List<Normalization> normalizations) {
    float[] mixed = new float[base.length];
    for (int i = 0; i < mixed.length; i++) {
      mixed[i] = (float) sum(base[i], progress, i);
    }
    for (Normalization each : normalizations) {
      for (int i = 0; i < each.length(); i++) {
        int mean = each.means() + i;
        int variance = each.variances() + i;
        double middle = sum(base[mean], progress, mean);
        double spread = 0;
        for (Progress learner : progress) {
          double apart = base[mean] + learner.step(mean) - middle;
          spread += learner.share() * apart * apart;
        }
        mixed[variance] = (float) Math.max(0, sum(base[variance], progress, variance) + spread);
      }
    }
    return mixed;
  }

  private static double sum(float base, List<Progress> progress, int i) {
    double sum = base;
    for (Progress each : progress) {
      sum += each.share() * each.step(i);
    }
    return sum;
  }

  /**
   * Returns the parameters of a learner after a mixed model has taken the place of the part that
   * the learner had contributed. Everything that the learner has learned since its contribution
   * stays.
   *
   * @param local parameters that the learner has now
   * @param contributed the learner's parameters at its contribution, which the mixed model contains
   * @param mixed parameters of the mixed model
   */
  public static float[] adopted(
      float[] local, float[] contributed, float[] mixed, List<Normalization> normalizations) {
    float[] adopted = new float[local.length];
    for (int i = 0; i < adopted.length; i++) {
      adopted[i] = adopted(local[i], contributed[i], mixed[i]);
    }
    for (Normalization each : normalizations) {
      for (int i = each.variances(); i < each.variances() + each.length(); i++) {
        adopted[i] = Math.max(0, adopted[i]);
      }
    }
    return adopted;
  }

  /**
   * Returns one number of a learner after a mixed model has taken the place of the part that the
   * learner had contributed.
   */
  static float adopted(float local, float contributed, float mixed) {
    // For a parameter that has not changed since the contribution, all learners must have the same
    // bits.
    return local == contributed ? mixed : (float) (local + ((double) mixed - contributed));
  }

  /**
   * Returns whether all numbers of a base are finite after the whole progress of a learner is
   * added. If they are finite, they are also finite after a part of this progress, and after the
   * weighted progress of several such learners. The variance of the means that a batch
   * normalization adds is not considered.
   *
   * @param from the numbers from which the progress is computed
   * @param to the numbers that the learner has now
   */
  public static boolean reaches(float[] base, float[] from, float[] to) {
    for (int i = 0; i < base.length; i++) {
      if (!Float.isFinite((float) (base[i] + ((double) to[i] - from[i])))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether all numbers are finite. */
  public static boolean finite(float[] values) {
    for (float value : values) {
      if (!Float.isFinite(value)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the distance of two vectors. */
  public static double distance(float[] one, float[] other) {
    return new Progress(one, other, 1, 1).length();
  }
}
