package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.engine.tape.DivisibleKernel;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The kernels that run in a step of a tape, each with the tensors that it uses. A kernel that runs
 * again writes the tensors of its first run anew. Immutable.
 */
final class TapeRun {
  private final RecomputedStep step;
  private final List<Tensor> tensors;
  private final int inputs;
  private final List<Use> uses = new ArrayList<>();

  /**
   * A kernel and its tensors, each tensor once.
   *
   * @param reads tensors that the kernel reads, in the order of the step
   * @param writes tensors that the kernel writes, without the tensors that it creates
   * @param onlyReads tensors that the kernel reads and does not write
   * @param names names of the tensors that the kernel reads, and then of the tensors that it only
   *     writes
   * @param lifetimes tensors whose lifetime begins or ends at this kernel; a lifetime also ends if
   *     the tensor is computed again later
   * @param created names of the tensors that the kernel creates, in their order
   * @param results tensors whose lifetime ends at this kernel and that no kernel computes again
   */
  record Use(
      TapeStep step,
      List<Tensor> reads,
      List<Tensor> writes,
      List<Tensor> onlyReads,
      List<String> names,
      Tape.Lifetimes lifetimes,
      List<String> created,
      Set<Tensor> results) {}

  /**
   * @param inputs number of kernels that fill inputs, which come first
   * @param tensors tensors of the step without reruns, by their indexes
   * @param step step of the tape's graph
   */
  TapeRun(Tape tape, int inputs, List<Tensor> tensors, RecomputedStep step) {
    this.step = step;
    this.tensors = tensors;
    this.inputs = inputs;
    Map<Tensor, Integer> lastEnds = new HashMap<>();
    for (int k = 0; k < kernels().size(); k++) {
      for (Tensor ended : tensors(kernels().get(k).lifetimes().retires())) {
        lastEnds.put(ended, k);
      }
    }
    for (int k = inputs; k < kernels().size(); k++) {
      uses.add(use(tape.steps().get(step.kernels().get(k) - inputs), k, lastEnds));
    }
  }

  private List<TaskGraph.Kernel> kernels() {
    return step.graph().kernels();
  }

  private List<Tensor> tensors(List<Integer> indexes) {
    return indexes.stream().map(index -> tensors.get(step.tensors().get(index))).toList();
  }

  private Use use(TapeStep own, int k, Map<Tensor, Integer> lastEnds) {
    TaskGraph.Kernel kernel = kernels().get(k);
    List<Tensor> creates = tensors(kernel.lifetimes().creates());
    List<Tensor> ends = tensors(kernel.lifetimes().retires());
    Set<Tensor> reads =
        new LinkedHashSet<>(
            own.kernel() instanceof DivisibleKernel divisible ? divisible.operands() : own.reads());
    Set<Tensor> writes = new LinkedHashSet<>(own.writes());
    creates.forEach(writes::remove);
    Set<Tensor> onlyReads = new LinkedHashSet<>(reads);
    onlyReads.removeAll(writes);
    Set<Tensor> all = new LinkedHashSet<>(reads);
    all.addAll(writes);
    Map<Tensor, String> names = new HashMap<>();
    for (int index : kernel.arguments()) {
      names.put(tensors.get(step.tensors().get(index)), name(index));
    }
    Set<Tensor> results = new LinkedHashSet<>(ends);
    results.removeIf(tensor -> lastEnds.getOrDefault(tensor, k) != k);
    return new Use(
        own,
        List.copyOf(reads),
        List.copyOf(writes),
        List.copyOf(onlyReads),
        all.stream().map(tensor -> names.getOrDefault(tensor, "")).toList(),
        new Tape.Lifetimes(creates, tensors(kernel.lifetimes().softEvicts()), ends),
        kernel.lifetimes().creates().stream().map(this::name).toList(),
        Set.copyOf(results));
  }

  private String name(int tensor) {
    return step.graph().tensors().get(tensor).name();
  }

  /** Returns the kernels after those that fill inputs, in the order in which they run. */
  List<Use> uses() {
    return uses;
  }

  /**
   * Returns the site that identifies one run of a kernel of the step.
   *
   * @param kernel index in the graph of the step; the kernels that fill inputs come first
   */
  KernelSite site(int kernel) {
    TaskGraph.Kernel known = kernels().get(kernel);
    TaskGraph.Part part = known.part();
    return part == null
        ? new KernelSite(kernel, known.name(), KernelSite.Phase.OTHER, KernelSite.NO_LAYER)
        : new KernelSite(kernel, known.name(), part.phase(), part.layer());
  }

  /** Returns the number of arguments of all kernels together, as the statistics count them. */
  long arguments() {
    long count = inputs;
    for (Use each : uses) {
      count += each.reads().size() + each.writes().size();
      count += each.lifetimes().creates().size();
    }
    return count;
  }
}
