package io.idlalayer.middleware.cache.policy;

import java.util.Locale;

/** The eviction policies that settings can name. */
public enum PolicyName {
  /** Evicts the least recently used block. */
  LRU,
  /** Next Re-reference Distance (NRD) as Rang 2021 prints it. */
  PAPER,
  /** Next Re-reference Distance in the variant that is static re-reference interval prediction. */
  SRRIP,
  /** Next Re-reference Distance with a search that starts where the previous search ended. */
  HAND,
  /** W-TinyLFU: admits blocks by their frequency, after a window of 1 % of the cache. */
  W_TINY_LFU,
  /** Follows the policy that has the most hits in a simulated cache, among the other policies. */
  ADAPTIVE;

  private static final double WINDOW_SHARE = 0.01;
  private static final int NRD_BITS = 2;

  /** Returns the name of this policy in settings and on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Creates a policy of this name for a cache. */
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
