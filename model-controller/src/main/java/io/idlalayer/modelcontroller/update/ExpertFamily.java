package io.idlalayer.modelcontroller.update;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;

/**
 * The 69 stationary rules of the learned policy (update-timing, section 5): area(omega) and
 * count(beta * economic order quantity), each also with an idle rule s*(t - last) >= eta*C, plus
 * plain area(1), immediate and two regret rules. Columns, one entry per rule; what a rule does not
 * have is infinite, zeta 0.
 */
final class ExpertFamily {
  /** Gains of the two running means of the gap. */
  static final double[] GAINS = {0.15, 0.01};

  /** The rule to start with: area(1). */
  static final int DEFAULT = 0;

  private static final double NONE = Double.POSITIVE_INFINITY;
  private static final double[] OMEGAS = {0.25, 0.5, 0.75, 1, 1.5};
  private static final double[] BETAS = {0.6, 0.8, 1, 1.3};
  private static final double[] ETAS = {0.03, 0.1, 0.3, 1, 2};

  final double[] omega;
  final double[] beta;
  final int[] gain;
  final double[] eta;
  final double[] zeta;

  /** Where the rules that count begin: first those by the fast mean, then as many by the slow. */
  final int counting;

  /** How many come before the immediate rule and the regret rules. */
  final int plain;

  /** The rule that trains every sample at once. */
  final int immediate;

  /**
   * One rule.
   *
   * @param beta 0 means immediately
   * @param gain which running mean of the gap a count rule uses
   */
  private record Expert(double omega, double beta, int gain, double eta, double zeta) {}

  private ExpertFamily(List<Expert> experts) {
    omega = experts.stream().mapToDouble(Expert::omega).toArray();
    beta = experts.stream().mapToDouble(Expert::beta).toArray();
    gain = experts.stream().mapToInt(Expert::gain).toArray();
    eta = experts.stream().mapToDouble(Expert::eta).toArray();
    zeta = experts.stream().mapToDouble(Expert::zeta).toArray();
    counting = first(beta, b -> b > 0 && b < NONE);
    immediate = first(beta, b -> b == 0);
    plain = immediate;
  }

  private static int first(double[] column, DoublePredicate wanted) {
    return IntStream.range(0, column.length)
        .filter(e -> wanted.test(column[e]))
        .findFirst()
        .orElseThrow();
  }

  static ExpertFamily shipped() {
    List<Expert> experts = new ArrayList<>();
    experts.add(new Expert(1, NONE, 0, NONE, 0));
    for (double eta : ETAS) {
      for (double omega : OMEGAS) {
        experts.add(new Expert(omega, NONE, 0, eta, 0));
      }
    }
    for (int gain = 0; gain < GAINS.length; gain++) {
      for (double eta : ETAS) {
        for (double beta : BETAS) {
          experts.add(new Expert(NONE, beta, gain, eta, 0));
        }
      }
    }
    experts.add(new Expert(NONE, 0, 0, NONE, 0));
    experts.add(new Expert(NONE, NONE, 0, NONE, 1));
    experts.add(new Expert(NONE, NONE, 0, NONE, 0.5));
    return new ExpertFamily(experts);
  }

  int size() {
    return omega.length;
  }

  /** For people. */
  String name(int expert) {
    StringBuilder name = new StringBuilder();
    if (zeta[expert] > 0) {
      name.append(String.format(Locale.ROOT, "regret %.4g C", zeta[expert]));
    } else if (beta[expert] == 0) {
      name.append("immediately");
    } else if (beta[expert] < NONE) {
      String mean = gain[expert] == 0 ? "fast" : "slow";
      name.append(
          String.format(Locale.ROOT, "count %.4g of the best batch, %s mean", beta[expert], mean));
    } else {
      name.append(String.format(Locale.ROOT, "area %.4g C", omega[expert]));
    }
    if (eta[expert] < NONE) {
      name.append(String.format(Locale.ROOT, " or idle %.4g C", eta[expert]));
    }
    return name.toString();
  }
}
