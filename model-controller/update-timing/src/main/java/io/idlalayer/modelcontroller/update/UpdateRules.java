package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.update.UpdateSettings.Draw;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import io.idlalayer.modelcontroller.update.adaptive.AdaptiveRule;
import io.idlalayer.modelcontroller.update.adaptive.ExpertFamily;
import io.idlalayer.modelcontroller.update.adaptive.FreeBandGuard;
import io.idlalayer.modelcontroller.update.adaptive.LeaderChoice;
import io.idlalayer.modelcontroller.update.rule.AreaRule;
import io.idlalayer.modelcontroller.update.rule.BaselineRules;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.DlaRule;
import io.idlalayer.modelcontroller.update.rule.PaperRule;
import io.idlalayer.modelcontroller.update.rule.SpeculativeRule;
import io.idlalayer.modelcontroller.update.rule.ThresholdDraw;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;

/** Creates the update rules by their names in the settings. */
public final class UpdateRules {
  private UpdateRules() {}

  /**
   * Creates the update rule that the settings name.
   *
   * @param certificate certificate that the guard of {@code adaptive} reads; the owner of the
   *     certificate must report each arrival to the certificate before reporting it to the rule,
   *     and must report each update to the certificate
   * @param oneMachine whether a training cannot start before the previous training has ended
   */
  public static UpdateRule of(
      UpdateSettings settings, Certificate certificate, boolean oneMachine) {
    Tuning tuning = settings.tuning();
    return switch (settings.rule()) {
      case DLA -> new DlaRule(ThresholdDraw.fixed(tuning.zeta()), tuning.includeNewest());
      case AREA -> new AreaRule(tuning.omega(), tuning.includeNewest());
      case ADAPTIVE ->
          new AdaptiveRule(
              new FreeBandGuard(certificate, tuning.rho(), true),
              LeaderChoice.cheapest(),
              oneMachine);
      case DLA_RANDOM ->
          new DlaRule(
              ThresholdDraw.random(tuning.seed(), tuning.draw() == Draw.UPDATE),
              tuning.includeNewest());
      case BEST_EFFORT -> new BaselineRules.BestEffort();
      case SPECULATIVE -> new SpeculativeRule();
      case PERIODIC -> new BaselineRules.Periodic(tuning.periodSeconds());
      case COUNT -> new BaselineRules.Count(tuning.count());
      case MANUAL -> new BaselineRules.Manual();
      case PAPER -> new PaperRule();
    };
  }

  /**
   * Creates the rule {@code adaptive} without its guard, for measurements of the guard's benefit;
   * applications cannot choose it.
   */
  public static UpdateRule unguardedAdaptive(Certificate certificate, boolean oneMachine) {
    return new AdaptiveRule(unguarded(certificate), LeaderChoice.cheapest(), oneMachine);
  }

  /** Returns the number of stationary rules among which {@code adaptive} chooses. */
  public static int experts() {
    return ExpertFamily.shipped().size();
  }

  /**
   * Creates a rule that always follows one of the stationary rules of {@code adaptive};
   * applications cannot choose it.
   */
  public static UpdateRule expert(int expert, Certificate certificate, boolean oneMachine) {
    AdaptiveRule rule =
        new AdaptiveRule(unguarded(certificate), LeaderChoice.always(expert), oneMachine);
    rule.follow(expert);
    return rule;
  }

  private static FreeBandGuard unguarded(Certificate certificate) {
    return new FreeBandGuard(certificate, 2, false);
  }
}
