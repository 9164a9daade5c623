package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.DataSettings.Replay;

/** Makes selection policies by name. */
public final class SelectionPolicies {
  private SelectionPolicies() {}

  /**
   * The policy of the settings.
   *
   * @param seed of everything that is drawn at random
   */
  public static SelectionPolicy of(Replay settings, long seed) {
    return switch (settings.policy()) {
      case FUZZY -> new LifetimeSelection(settings, seed);
      case STAGE_SHARES -> new StageSelection(settings, seed);
      case UNIFORM, NEWEST_WINDOW, RESERVOIR, LOSS, GRADIENT_NORM, REDUCIBLE_LOSS ->
          new RankedSelection(settings, seed);
      case CLASS_BALANCED -> new ClassBalancedSelection(settings, seed);
    };
  }
}
