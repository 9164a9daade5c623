package io.idlalayer.modelcontroller.replay;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.update.Certificate;
import io.idlalayer.modelcontroller.update.PendingQueue;
import io.idlalayer.modelcontroller.update.RuleCosts;
import io.idlalayer.modelcontroller.update.UpdateRule;
import io.idlalayer.modelcontroller.update.UpdateRules;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Adaptive adversaries: they watch the learned rule and answer. What they send is recorded, so that
 * the same arrivals can be replayed; the rule is deterministic.
 */
public final class CommitAdversary {
  private final ScheduleCosts costs;
  private final PendingQueue pending = new PendingQueue();
  private final Certificate certificate;
  private final UpdateRule rule;
  private double[] sent = new double[16];
  private int count;

  private CommitAdversary(ScheduleCosts costs, boolean guarded) {
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
   * Sends bursts: each begins right behind the last commit, or long after it.
   *
   * @param burst most samples of one
   * @param guarded whether the rule that is watched has its guard
   */
  public static double[] arrivals(
      ScheduleCosts costs, int rounds, int burst, long seed, boolean guarded) {
    CommitAdversary adversary = new CommitAdversary(costs, guarded);
    SplittableRandom random = new SplittableRandom(seed);
    long now = 0;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i <= random.nextInt(burst); i++) {
        adversary.send(now);
      }
      long commit = adversary.run();
      now = commit + (random.nextInt(4) > 0 ? 1 : (long) (random.nextDouble() * 20e9));
    }
    return Arrays.copyOf(adversary.sent, adversary.count);
  }

  /**
   * Does the opposite of what the rule expects: who commits at once gets the next sample right
   * behind it; who waits for company is left alone.
   *
   * @param samples how many to send
   * @param patience what counts as at once, in units of C of waiting
   */
  public static double[] contrary(ScheduleCosts costs, int samples, double patience) {
    CommitAdversary adversary = new CommitAdversary(costs, false);
    long now = 0;
    while (adversary.count < samples) {
      adversary.send(now);
      long committed = adversary.run();
      boolean atOnce = (committed - now) / 1e9 <= patience * costs.updateCost();
      now = committed + (atOnce ? 1 : Math.round(costs.updateCost() * 1e11));
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
      commit(nanos);
    }
  }

  /** Lets everything fire; the moment of the last commit. */
  private long run() {
    long last = Math.round(sent[count - 1] * 1e9);
    while (!pending.isEmpty()) {
      last = rule.nextFiringNanos(pending);
      commit(last);
    }
    return last;
  }

  private void commit(long nanos) {
    int batch = rule.batchSize(pending, nanos);
    certificate.committed(pending, batch, nanos);
    rule.committed(pending, batch, nanos);
    pending.removeOldest(batch);
    rule.rearm(pending, RuleCosts.of(costs), nanos);
  }
}
