package io.idlalayer.middleware.placement;

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
  CACHED_ARRAYS;

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

  /** A policy of this name. */
  public PlacementPolicy create() {
    return switch (this) {
      case ALL_FAST -> new AllFast();
      case ALL_SLOW -> new AllSlow();
      case FIRST_TOUCH -> new FirstTouch();
      case INTERLEAVE -> new Interleave();
      case TWO_LEVEL_MEMORY -> new TwoLevelMemory(key(), false, TwoLevelCache.Options.DEFAULT);
      case TWO_LEVEL_MEMORY_M -> new TwoLevelMemory(key(), true, TwoLevelCache.Options.DEFAULT);
      case CACHED_ARRAYS_0 -> cachedArrays(false, false, false);
      case CACHED_ARRAYS_L -> cachedArrays(true, false, false);
      case CACHED_ARRAYS_LM -> cachedArrays(true, true, false);
      case CACHED_ARRAYS_LMP -> cachedArrays(true, true, true);
      case CACHED_ARRAYS -> new CachedArrays(CachedArrays.Options.improved(key()));
    };
  }

  private PlacementPolicy cachedArrays(boolean local, boolean eager, boolean prefetch) {
    return new CachedArrays(CachedArrays.Options.of(key(), local, eager, prefetch));
  }
}
