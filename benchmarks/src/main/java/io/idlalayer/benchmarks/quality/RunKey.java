package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.quality.Contender.Fitting;
import java.util.Locale;

/**
 * The stream, the changes and the configuration of a run.
 *
 * @param policy a policy of the product's learner, or a reference learner
 * @param rule the rule that decided when to train
 * @param batch number of new samples or events from update to update, or the weight of waiting
 * @param budget largest number of replayed samples of an update
 */
record RunKey(
    String stream,
    double flips,
    double duplicates,
    String policy,
    String rule,
    int batch,
    int budget,
    Fitting fitting,
    long seed) {

  static RunKey of(String stream, Adversary adversary, Contender contender, long seed) {
    return new RunKey(
        stream,
        adversary.flips(),
        adversary.duplicates(),
        contender.policy().key(),
        contender.rule().name().toLowerCase(Locale.ROOT),
        contender.batch(),
        contender.replayBudget(),
        contender.fitting(),
        seed);
  }

  static RunKey of(String stream, Adversary adversary, MoaReference reference, long seed) {
    return new RunKey(
        stream,
        adversary.flips(),
        adversary.duplicates(),
        reference.key(),
        "every_event",
        1,
        0,
        new Fitting(1, 1, 0),
        seed);
  }

  /**
   * Returns a text about the circumstances that all contenders of a comparison share, without the
   * seed.
   */
  String circumstances() {
    return "%s, %.0f %% flipped, %.0f %% repeated".formatted(stream, 100 * flips, 100 * duplicates);
  }

  /**
   * Returns this key with a policy name that distinguishes the product's update rule from the
   * others.
   */
  RunKey withRuleInPolicy() {
    boolean adaptive = rule.equals(Contender.Rule.WEIGHT.name().toLowerCase(Locale.ROOT));
    return adaptive
        ? new RunKey(
            stream, flips, duplicates, policy + "_adaptive", rule, batch, budget, fitting, seed)
        : this;
  }

  /**
   * Returns a text about the configuration within the policy. It has the form of epochs x rows of a
   * step for the way to pass over rows.
   */
  String configuration() {
    return "%s %d, replay %d, %d x %d, rate %s"
        .formatted(
            rule, batch, budget, fitting.epochs(), fitting.miniBatch(), fitting.learningRate());
  }
}
