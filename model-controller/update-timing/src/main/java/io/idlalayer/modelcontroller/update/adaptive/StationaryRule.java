package io.idlalayer.modelcontroller.update.adaptive;

import java.util.Locale;

/**
 * A rule with fixed parameters, which trains as soon as one of its conditions holds. For a
 * condition that the rule does not have, the parameter is infinite; for the regret, zeta is 0.
 *
 * @param omega trains when the waiting W of the group reaches omega * C
 * @param beta trains when the group has beta * sqrt(2C / mean virtual gap) samples. With beta = 1
 *     this is the cheapest batch at a steady rate (economic order quantity). With 0 the rule trains
 *     every sample at once
 * @param gapMean which running mean of the gap is used with beta, {@link GapMeans#FAST} or {@link
 *     GapMeans#SLOW}
 * @param eta trains when s * (time since the latest arrival) reaches eta * C, where s is the number
 *     of samples of the group
 * @param zeta trains when the regret R of the group reaches zeta * C; 0 if the rule ignores the
 *     regret
 */
record StationaryRule(double omega, double beta, int gapMean, double eta, double zeta) {
  static final double NO_LIMIT = Double.POSITIVE_INFINITY;

  static StationaryRule area(double omega, double eta) {
    return new StationaryRule(omega, NO_LIMIT, 0, eta, 0);
  }

  static StationaryRule count(double beta, int gapMean, double eta) {
    return new StationaryRule(NO_LIMIT, beta, gapMean, eta, 0);
  }

  static StationaryRule immediate() {
    return new StationaryRule(NO_LIMIT, 0, 0, NO_LIMIT, 0);
  }

  static StationaryRule regret(double zeta) {
    return new StationaryRule(NO_LIMIT, NO_LIMIT, 0, NO_LIMIT, zeta);
  }

  /** Returns the displayed name of the rule. */
  String name() {
    String idle = eta < NO_LIMIT ? String.format(Locale.ROOT, " or idle %.4g C", eta) : "";
    return condition() + idle;
  }

  private String condition() {
    if (zeta > 0) {
      return String.format(Locale.ROOT, "regret %.4g C", zeta);
    }
    if (beta == 0) {
      return "immediately";
    }
    if (beta < NO_LIMIT) {
      String mean = gapMean == GapMeans.FAST ? "fast" : "slow";
      return String.format(Locale.ROOT, "count %.4g of the best batch, %s mean", beta, mean);
    }
    return String.format(Locale.ROOT, "area %.4g C", omega);
  }
}
