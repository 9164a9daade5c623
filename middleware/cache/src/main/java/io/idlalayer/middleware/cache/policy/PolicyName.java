package io.idlalayer.middleware.cache.policy;

import java.util.Locale;

/** The eviction policies. */
public enum PolicyName {
  /** Least recently used. */
  LRU,
  /** NRD as Rang 2021 prints it. */
  PAPER,
  /** NRD as static re-reference interval prediction. */
  SRRIP,
  /** NRD with a rotating search. */
  HAND,
  /** Admission by frequency behind a window of 1 %. */
  W_TINY_LFU,
  /** The one of the others whose ghost does best. */
  ADAPTIVE;

  private static final double WINDOW_SHARE = 0.01;
  private static final int NRD_BITS = 2;

  /** Returns the name of this policy in settings and on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns a policy of this name. */
  public EvictionPolicy create(Residents residents) {
    return switch (this) {
      case LRU -> new LruPolicy();
      case PAPER -> new NrdPolicy(NrdPolicy.Variant.paper(NRD_BITS));
      case SRRIP -> new NrdPolicy(NrdPolicy.Variant.srrip(NRD_BITS));
      case HAND -> new NrdPolicy(NrdPolicy.Variant.hand(NRD_BITS));
      case W_TINY_LFU -> new WindowTinyLfuPolicy(residents, WINDOW_SHARE);
      case ADAPTIVE -> new AdaptivePolicy(residents, PolicyTournament.Budget.DEFAULT);
    };
  }
}
