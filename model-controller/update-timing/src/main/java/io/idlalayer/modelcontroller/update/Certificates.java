package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;

/**
 * The two certificates of a controller: one computed with the costs that its rule uses, which the
 * guard needs, and one computed with the estimated costs, which is published. The two differ while
 * the fixed cost of a training is uncertain, because the rule then uses the lower end of the
 * interval of the fixed cost.
 */
final class Certificates {
  private final Certificate charged;
  private final Certificate estimated;

  Certificates(RuleCosts charges, RuleCosts estimates) {
    charged = new Certificate(charges);
    estimated = new Certificate(estimates);
  }

  /** Returns the certificate for the guard, computed with the costs that the rule uses. */
  Certificate charged() {
    return charged;
  }

  /** Returns the published certificate, computed with the estimated costs. */
  Certificate estimated() {
    return estimated;
  }

  void costs(RuleCosts charges, RuleCosts estimates) {
    charged.costs(charges);
    estimated.costs(estimates);
  }

  void arrived(long nanos, int count) {
    charged.arrived(nanos, count);
    estimated.arrived(nanos, count);
  }

  void updateStarted(PendingQueue pending, int samples, long nowNanos) {
    charged.updateStarted(pending, samples, nowNanos);
    estimated.updateStarted(pending, samples, nowNanos);
  }

  void reverted() {
    charged.reverted();
    estimated.reverted();
  }

  /**
   * Adds machine costs that exceed the estimates to the published certificate; the certificate for
   * the guard does not change.
   */
  void paidBeyond(double sampleSeconds) {
    estimated.paidBeyond(sampleSeconds);
  }
}
