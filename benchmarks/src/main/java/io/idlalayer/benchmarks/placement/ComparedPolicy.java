package io.idlalayer.benchmarks.placement;

import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.benchmarks.placement.VdnnPlanner.Overlay;
import io.idlalayer.benchmarks.placement.autovm.WindowPlanner;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.plan.DeskPlans;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The placement policies of {@code idla bench tensors}: those of the product and their rivals. */
public enum ComparedPolicy {
  /** The product's policy of this name. */
  ALL_FAST,
  /** The product's policy of this name. */
  ALL_SLOW,
  /** The product's policy of this name. */
  FIRST_TOUCH,
  /** Half of the bytes on each device; nothing moves. */
  INTERLEAVE,
  /** A hardware cache of lines; a retired object keeps its memory until a collection. */
  TWO_LEVEL_MEMORY,
  /** A hardware cache of lines; the memory of a retired object is reused at once. */
  TWO_LEVEL_MEMORY_M,
  /** CachedArrays without any mode. */
  CACHED_ARRAYS_0,
  /** CachedArrays with local allocation. */
  CACHED_ARRAYS_L,
  /** CachedArrays with local allocation and eager retirement. */
  CACHED_ARRAYS_LM,
  /** CachedArrays with local allocation, eager retirement and forced prefetching. */
  CACHED_ARRAYS_LMP,
  /** The product's policy of this name. */
  CACHED_ARRAYS,
  /** The product's policy of this name. */
  AUTO,
  /** The product's policy of this name. */
  AUTOVM,
  /** The product's policy of this name. */
  AUTOTM,
  /** The product's policy of this name. */
  AUTOTM_STATIC,
  /** The product's policy of this name. */
  AUTOTM_SYNC,
  /** Plans of AutoVM that do not use the times of kernels, rehearsed. */
  AUTOVM_UNKNOWN,
  /** Plans of AutoVM whose search for prefetches is as it was printed, rehearsed. */
  AUTOVM_PRINTED,
  /** The product's policy of this name. */
  REDL,
  /** The product's policy of this name. */
  REDL_PAPER,
  /** Migration by recent use, as an operating system does it. */
  PAGE_ORDER,
  /** Virtual memory: pages are copied when a kernel touches them. */
  PAGE_LRU,
  /** A plan: inputs of all layers are offloaded until their backward pass. */
  VDNN_ALL,
  /** A plan: inputs of convolutions are offloaded until their backward pass. */
  VDNN_CONV,
  /** A plan: nothing, or inputs of convolutions, or of all layers, whatever fits first. */
  VDNN_DYN;

  /** Returns the name of this policy on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The policy of a key.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ComparedPolicy of(String key) {
    return Arrays.stream(values())
        .filter(policy -> policy.key().equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no placement policy is called %s; there are %s".formatted(key, keys())));
  }

  private static String keys() {
    return Arrays.stream(values()).map(ComparedPolicy::key).collect(Collectors.joining(", "));
  }

  /** Policies that the product does not have. */
  public static List<ComparedPolicy> rivals() {
    List<String> shipped = Arrays.stream(PlacementName.values()).map(PlacementName::key).toList();
    return Arrays.stream(values()).filter(policy -> !shipped.contains(policy.key())).toList();
  }

  /** A policy of this name. */
  public PlacementPolicy create() {
    return switch (this) {
      case ALL_FAST -> PlacementName.ALL_FAST.unplanned();
      case ALL_SLOW -> PlacementName.ALL_SLOW.unplanned();
      case FIRST_TOUCH -> PlacementName.FIRST_TOUCH.unplanned();
      case INTERLEAVE -> new Interleave();
      case TWO_LEVEL_MEMORY -> new TwoLevelMemory(key(), false, TwoLevelCache.Options.DEFAULT);
      case TWO_LEVEL_MEMORY_M -> new TwoLevelMemory(key(), true, TwoLevelCache.Options.DEFAULT);
      case CACHED_ARRAYS_0 -> new LruPlacement(key(), LruPlacement.Mode.NONE);
      case CACHED_ARRAYS_L -> new LruPlacement(key(), LruPlacement.Mode.L);
      case CACHED_ARRAYS_LM -> new LruPlacement(key(), LruPlacement.Mode.LM);
      case CACHED_ARRAYS_LMP -> new LruPlacement(key(), LruPlacement.Mode.LMP);
      case CACHED_ARRAYS -> PlacementName.CACHED_ARRAYS.unplanned();
      case AUTO -> planned(PlacementName.AUTO);
      case AUTOVM -> planned(PlacementName.AUTOVM);
      case AUTOTM -> planned(PlacementName.AUTOTM);
      case AUTOTM_STATIC -> planned(PlacementName.AUTOTM_STATIC);
      case AUTOTM_SYNC -> planned(PlacementName.AUTOTM_SYNC);
      case AUTOVM_UNKNOWN -> windows(WindowPlanner.Form.UNKNOWN);
      case AUTOVM_PRINTED -> windows(WindowPlanner.Form.PRINTED);
      case REDL -> planned(PlacementName.REDL);
      case REDL_PAPER -> planned(PlacementName.REDL_PAPER);
      case PAGE_ORDER -> new PageOrder(PageOrder.INTERVALS);
      case PAGE_LRU -> new PageLru();
      case VDNN_ALL -> vdnn(Overlay.ALL);
      case VDNN_CONV -> vdnn(Overlay.CONV);
      case VDNN_DYN -> vdnn(Overlay.DYN);
    };
  }

  /** The overlay of vDNN; the least recently used objects leave where it leaves that open. */
  private PlacementPolicy vdnn(Overlay overlay) {
    return new PlannedPolicy(
        key(),
        new DirectPlans(new VdnnPlanner(overlay)),
        new LruPlacement(key(), LruPlacement.Mode.LM));
  }

  private PlacementPolicy windows(WindowPlanner.Form form) {
    return new PlannedPolicy(
        key(),
        new DeskPlans(desk(), List.of(new WindowPlanner(form))),
        PlacementName.CACHED_ARRAYS.unplanned());
  }

  private static PlacementPolicy planned(PlacementName name) {
    return name.create(desk());
  }

  /** A desk that plans at once: between two steps, on the thread that trains. */
  private static PlanDesk desk() {
    return PlanDesk.on(Runnable::run, null, System::nanoTime);
  }
}
