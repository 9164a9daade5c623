package io.idlalayer.modelcontroller.update;

/**
 * The area rule of Dooly, Goldman and Scott in virtual time (update-timing, 4.4): fires when the
 * total waiting W(t) = sum (t - a_k) + lambda*s*(s-1) reaches omega*C, that is at T = (omega*C +
 * sum a - lambda*s*(s-1)) / s. 2-competitive for omega = 1; never later than {@link DlaRule}.
 */
final class AreaRule implements UpdateRule {
  private final double omega;

  private double lambda;
  private double threshold;
  private double sumSeconds;

  AreaRule(double omega) {
    this.omega = omega;
  }

  @Override
  public void arrived(PendingQueue pending, long nowNanos, int count) {
    sumSeconds += count * pending.seconds(nowNanos);
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    threshold = omega * costs.updateCost();
    sumSeconds = 0;
    for (int run = 0; run < pending.runs(); run++) {
      sumSeconds += pending.count(run) * pending.seconds(pending.timeNanos(run));
    }
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    double s = pending.size();
    return pending.nanos((threshold + sumSeconds - lambda * s * (s - 1)) / s);
  }

  @Override
  public double charge(PendingQueue pending, long nowNanos) {
    if (pending.isEmpty()) {
      return 0;
    }
    double s = pending.size();
    return s * pending.seconds(nowNanos) - sumSeconds + lambda * s * (s - 1);
  }

  @Override
  public double threshold() {
    return threshold;
  }
}
