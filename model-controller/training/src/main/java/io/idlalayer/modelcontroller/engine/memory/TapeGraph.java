package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.engine.tape.DivisibleKernel;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A tape as placement policies see it: the kernels that {@link PlacedTensors} runs, in the order in
 * which they run. First come the kernels that fill the inputs, then the steps.
 */
public final class TapeGraph {
  private final Tape tape;
  private final List<Tensor> inputs;
  private final long[] kernelNanos;
  private final Map<Tensor, Integer> indexes = new LinkedHashMap<>();
  private final Map<Tensor, String> names = new HashMap<>();
  private final Map<String, Integer> layers = new HashMap<>();
  private final TaskGraph graph;

  private TapeGraph(
      Tape tape,
      Collection<Tensor> lasting,
      List<Tensor> inputs,
      String prefix,
      long[] kernelNanos) {
    this.tape = tape;
    this.inputs = List.copyOf(inputs);
    this.kernelNanos = kernelNanos;
    number(lasting);
    name(prefix);
    List<TaskGraph.Kernel> kernels = new ArrayList<>();
    for (Tensor input : inputs) {
      kernels.add(fill(kernels.size(), input));
    }
    for (TapeStep step : tape.steps()) {
      kernels.add(step(kernels.size(), step));
    }
    graph = new TaskGraph(kernels, tensors());
  }

  /**
   * Returns the graph of a tape whose kernel times are unknown.
   *
   * @param lasting tensors that outlive runs, in the order in which they were stored
   * @param prefix prefix of the names of tensors, different for each network of a memory
   */
  static TapeGraph of(Tape tape, Collection<Tensor> lasting, List<Tensor> inputs, String prefix) {
    return new TapeGraph(
        tape, lasting, inputs, prefix, new long[inputs.size() + tape.steps().size()]);
  }

  /**
   * Returns the graph of a tape whose kernels were timed.
   *
   * @param lasting tensors that outlive runs, in the order in which they were stored
   * @param kernelNanos time of each kernel with all tensors on the fast device
   */
  public static TaskGraph timed(
      Tape tape, Collection<Tensor> lasting, List<Tensor> inputs, long[] kernelNanos) {
    return new TapeGraph(tape, lasting, inputs, "", kernelNanos).graph;
  }

  private void number(Collection<Tensor> lasting) {
    Set<Tensor> all = new LinkedHashSet<>(lasting);
    all.addAll(inputs);
    for (TapeStep step : tape.steps()) {
      all.addAll(step.reads());
      all.addAll(step.writes());
    }
    all.forEach(tensor -> indexes.put(tensor, indexes.size()));
  }

  private void name(String prefix) {
    Map<String, Integer> alike = new HashMap<>();
    for (Tensor tensor : indexes.keySet()) {
      int before = alike.merge(tensor.name(), 1, Integer::sum) - 1;
      String name = before == 0 ? tensor.name() : "%s #%d".formatted(tensor.name(), before);
      names.put(tensor, prefix + name);
    }
  }

  private TaskGraph.Kernel fill(int index, Tensor input) {
    List<Integer> written = indexes(List.of(input));
    String name = fillName(input);
    return new TaskGraph.Kernel(
        name,
        List.of(),
        written,
        new TaskGraph.Lifetimes(written, List.of(), List.of()),
        kernelNanos[index],
        List.of(),
        null);
  }

  private TaskGraph.Kernel step(int index, TapeStep step) {
    Tape.Lifetimes around = tape.lifetimes().get(index - inputs.size());
    Division division =
        step.kernel() instanceof DivisibleKernel divisible ? division(divisible) : null;
    KernelSite.Phase phase = phase(step);
    int layer = layers.computeIfAbsent(step.layer(), any -> layers.size());
    String name =
        "%s %s %s".formatted(phase.name().toLowerCase(Locale.ROOT), step.layer(), step.name());
    return new TaskGraph.Kernel(
            name,
            indexes(step.reads()),
            indexes(step.writes()),
            new TaskGraph.Lifetimes(
                indexes(around.creates()), indexes(around.rests()), indexes(around.ends())),
            kernelNanos[index],
            List.of(),
            division)
        .of(phase, layer)
        .repeatable(step.kernel() instanceof RepeatableKernel);
  }

  private static KernelSite.Phase phase(TapeStep step) {
    return switch (step.phase()) {
      case FORWARD -> KernelSite.Phase.FORWARD;
      case BACKWARD -> KernelSite.Phase.BACKWARD;
      case UPDATE -> KernelSite.Phase.UPDATE;
    };
  }

  /** Returns the description of the pieces into which a kernel can be cut. */
  static Division division(DivisibleKernel kernel) {
    List<Integer> widths = Collections.nCopies(kernel.operands().size(), Float.BYTES);
    return new Division(List.of(new Division.Section(kernel.operands().get(0).length(), widths)));
  }

  /** Returns the name of the kernel that writes the first numbers of a tensor. */
  static String fillName(Tensor tensor) {
    return "fill " + tensor.name();
  }

  private List<Integer> indexes(List<Tensor> tensors) {
    return tensors.stream().map(indexes::get).distinct().toList();
  }

  private List<TaskGraph.Tensor> tensors() {
    List<TaskGraph.Tensor> tensors = new ArrayList<>();
    for (Tensor tensor : indexes.keySet()) {
      tensors.add(
          new TaskGraph.Tensor(name(tensor), tensor.bytes(), kind(tensor), changed(tensor)));
    }
    return tensors;
  }

  private static TaskGraph.TensorKind kind(Tensor tensor) {
    return switch (tensor.kind()) {
      case PARAMETERS -> TaskGraph.TensorKind.PARAMETER;
      case UPDATER_STATE -> TaskGraph.TensorKind.GRADIENT;
      case INPUT -> TaskGraph.TensorKind.INPUT;
      case GRADIENTS, ACTIVATIONS, ERRORS, WORKSPACE -> TaskGraph.TensorKind.INTERMEDIATE;
    };
  }

  /** Returns whether a step of the tape both reads and writes a tensor. */
  private boolean changed(Tensor tensor) {
    return tape.steps().stream()
        .anyMatch(step -> step.reads().contains(tensor) && step.writes().contains(tensor));
  }

  TaskGraph graph() {
    return graph;
  }

  /** Returns the kernels of a step of this graph. The step can run some kernels again. */
  TapeRun run(RecomputedStep step) {
    return new TapeRun(tape, inputs.size(), List.copyOf(indexes.keySet()), step);
  }

  /** Returns the unique name of a tensor of the tape. */
  String name(Tensor tensor) {
    String name = names.get(tensor);
    if (name == null) {
      throw new IllegalArgumentException(tensor + " is not on the tape");
    }
    return name;
  }
}
