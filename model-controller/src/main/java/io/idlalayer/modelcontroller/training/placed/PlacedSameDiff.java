package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelloader.network.SameDiffUpdaters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.listeners.At;
import org.nd4j.autodiff.listeners.Operation;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A SameDiff graph that trains in a placed memory, with the bits that {@code SameDiff.fit} would
 * have given it. Variables, their updaters' state, placeholders and the outputs of operations are
 * objects; an operation is a kernel. It borrows the graph: until {@link #close}, the graph's own
 * arrays are as they were at the start, and nobody else may use the graph. One thread, from {@link
 * #of} to {@link #close}.
 *
 * <p>Source: the kernel annotations of CachedArrays (Hildebrand 2022, chapter 4), with an operation
 * as the unit.
 */
public final class PlacedSameDiff implements AutoCloseable {
  private static final String GRADIENTS = "grad";

  private final SameDiff graph;
  private final SameDiff gradients;
  private final Tensors tensors;
  private final Map<String, PlacedVariable> variables = new LinkedHashMap<>();
  private PlacedSession session;
  private boolean open = true;

  private PlacedSameDiff(SameDiff graph, PlacedMemory memory) {
    this.graph = graph;
    gradients = graph.getFunction(GRADIENTS);
    tensors = new Tensors(memory);
    for (SDVariable variable : graph.variables()) {
      if (variable.getVariableType() == VariableType.VARIABLE) {
        variables.put(variable.name(), new PlacedVariable(variable.name(), graph, gradients));
      }
    }
    session = new PlacedSession(gradients, tensors, variables);
  }

  /**
   * Takes the graph's variables and updater state into the memory.
   *
   * @param graph with a training configuration; its gradients' function is made if there is none
   * @throws UnsupportedNetworkException if it cannot train this way; the graph is as it was
   * @throws io.idlalayer.middleware.memory.DeviceFullException if they find no room; the graph is
   *     as it was
   */
  public static PlacedSameDiff of(SameDiff graph, PlacedMemory memory) throws InterruptedException {
    SameDiffRules.check(graph);
    if (!graph.hasGradientFunction()) {
      graph.createGradFunction();
    }
    SameDiff gradients = graph.getFunction(GRADIENTS);
    SameDiffRules.checkParts(gradients);
    gradients.setTrainingConfig(graph.getTrainingConfig());
    SameDiffUpdaters.make(graph);
    PlacedSameDiff placed = new PlacedSameDiff(graph, memory);
    placed.take();
    return placed;
  }

  private void take() throws InterruptedException {
    boolean done = false;
    try {
      for (PlacedVariable variable : variables.values()) {
        variable.take(tensors);
      }
      done = true;
    } finally {
      if (!done) {
        open = false;
        variables.values().forEach(PlacedVariable::rest);
        Borrowed.anyway(() -> retire(tensors.live()));
      }
    }
  }

  /**
   * Trains with one mini-batch by the graph's training configuration, whose iteration count goes up
   * by one. If it fails, the objects of the step are given up; variables may have been changed in
   * part, as with any failure in the middle of a step.
   *
   * @param placeholders by name, of the shapes that the graph takes, cast to its types
   * @throws IllegalArgumentException if there are none, or one that the graph does not have
   * @throws io.idlalayer.middleware.memory.DeviceFullException if the policy finds no room
   */
  public void fit(Map<String, INDArray> placeholders) throws InterruptedException {
    if (!open) {
      throw new IllegalStateException("the graph has been given back");
    }
    check(placeholders.keySet());
    TrainingConfig config = graph.getTrainingConfig();
    tensors.begin(config.getIterationCount());
    boolean done = false;
    try {
      session.train(graph, placeholders, at(config));
      done = true;
    } finally {
      if (!done) {
        session = new PlacedSession(gradients, tensors, variables);
      }
      endStep();
    }
    config.incrementIterationCount();
    tensors.endOfStep();
  }

  private void check(Set<String> names) {
    if (names.isEmpty()) {
      throw new IllegalArgumentException("no placeholders; the graph has " + graph.inputs());
    }
    for (String name : names) {
      if (!graph.hasVariable(name) || !graph.getVariable(name).isPlaceHolder()) {
        throw new IllegalArgumentException(
            "%s is no placeholder; the graph has %s".formatted(name, graph.inputs()));
      }
    }
  }

  private static At at(TrainingConfig config) {
    return At.builder()
        .epoch(config.getEpochCount())
        .iteration(config.getIterationCount())
        .trainingThreadNum(0)
        .javaThreadNum(Thread.currentThread().getId())
        .operation(Operation.TRAINING)
        .build();
  }

  /** Gives up placeholders, what the session does not release, and what a failure has left. */
  private void endStep() {
    List<Tensor> left = tensors.live().stream().filter(Tensor::ofStep).toList();
    if (!left.isEmpty()) {
      Borrowed.anyway(() -> retire(left));
    }
  }

  private void retire(List<Tensor> all) throws InterruptedException {
    for (Tensor tensor : all) {
      tensors.retire(tensor);
    }
  }

  /** Has an observer hear of each kernel from now on, besides earlier ones. */
  public void observe(KernelObserver observer) {
    tensors.observe(observer);
  }

  /** Most bytes of live objects so far. */
  public long peakBytes() {
    return tensors.peakBytes();
  }

  /**
   * Gives variables and updater state back to the graph, which is an ordinary one again, and gives
   * all objects up. An interrupt meanwhile stays pending. A second call does nothing.
   */
  @Override
  public void close() {
    if (!open) {
      return;
    }
    open = false;
    RuntimeException failure = null;
    for (PlacedVariable variable : variables.values()) {
      failure = give(variable, failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** One that fails does not keep the others from it. */
  private @Nullable RuntimeException give(
      PlacedVariable variable, @Nullable RuntimeException before) {
    try {
      Borrowed.anyway(() -> variable.give(tensors));
      return before;
    } catch (RuntimeException e) {
      variable.rest();
      return Borrowed.first(before, e);
    }
  }
}
