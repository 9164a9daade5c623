package io.idlalayer.modelcontroller.update.adaptive;

import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.RegretDeadline;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.WaitingGroup;

/**
 * Guards the bound of the adaptive rule: moves the time at which the leader wants to train to the
 * nearest time that keeps the bound. The permitted times follow from the free band, from inequality
 * (2) and from the cap on holding, which the description of the package {@code update.rule}
 * explains.
 */
public final class FreeBandGuard {
  /** Largest regret, in update costs, up to which a group is allowed to wait. */
  static final double HOLD_CAP = 2;

  private final Certificate certificate;
  private final double rho;
  private final boolean enforced;

  /**
   * @param certificate certificate of all arrivals, by the costs that the rule charges
   * @param rho competitive ratio that is kept, at least 2
   * @param enforced false only in experiments that show the effect of the guard: then only the cap
   *     on holding is enforced
   */
  public FreeBandGuard(Certificate certificate, double rho, boolean enforced) {
    this.certificate = certificate;
    this.rho = rho;
    this.enforced = enforced;
  }

  /**
   * The times at which a group is allowed to be trained, in seconds after its oldest arrival: all
   * times from {@code area} to {@code latest}, and all times until {@code allowed} that are not
   * after {@code latest}.
   *
   * @param area T_area, where the free band begins
   * @param allowed time until which inequality (2) holds
   * @param latest T_dla or {@code allowed}, whichever is later, but never beyond the cap
   */
  record Bounds(double area, double allowed, double latest) {
    /** Returns the wanted time, or the nearest permitted one. */
    double nearest(double wanted) {
      return wanted < area && wanted > allowed ? area : Math.min(wanted, latest);
    }
  }

  /**
   * Returns the largest waiting W of the group with which an update satisfies inequality (2) of the
   * description of the package {@code update.rule}.
   *
   * @param beforeLatestArrivals whether to use the optimum as of before the latest arrivals, which
   *     gives a smaller result
   */
  double largestArea(boolean beforeLatestArrivals) {
    if (!enforced) {
      return Double.POSITIVE_INFINITY;
    }
    return beforeLatestArrivals ? certificate.slackBeforeArrivals(rho) : certificate.slack(rho);
  }

  /**
   * Returns the bounds of a group.
   *
   * @param largestArea see {@link #largestArea}
   * @param deadline D for the threshold C
   * @param holdDeadline D for the threshold {@link #HOLD_CAP} * C
   */
  static Bounds bounds(
      WaitingGroup group,
      RuleCosts costs,
      double largestArea,
      double deadline,
      double holdDeadline) {
    double lambda = costs.secondsPerSample();
    double area = group.areaReachedSeconds(costs.updateCost(), lambda);
    double allowed = group.areaReachedSeconds(largestArea, lambda);
    double dla = RegretDeadline.reachedSeconds(deadline, group.count(), lambda);
    double hold = RegretDeadline.reachedSeconds(holdDeadline, group.count(), lambda);
    return new Bounds(area, allowed, Math.min(Math.max(dla, allowed), hold));
  }
}
