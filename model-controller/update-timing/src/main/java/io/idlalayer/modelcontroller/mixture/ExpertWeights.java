package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.Arrays;

/**
 * The weights by which the predictions of experts are averaged. They are updated by Soft-Bayes
 * (Orseau, Lattimore and Legg 2017), the form of Hedge whose weights approach the best mixture of
 * the experts instead of the best expert alone. Fixed share (Herbster and Warmuth 1998) then moves
 * a small part of all weights to equal weights, so that an expert can regain weight after a drift.
 *
 * <p>An expert gives each sample a likelihood: the probability of its class, or for a target a
 * number that falls with its error. The likelihood of the mixture is the weighted mean of these
 * likelihoods. If the weights are updated after each sample, then for every sequence of samples,
 * and for each of the N experts, the mixture's sum of {@code -ln(likelihood)} exceeds the sum of
 * this expert by at most {@code (ln N - T ln(1 - share)) / rate} after T samples. Confined to one
 * thread.
 */
final class ExpertWeights {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 1;

  /**
   * Least likelihood. A smaller likelihood counts as this value, so that one sample cannot bring
   * the weight of an expert to 0.
   */
  static final double LEAST_LIKELIHOOD = 1e-7;

  /** Largest deviation of a stored sum of weights from 1. */
  private static final double ROUNDING = 1e-6;

  private final double rate;
  private final double share;
  private final double[] weights;
  private final double[] likelihoods;

  /**
   * Creates equal weights.
   *
   * @param experts number of experts, at least 1
   * @param rate how fast the weights follow one sample, above 0 and at most 1; 1 is Bayes' rule
   * @param share share of the weights that is distributed equally after each sample, at least 0 and
   *     below 1
   */
  public ExpertWeights(int experts, double rate, double share) {
    if (experts < 1 || !(rate > 0 && rate <= 1) || !(share >= 0 && share < 1)) {
      throw new IllegalArgumentException(
          "%d experts with rate %s and share %s; at least 1, above 0 to 1, and 0 to below 1 are needed"
              .formatted(experts, rate, share));
    }
    this.rate = rate;
    this.share = share;
    weights = new double[experts];
    likelihoods = new double[experts];
    Arrays.fill(weights, 1.0 / experts);
  }

  /** Returns a copy of the weights, which are at least 0 and add up to 1. */
  public double[] weights() {
    return weights.clone();
  }

  /**
   * Updates the weights by one sample.
   *
   * @param given likelihoods by the experts, from index {@code from}; NaN counts as the least
   *     likelihood
   * @param importance weight of the sample, at least 0; a weight above {@code 1 / rate} counts as
   *     {@code 1 / rate}
   */
  public void add(double[] given, int from, double importance) {
    double step = Math.min(1, rate * importance);
    if (!(step > 0)) {
      return;
    }
    double mixed = 0;
    for (int i = 0; i < weights.length; i++) {
      double likelihood = given[from + i];
      likelihoods[i] = likelihood > LEAST_LIKELIHOOD ? likelihood : LEAST_LIKELIHOOD;
      mixed += weights[i] * likelihoods[i];
    }
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      double followed = weights[i] * (1 - step + step * likelihoods[i] / mixed);
      weights[i] = (1 - share) * followed + share / weights.length;
      sum += weights[i];
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] /= sum;
    }
  }

  /** Writes the weights to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDoubles(from, weights);
  }

  /** Reads the field that {@link #write} has written. */
  void read(StateReader in, int from) {
    double[] stored = in.getDoubles(from, weights.length);
    double sum = Arrays.stream(stored).sum();
    if (Arrays.stream(stored).anyMatch(weight -> !(weight >= 0))
        || !(Math.abs(sum - 1) <= ROUNDING)) {
      throw in.refused("the weights of its experts are %s".formatted(Arrays.toString(stored)));
    }
    System.arraycopy(stored, 0, weights, 0, weights.length);
  }
}
