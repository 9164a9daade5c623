package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Spreads objects over both devices in a fixed ratio of bytes, as far as there is room, and leaves
 * them there.
 */
public final class Interleave implements PlacementPolicy {
  private final int fastWeight;
  private final int slowWeight;
  private double fastBytes;
  private double slowBytes;

  /** Equal shares. */
  public Interleave() {
    this(1, 1);
  }

  /**
   * @param fastWeight share of the fast device, above 0
   * @param slowWeight share of the slow device, above 0
   */
  public Interleave(int fastWeight, int slowWeight) {
    if (fastWeight < 1 || slowWeight < 1) {
      throw new IllegalArgumentException(
          "weights of %d and %d; both must be at least 1".formatted(fastWeight, slowWeight));
    }
    this.fastWeight = fastWeight;
    this.slowWeight = slowWeight;
  }

  @Override
  public String name() {
    return "interleave";
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    boolean fast = fastBytes * slowWeight <= slowBytes * fastWeight;
    return fast
        ? Placement.of(Placement.FAST, Placement.SLOW)
        : Placement.of(Placement.SLOW, Placement.FAST);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    if (view.inFast(object)) {
      fastBytes += object.bytes();
    } else {
      slowBytes += object.bytes();
    }
    return List.of();
  }
}
