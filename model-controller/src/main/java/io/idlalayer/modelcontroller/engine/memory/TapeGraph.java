package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.Division;
import io.idlalayer.middleware.placement.TaskGraph;
import io.idlalayer.modelcontroller.engine.tape.DivisibleKernel;
import io.idlalayer.modelcontroller.engine.tape.Step;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A tape as planners of placement see it. */
public final class TapeGraph {
  private final Tape tape;
  private final Map<Tensor, Integer> indexes = new LinkedHashMap<>();
  private final List<TaskGraph.Kernel> kernels = new ArrayList<>();

  private TapeGraph(Tape tape) {
    this.tape = tape;
  }

  /**
   * The kernels that {@link PlacedTensors} runs, in its order and with its names: one that fills
   * each input, then the steps.
   *
   * @param lasting tensors that outlive runs, in the order in which they are stored
   * @param kernelNanos of each kernel with everything on the fast device, those that fill inputs
   *     first; 0 where unknown
   */
  public static TaskGraph of(
      Tape tape, List<Tensor> lasting, List<Tensor> inputs, long[] kernelNanos) {
    TapeGraph graph = new TapeGraph(tape);
    graph.number(lasting, inputs);
    for (int i = 0; i < inputs.size(); i++) {
      graph.fill(inputs.get(i), kernelNanos[i]);
    }
    for (int i = 0; i < tape.steps().size(); i++) {
      graph.step(i, kernelNanos[inputs.size() + i]);
    }
    return new TaskGraph(graph.kernels, graph.tensors());
  }

  private void number(List<Tensor> lasting, List<Tensor> inputs) {
    Set<Tensor> all = new LinkedHashSet<>(lasting);
    all.addAll(inputs);
    for (Step step : tape.steps()) {
      all.addAll(step.reads());
      all.addAll(step.writes());
    }
    all.forEach(tensor -> indexes.put(tensor, indexes.size()));
  }

  private void fill(Tensor input, long nanos) {
    TaskGraph.Lifetimes lifetimes =
        new TaskGraph.Lifetimes(indexes(List.of(input)), List.of(), List.of());
    String name = PlacedTensors.fillName(input);
    kernels.add(
        new TaskGraph.Kernel(
            name, List.of(), indexes(List.of(input)), lifetimes, nanos, List.of(), null));
  }

  private void step(int index, long nanos) {
    Step step = tape.steps().get(index);
    Tape.Lifetimes around = tape.lifetimes().get(index);
    TaskGraph.Lifetimes lifetimes =
        new TaskGraph.Lifetimes(
            indexes(around.creates()), indexes(around.rests()), indexes(around.ends()));
    Division division =
        step.kernel() instanceof DivisibleKernel divisible
            ? PlacedTensors.division(divisible)
            : null;
    kernels.add(
        new TaskGraph.Kernel(
            PlacedTensors.stepName(step),
            indexes(step.reads()),
            indexes(step.writes()),
            lifetimes,
            nanos,
            List.of(),
            division));
  }

  private List<Integer> indexes(List<Tensor> tensors) {
    return tensors.stream().map(indexes::get).distinct().toList();
  }

  private List<TaskGraph.Tensor> tensors() {
    List<TaskGraph.Tensor> tensors = new ArrayList<>();
    Map<String, Integer> named = new LinkedHashMap<>();
    for (Tensor tensor : indexes.keySet()) {
      int before = named.merge(tensor.name(), 1, Integer::sum) - 1;
      String name = before == 0 ? tensor.name() : "%s #%d".formatted(tensor.name(), before);
      tensors.add(new TaskGraph.Tensor(name, tensor.bytes(), kind(tensor), changed(tensor)));
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

  /** Whether a step reads and writes it. */
  private boolean changed(Tensor tensor) {
    return tape.steps().stream()
        .anyMatch(step -> step.reads().contains(tensor) && step.writes().contains(tensor));
  }
}
