package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts how often kernels were timed: once, or once for each piece. */
final class PieceCounts extends ForwardingPlacementPolicy {
  private final Map<String, Integer> kernels = new TreeMap<>();
  private final Map<String, Integer> timed = new TreeMap<>();

  PieceCounts() {
    super(PlacementName.CACHED_ARRAYS.create());
  }

  /** The most pieces that a kernel of a name was run in, on the average of its runs. */
  int most(String prefix) {
    return timed.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .mapToInt(entry -> entry.getValue() / kernels.get(entry.getKey()))
        .max()
        .orElse(0);
  }

  /** As {@link #most}, but the fewest. */
  int fewest(String prefix) {
    return timed.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .mapToInt(entry -> entry.getValue() / kernels.get(entry.getKey()))
        .min()
        .orElse(0);
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos, MemoryView view) {
    timed.merge(event.name(), 1, Integer::sum);
    return super.kernelNanos(event, fastNanos, view);
  }

  @Override
  public List<Action> after(KernelEvent event, long nanos, MemoryView view) {
    kernels.merge(event.name(), 1, Integer::sum);
    return super.after(event, nanos, view);
  }
}
