package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.PlacementNanos;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes a {@link TaskGraph} of steps that it hears of: what the trainer says of each kernel, and
 * what a policy in between ({@link #around}) sees. Structure is taken from the last whole step,
 * times are medians over all steps. One thread.
 */
public final class TraceRecorder {
  /** What was heard of one step. */
  private static final class Step {
    final List<KernelTrace> kernels = new ArrayList<>();
    final Map<Integer, Set<MemObject>> slow = new LinkedHashMap<>();
    final Map<Integer, Set<MemObject>> softly = new LinkedHashMap<>();
    int kernel = -1;
  }

  private Step open = new Step();
  private Step last = new Step();
  private final Map<Integer, Map<Set<String>, List<Long>>> times = new LinkedHashMap<>();

  /** A policy that does what another does, and tells this recorder of hints and of placements. */
  public PlacementPolicy around(PlacementPolicy policy) {
    return new ListeningPolicy(policy, this);
  }

  void placed(KernelEvent event, Set<MemObject> slow) {
    if (event.index() == 0) {
      endStep();
      // Kernels between steps are none of theirs.
      open = new Step();
    }
    open.kernel = event.index();
    open.slow.put(event.index(), Set.copyOf(slow));
  }

  void softEvicted(MemObject object) {
    open.softly.computeIfAbsent(open.kernel, k -> new LinkedHashSet<>()).add(object);
  }

  /**
   * A kernel has run.
   *
   * @throws IllegalArgumentException if the kernel before it was not heard of
   */
  public void heard(KernelTrace heard) {
    if (heard.index() == 0) {
      endStep();
    }
    if (heard.index() != open.kernels.size()) {
      throw new IllegalArgumentException(
          "kernel %s has the index %d, the recorder waits for %d"
              .formatted(heard.name(), heard.index(), open.kernels.size()));
    }
    open.kernels.add(heard);
    Set<MemObject> where = open.slow.getOrDefault(heard.index(), Set.of());
    Set<String> slow = new LinkedHashSet<>();
    for (KernelTrace.Use use : heard.uses()) {
      if (where.contains(use.object())) {
        slow.add(use.tensor());
      }
    }
    times
        .computeIfAbsent(heard.index(), k -> new LinkedHashMap<>())
        .computeIfAbsent(slow, s -> new ArrayList<>())
        .add(heard.nanos());
  }

  /** A step has ended; does nothing between steps. Steps also end when the next one begins. */
  public void endStep() {
    if (!open.kernels.isEmpty()) {
      last = open;
      open = new Step();
    }
  }

  /**
   * The step.
   *
   * @throws IllegalStateException if no step has ended
   */
  public TaskGraph graph() {
    endStep();
    if (last.kernels.isEmpty()) {
      throw new IllegalStateException("no step was heard of");
    }
    GraphMaking making = new GraphMaking();
    List<TaskGraph.Kernel> kernels = last.kernels.stream().map(making::kernel).toList();
    return new TaskGraph(kernels, making.tensors());
  }

  private static long median(List<Long> nanos) {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Numbers the objects of the last step. */
  private final class GraphMaking {
    private final Map<MemObject, Integer> indexes = new LinkedHashMap<>();
    private final Map<String, Integer> names = new LinkedHashMap<>();
    private final List<TaskGraph.Tensor> tensors = new ArrayList<>();

    /** Kept tensors come first, in the order in which their objects were made. */
    GraphMaking() {
      List<KernelTrace.Use> uses =
          last.kernels.stream().flatMap(heard -> heard.uses().stream()).toList();
      Set<MemObject> made = new LinkedHashSet<>();
      uses.stream().filter(KernelTrace.Use::created).forEach(use -> made.add(use.object()));
      uses.stream()
          .filter(use -> !made.contains(use.object()))
          .sorted(Comparator.comparingLong(use -> use.object().id()))
          .forEach(this::index);
    }

    private int index(KernelTrace.Use use) {
      return indexes.computeIfAbsent(
          use.object(),
          object -> {
            int same = names.merge(use.tensor(), 1, Integer::sum);
            String name = same == 1 ? use.tensor() : use.tensor() + " #" + same;
            tensors.add(new TaskGraph.Tensor(name, object.bytes(), use.kind(), mutable(object)));
            return tensors.size() - 1;
          });
    }

    private boolean mutable(MemObject object) {
      return last.kernels.stream()
          .flatMap(heard -> heard.uses().stream())
          .anyMatch(use -> use.object() == object && use.written() && !use.created());
    }

    private TaskGraph.Kernel kernel(KernelTrace heard) {
      List<Integer> reads = new ArrayList<>();
      List<Integer> writes = new ArrayList<>();
      List<Integer> creates = new ArrayList<>();
      Map<String, Integer> byName = new LinkedHashMap<>();
      for (KernelTrace.Use use : heard.uses()) {
        int tensor = index(use);
        byName.put(use.tensor(), tensor);
        add(reads, tensor, use.read());
        add(writes, tensor, use.written());
        add(creates, tensor, use.created());
      }
      TaskGraph.Lifetimes lifetimes =
          new TaskGraph.Lifetimes(
              creates,
              known(last.softly.getOrDefault(heard.index(), Set.of())),
              known(heard.retired()));
      Map<Set<String>, List<Long>> measured = times.getOrDefault(heard.index(), Map.of());
      List<Long> fast = measured.get(Set.of());
      return new TaskGraph.Kernel(
          heard.name(),
          reads,
          writes,
          lifetimes,
          fast == null ? 0 : median(fast),
          placements(measured, byName),
          heard.division(),
          heard.part());
    }

    private static void add(List<Integer> to, int tensor, boolean wanted) {
      if (wanted && !to.contains(tensor)) {
        to.add(tensor);
      }
    }

    private List<Integer> known(Iterable<MemObject> objects) {
      List<Integer> found = new ArrayList<>();
      for (MemObject object : objects) {
        Integer tensor = indexes.get(object);
        if (tensor != null) {
          found.add(tensor);
        }
      }
      return found;
    }

    private static List<PlacementNanos> placements(
        Map<Set<String>, List<Long>> measured, Map<String, Integer> byName) {
      List<PlacementNanos> placements = new ArrayList<>();
      measured.forEach(
          (slow, nanos) -> {
            List<Integer> indexes = new ArrayList<>();
            for (String tensor : slow) {
              Integer index = byName.get(tensor);
              if (index != null) {
                indexes.add(index);
              }
            }
            if (!slow.isEmpty() && indexes.size() == slow.size()) {
              placements.add(new PlacementNanos(indexes, median(nanos)));
            }
          });
      return placements;
    }

    private List<TaskGraph.Tensor> tensors() {
      return tensors;
    }
  }
}
