package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.update.UpdateRules;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Adaptive adversaries: they watch the learned rule and choose the next arrival by what it does.
 * What they send is recorded, so that the same arrivals can be replayed; the rule is deterministic.
 */
final class ArrivalAdversary {
  private final ScheduleCosts costs;
  private final PendingQueue pending = new PendingQueue();
  private final Certificate certificate;
  private final UpdateRule rule;
  private double[] sent = new double[16];
  private int count;

  private ArrivalAdversary(ScheduleCosts costs, boolean guarded) {
    this.costs = costs;
    certificate = new Certificate(RuleCosts.of(costs));
    rule =
        guarded
            ? UpdateRules.of(
                UpdateSettings.of(RuleName.ADAPTIVE, costs.weight()), certificate, false)
            : UpdateRules.unguardedAdaptive(certificate, false);
    rule.rearm(pending, RuleCosts.of(costs), 0);
  }

  /**
   * Sends bursts: each begins right after the last update, or long after it.
   *
   * @param burst most samples of one
   * @param guarded whether the rule that is watched has its guard
   */
  static double[] arrivals(ScheduleCosts costs, int rounds, int burst, long seed, boolean guarded) {
    ArrivalAdversary adversary = new ArrivalAdversary(costs, guarded);
    SplittableRandom random = new SplittableRandom(seed);
    long now = 0;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i <= random.nextInt(burst); i++) {
        adversary.send(now);
      }
      long updated = adversary.run();
      now = updated + (random.nextInt(4) > 0 ? 1 : (long) (random.nextDouble() * 20e9));
    }
    return Arrays.copyOf(adversary.sent, adversary.count);
  }

  /**
   * Does the opposite of what the rule expects: after an update at once the next sample follows
   * immediately; when the rule waits for more samples, none comes.
   *
   * @param samples how many to send
   * @param patience what counts as at once, in units of C of waiting
   */
  static double[] contrary(ScheduleCosts costs, int samples, double patience) {
    ArrivalAdversary adversary = new ArrivalAdversary(costs, false);
    long now = 0;
    while (adversary.count < samples) {
      adversary.send(now);
      long updated = adversary.run();
      boolean atOnce = (updated - now) / 1e9 <= patience * costs.updateCost();
      now = updated + (atOnce ? 1 : Math.round(costs.updateCost() * 1e11));
    }
    return Arrays.copyOf(adversary.sent, adversary.count);
  }

  private void send(long nanos) {
    if (count == sent.length) {
      sent = Arrays.copyOf(sent, count * 2);
    }
    sent[count++] = nanos / 1e9;
    pending.add(nanos, 1);
    certificate.arrived(nanos, 1);
    rule.arrived(pending, nanos, 1);
    while (rule.nextFiringNanos(pending) <= nanos) {
      update(nanos);
    }
  }

  /** Lets everything fire; the time of the last update. */
  private long run() {
    long last = Math.round(sent[count - 1] * 1e9);
    while (!pending.isEmpty()) {
      last = rule.nextFiringNanos(pending);
      update(last);
    }
    return last;
  }

  private void update(long nanos) {
    int batch = rule.batchSize(pending, nanos);
    certificate.updateStarted(pending, batch, nanos);
    rule.updateStarted(pending, batch, nanos);
    pending.removeOldest(batch);
    rule.rearm(pending, RuleCosts.of(costs), nanos);
  }
}
