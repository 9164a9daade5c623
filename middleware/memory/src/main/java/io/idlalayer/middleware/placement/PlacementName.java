package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.policies.fixed.AllFast;
import io.idlalayer.middleware.placement.policies.fixed.AllSlow;
import io.idlalayer.middleware.placement.policies.fixed.FirstTouch;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import java.util.Locale;

/** The placement policies that an application file may name. */
public enum PlacementName {
  /** Everything fast. */
  ALL_FAST,
  /** Everything slow. */
  ALL_SLOW,
  /** Fast while there is room, then slow; nothing moves. */
  FIRST_TOUCH,
  /** CachedArrays, improved. */
  CACHED_ARRAYS;

  /** Returns the name of this policy in application files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns a policy of this name. */
  public PlacementPolicy create() {
    return switch (this) {
      case ALL_FAST -> new AllFast();
      case ALL_SLOW -> new AllSlow();
      case FIRST_TOUCH -> new FirstTouch();
      case CACHED_ARRAYS -> new ImprovedPolicy(key());
    };
  }
}
