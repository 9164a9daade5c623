package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.plan.VdnnPlanner;
import io.idlalayer.middleware.placement.plan.VdnnPlanner.Overlay;
import io.idlalayer.middleware.placement.policies.fixed.AllFast;
import io.idlalayer.middleware.placement.policies.fixed.AllSlow;
import io.idlalayer.middleware.placement.policies.fixed.FirstTouch;
import io.idlalayer.middleware.placement.policies.fixed.Interleave;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.policies.lru.LruPolicy;
import io.idlalayer.middleware.placement.policies.planned.PlannedPolicy;
import io.idlalayer.middleware.placement.policies.twolevel.TwoLevelCache;
import io.idlalayer.middleware.placement.policies.twolevel.TwoLevelMemory;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The placement policies. */
public enum PlacementName {
  /** Everything fast. */
  ALL_FAST,
  /** Everything slow. */
  ALL_SLOW,
  /** Fast while there is room, then slow; nothing moves. */
  FIRST_TOUCH,
  /** Half of the bytes on each device; nothing moves. */
  INTERLEAVE,
  /** A hardware cache of lines; what is retired keeps its memory until a collection. */
  TWO_LEVEL_MEMORY,
  /** A hardware cache of lines; what is retired is reused at once. */
  TWO_LEVEL_MEMORY_M,
  /** CachedArrays without any mode. */
  CACHED_ARRAYS_0,
  /** CachedArrays with local allocation. */
  CACHED_ARRAYS_L,
  /** CachedArrays with local allocation and eager retirement. */
  CACHED_ARRAYS_LM,
  /** CachedArrays with local allocation, eager retirement and forced prefetching. */
  CACHED_ARRAYS_LMP,
  /** CachedArrays, improved. */
  CACHED_ARRAYS,
  /** A plan: inputs of all layers are offloaded until their backward pass. */
  VDNN_ALL,
  /** A plan: inputs of convolutions are offloaded until their backward pass. */
  VDNN_CONV,
  /** A plan: nothing, or inputs of convolutions, or of all layers, whatever fits first. */
  VDNN_DYN;

  /** As in settings and on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The policy of a key.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static PlacementName of(String key) {
    return Arrays.stream(values())
        .filter(name -> name.key().equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no placement policy is called %s; there are %s".formatted(key, keys())));
  }

  private static String keys() {
    return Arrays.stream(values()).map(PlacementName::key).collect(Collectors.joining(", "));
  }

  /**
   * Whether applications may use it. What only emulates hardware, for comparisons, computes the
   * accesses of a cache and gains nothing.
   */
  public boolean forApplications() {
    return this != TWO_LEVEL_MEMORY && this != TWO_LEVEL_MEMORY_M;
  }

  /** A policy of this name. */
  public PlacementPolicy create() {
    return switch (this) {
      case ALL_FAST -> new AllFast();
      case ALL_SLOW -> new AllSlow();
      case FIRST_TOUCH -> new FirstTouch();
      case INTERLEAVE -> new Interleave();
      case TWO_LEVEL_MEMORY -> new TwoLevelMemory(key(), false, TwoLevelCache.Options.DEFAULT);
      case TWO_LEVEL_MEMORY_M -> new TwoLevelMemory(key(), true, TwoLevelCache.Options.DEFAULT);
      case CACHED_ARRAYS_0 -> new LruPolicy(key(), LruPolicy.Mode.NONE);
      case CACHED_ARRAYS_L -> new LruPolicy(key(), LruPolicy.Mode.L);
      case CACHED_ARRAYS_LM -> new LruPolicy(key(), LruPolicy.Mode.LM);
      case CACHED_ARRAYS_LMP -> new LruPolicy(key(), LruPolicy.Mode.LMP);
      case CACHED_ARRAYS -> new ImprovedPolicy(key());
      case VDNN_ALL -> new PlannedPolicy(key(), new VdnnPlanner(Overlay.ALL));
      case VDNN_CONV -> new PlannedPolicy(key(), new VdnnPlanner(Overlay.CONV));
      case VDNN_DYN -> new PlannedPolicy(key(), new VdnnPlanner(Overlay.DYN));
    };
  }
}
