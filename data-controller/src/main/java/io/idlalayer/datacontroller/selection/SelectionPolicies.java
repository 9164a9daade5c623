package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;

/** Creates selection policies by the name in the settings. */
public final class SelectionPolicies {
  private SelectionPolicies() {}

  /**
   * Creates the policy of the settings for an index. From now on, the index keeps its samples in
   * the order of the policy.
   *
   * @param seed seed of all random numbers
   */
  public static SelectionPolicy of(Replay settings, long seed, SampleIndex index) {
    return switch (settings.policy()) {
      case FUZZY -> new LifetimeSelection(settings, seed, index);
      case STAGE_SHARES -> new StageSelection(settings, seed, index);
      case UNIFORM -> new UniformSelection(settings, seed, index);
      case NEWEST_WINDOW, RESERVOIR, LOSS, GRADIENT_NORM, REDUCIBLE_LOSS ->
          new RankedSelection(settings, seed, index);
      case CLASS_BALANCED -> new ClassBalancedSelection(settings, seed, index);
    };
  }

  /** Returns whether a policy needs an order with counted positions, which takes more heap. */
  public static boolean counts(Policy policy) {
    return switch (policy) {
      case STAGE_SHARES, UNIFORM, CLASS_BALANCED -> true;
      case FUZZY, NEWEST_WINDOW, RESERVOIR, LOSS, GRADIENT_NORM, REDUCIBLE_LOSS -> false;
    };
  }
}
