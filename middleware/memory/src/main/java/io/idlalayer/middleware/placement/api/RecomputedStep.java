package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A step with some kernels that run again, described as a step of its own. A tensor that is
 * computed again counts as two tensors: the first one is retired after its last use before the
 * second computation. Immutable.
 *
 * @param graph kernels in the order in which they run, and the tensors of the step, in their order,
 *     followed by those that are computed again
 * @param kernels for each kernel of the graph, its index in the step without reruns
 * @param again for each kernel of the graph, whether it runs again
 * @param tensors for each tensor of the graph, its index in the step without reruns
 */
public record RecomputedStep(
    TaskGraph graph, List<Integer> kernels, List<Boolean> again, List<Integer> tensors) {
  public RecomputedStep {
    kernels = List.copyOf(kernels);
    again = List.copyOf(again);
    tensors = List.copyOf(tensors);
  }

  /**
   * Returns a step in which kernels run again.
   *
   * @throws IllegalArgumentException if {@link Recomputation#appliedTo} throws it
   */
  static RecomputedStep of(TaskGraph step, Recomputation recomputation) {
    if (recomputation.isEmpty()) {
      List<Integer> kernels = indexes(step.kernels().size());
      List<Boolean> once = kernels.stream().map(any -> false).toList();
      return new RecomputedStep(step, kernels, once, indexes(step.tensors().size()));
    }
    return new Writer(step).written(recomputation);
  }

  private static List<Integer> indexes(int count) {
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      indexes.add(i);
    }
    return indexes;
  }

  /** Returns whether a kernel runs again. */
  public boolean recomputes() {
    return again.contains(true);
  }

  /**
   * Writes the kernels of a step one after another and follows the contents of its tensors: how
   * many kernels have written each since it was created. A kernel must find the contents that it
   * finds in the step without reruns.
   */
  private static final class Writer {
    /** Contents of a tensor that does not exist. */
    private static final int ABSENT = -1;

    private final TaskGraph step;
    private final List<Tensor> tensors;
    private final List<Integer> tensorOf;

    /** For each tensor of the step, the one of the new graph that has its contents. */
    private final int[] present;

    private final int[] contents;

    /** For each kernel of the step, the contents of its arguments before it, in their order. */
    private final List<int[]> wanted = new ArrayList<>();

    private final int[] retiredAt;
    private final List<Kernel> kernels = new ArrayList<>();
    private final List<Integer> kernelOf = new ArrayList<>();
    private final List<Boolean> again = new ArrayList<>();

    /** For each tensor of the new graph, the kernel after which it may be retired. */
    private final Map<Integer, Integer> lastUses = new LinkedHashMap<>();

    Writer(TaskGraph step) {
      this.step = step;
      tensors = new ArrayList<>(step.tensors());
      tensorOf = new ArrayList<>(indexes(tensors.size()));
      present = new int[tensors.size()];
      contents = new int[tensors.size()];
      retiredAt = new int[tensors.size()];
      Arrays.fill(retiredAt, ABSENT);
      begin();
      for (int k = 0; k < step.kernels().size(); k++) {
        Kernel kernel = step.kernels().get(k);
        create(kernel);
        wanted.add(found(kernel));
        write(kernel);
        for (int tensor : kernel.lifetimes().retires()) {
          retiredAt[tensor] = k;
        }
      }
      begin();
    }

    private void begin() {
      Arrays.fill(contents, 0);
      for (Kernel kernel : step.kernels()) {
        kernel.lifetimes().creates().forEach(tensor -> contents[tensor] = ABSENT);
      }
      for (int tensor = 0; tensor < present.length; tensor++) {
        present[tensor] = tensor;
      }
    }

    private void create(Kernel kernel) {
      kernel.lifetimes().creates().forEach(tensor -> contents[tensor] = 0);
    }

    private int[] found(Kernel kernel) {
      return kernel.arguments().stream().mapToInt(tensor -> contents[tensor]).toArray();
    }

    private void write(Kernel kernel) {
      kernel.writes().forEach(tensor -> contents[tensor]++);
    }

    RecomputedStep written(Recomputation recomputation) {
      int next = 0;
      List<Recomputation.Rerun> reruns = recomputation.reruns();
      for (int k = 0; k < step.kernels().size(); k++) {
        for (; next < reruns.size() && reruns.get(next).before() == k; next++) {
          for (int kernel : reruns.get(next).kernels()) {
            rerun(kernel, k);
          }
        }
        run(k);
      }
      if (next < reruns.size()) {
        throw new IllegalArgumentException(
            "kernels run again before kernel %d; the step has %d"
                .formatted(reruns.get(next).before(), step.kernels().size()));
      }
      return new RecomputedStep(new TaskGraph(withLifetimes(), tensors), kernelOf, again, tensorOf);
    }

    private void run(int k) {
      Kernel kernel = step.kernels().get(k);
      create(kernel);
      check(k, "kernel %s".formatted(kernel.name()));
      add(k, kernel, false);
      write(kernel);
    }

    private void rerun(int k, int before) {
      Kernel kernel = step.kernels().get(k);
      if (!kernel.repeatable()) {
        throw new IllegalArgumentException(
            "kernel %s cannot be run again before kernel %s: it is not repeatable"
                .formatted(kernel.name(), step.kernels().get(before).name()));
      }
      for (int tensor : kernel.lifetimes().creates()) {
        if (!kernel.writes().contains(tensor) || kernel.reads().contains(tensor)) {
          throw new IllegalArgumentException(
              "kernel %s cannot be run again: tensor %s comes from outside of the step"
                  .formatted(kernel.name(), step.tensors().get(tensor).name()));
        }
        long copies = tensorOf.stream().filter(of -> of == tensor).count();
        Tensor first = step.tensors().get(tensor);
        String name = first.name() + (copies == 1 ? " again" : " again " + copies);
        present[tensor] = tensors.size();
        tensors.add(new Tensor(name, first.bytes(), first.kind(), first.mutable()));
        tensorOf.add(tensor);
      }
      create(kernel);
      check(
          k,
          "kernel %s, run again before kernel %s,"
              .formatted(kernel.name(), step.kernels().get(before).name()));
      // It belongs to the part of the step that needs it.
      TaskGraph.Part part = step.kernels().get(before).part();
      Kernel renamed =
          new Kernel(
              "again " + kernel.name(),
              kernel.reads(),
              kernel.writes(),
              kernel.lifetimes(),
              kernel.fastNanos(),
              kernel.placements(),
              kernel.division(),
              part,
              true);
      add(k, renamed, true);
      write(kernel);
    }

    private void check(int k, String what) {
      Kernel kernel = step.kernels().get(k);
      int[] own = found(kernel);
      for (int i = 0; i < own.length; i++) {
        if (own[i] != wanted.get(k)[i]) {
          throw new IllegalArgumentException(
              "%s would find other contents in tensor %s than in the step without reruns"
                  .formatted(what, step.tensors().get(kernel.arguments().get(i)).name()));
        }
      }
    }

    /** Adds a kernel on the tensors that are present. Its lifetimes come later. */
    private void add(int k, Kernel kernel, boolean rerun) {
      for (int tensor : kernel.arguments()) {
        lastUses.put(present[tensor], kernels.size());
      }
      for (int tensor : kernel.lifetimes().creates()) {
        lastUses.put(present[tensor], kernels.size());
      }
      if (!rerun) {
        for (int tensor : kernel.lifetimes().retires()) {
          lastUses.put(present[tensor], kernels.size());
        }
      }
      kernels.add(
          new Kernel(
              kernel.name(),
              now(kernel.reads()),
              now(kernel.writes()),
              new Lifetimes(
                  now(kernel.lifetimes().creates()),
                  now(kernel.lifetimes().softEvicts()),
                  List.of()),
              kernel.fastNanos(),
              kernel.placements().stream()
                  .map(each -> new TaskGraph.PlacementNanos(now(each.slow()), each.nanos()))
                  .toList(),
              kernel.division(),
              kernel.part(),
              kernel.repeatable()));
      kernelOf.add(k);
      again.add(rerun);
    }

    private List<Integer> now(List<Integer> of) {
      return of.stream().map(tensor -> present[tensor]).toList();
    }

    /** Returns the kernels with the tensors that are retired after each. */
    private List<Kernel> withLifetimes() {
      List<List<Integer>> retires = new ArrayList<>();
      kernels.forEach(any -> retires.add(new ArrayList<>()));
      lastUses.forEach(
          (tensor, kernel) -> {
            if (retiredAt[tensorOf.get(tensor)] != ABSENT) {
              retires.get(kernel).add(tensor);
            }
          });
      List<Kernel> whole = new ArrayList<>();
      for (int k = 0; k < kernels.size(); k++) {
        Kernel kernel = kernels.get(k);
        Set<Integer> ended = new HashSet<>(retires.get(k));
        List<Integer> rests =
            kernel.lifetimes().softEvicts().stream().filter(each -> !ended.contains(each)).toList();
        whole.add(kernel.with(new Lifetimes(kernel.lifetimes().creates(), rests, retires.get(k))));
      }
      return whole;
    }
  }
}
