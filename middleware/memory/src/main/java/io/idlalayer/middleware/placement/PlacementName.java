package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.policies.fixed.AllFast;
import io.idlalayer.middleware.placement.policies.fixed.AllSlow;
import io.idlalayer.middleware.placement.policies.fixed.FirstTouch;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import java.util.Locale;

/** The placement policies that an application file may name. */
public enum PlacementName {
  /** Policy that places every object on the fast device. */
  ALL_FAST,
  /** Policy that places every object on the slow device. */
  ALL_SLOW,
  /**
   * Policy that places an object on the fast device while there is room, then on the slow one, and
   * never moves it.
   */
  FIRST_TOUCH,
  /**
   * Improved form of the CachedArrays policy of Hildebrand 2022, which moves objects between the
   * devices.
   */
  CACHED_ARRAYS;

  /** Returns the name of this policy in application files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Creates the policy of this name. */
  public PlacementPolicy create() {
    return switch (this) {
      case ALL_FAST -> new AllFast();
      case ALL_SLOW -> new AllSlow();
      case FIRST_TOUCH -> new FirstTouch();
      case CACHED_ARRAYS -> new ImprovedPolicy(key());
    };
  }
}
