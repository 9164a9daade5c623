package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelStep;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tape that is being written, with functions that the writers of its layers share. If the draft
 * is closed before {@link #tape} was called, it frees its kernels.
 */
final class TapeDraft implements AutoCloseable {
  private final NetworkTensors tensors;
  private final KernelLibrary kernels;
  private final @Nullable Progress progress;
  private final int rows;
  private final List<TapeStep> steps = new ArrayList<>();

  /**
   * For each tensor, the first column whose errors are needed. For tensors without an entry, the
   * errors of all columns are needed.
   */
  private final Map<Tensor, Integer> wantedFrom = new HashMap<>();

  /**
   * @param progress progress of the training; null if the tape predicts
   */
  TapeDraft(NetworkTensors tensors, KernelLibrary kernels, @Nullable Progress progress, int rows) {
    this.tensors = tensors;
    this.kernels = kernels;
    this.progress = progress;
    this.rows = rows;
  }

  NetworkTensors tensors() {
    return tensors;
  }

  KernelLibrary kernels() {
    return kernels;
  }

  /** Returns the number of rows of a mini-batch. */
  int rows() {
    return rows;
  }

  boolean trains() {
    return progress != null;
  }

  /**
   * Returns the progress of the training.
   *
   * @throws IllegalStateException if the tape predicts
   */
  Progress progress() {
    if (progress == null) {
      throw new IllegalStateException("the tape does not train");
    }
    return progress;
  }

  /** Records that the errors of a tensor are needed only from a given column on. */
  void wantErrors(Tensor values, int from) {
    wantedFrom.put(values, from);
  }

  /**
   * Records that a tensor is a range of columns of another tensor.
   *
   * @param end index after the last of the columns
   */
  void partOf(Tensor whole, int end, Tensor part) {
    if (end <= wantedFrom.getOrDefault(whole, 0)) {
      wantErrors(part, part.length() / rows);
    }
  }

  /**
   * Returns whether the errors of any column of a tensor, the inputs or outputs of a layer, are
   * needed.
   */
  boolean wantsErrors(Tensor values) {
    return wantedFrom.getOrDefault(values, 0) < values.length() / rows;
  }

  /** Creates a tensor for the outputs of a layer. */
  Tensor outputs(LayerPlan layer) {
    return new Tensor(layer.name() + ".values", Tensor.Kind.ACTIVATIONS, length(layer.outputs()));
  }

  /**
   * Returns the length of a tensor with {@code width} numbers for each row.
   *
   * @throws ArithmeticException if the length is too large
   */
  int length(int width) {
    return Math.multiplyExact(rows, width);
  }

  /** Creates a tensor for the errors of an input. */
  static Tensor errorsOf(Tensor input, String layer) {
    return new Tensor(layer + ".errors", Tensor.Kind.ERRORS, input.length());
  }

  void step(
      Phase phase,
      String layer,
      String name,
      TapeKernel kernel,
      List<Tensor> reads,
      List<Tensor> writes) {
    steps.add(new TapeStep(phase, layer, name, kernel, reads, writes));
  }

  /** Adds a step whose kernel has workspaces. */
  void step(
      Phase phase,
      String layer,
      String name,
      PlannedKernel planned,
      List<Tensor> reads,
      List<Tensor> writes) {
    List<Tensor> changed = new ArrayList<>(writes);
    changed.addAll(planned.workspaces());
    step(phase, layer, name, planned.kernel(), reads, changed);
  }

  /** Adds several steps that compute one result together. */
  void steps(Phase phase, String layer, List<KernelStep> kernels) {
    kernels.forEach(
        each -> step(phase, layer, each.name(), each.kernel(), each.reads(), each.writes()));
  }

  /**
   * Adds a step that computes activations, and returns their tensor. The activations overwrite the
   * values, unless the backward pass needs the values for the slope.
   */
  Tensor activate(String layer, Activation function, Tensor values) {
    if (function.equals(Activation.IDENTITY)) {
      return values;
    }
    Tensor activated =
        trains() && function.needsInputs()
            ? new Tensor(layer + ".activated", Tensor.Kind.ACTIVATIONS, values.length())
            : values;
    TapeKernel kernel = kernels.activation(function, values, activated);
    step(Phase.FORWARD, layer, "activation", kernel, List.of(values), List.of(activated));
    return activated;
  }

  /**
   * Adds a step that replaces the errors after an activation by the errors before it.
   *
   * @param values the tensor that was given to {@link #activate}
   */
  void activateBackward(String layer, Activation function, Tensor values, Tensor errors) {
    if (!function.equals(Activation.IDENTITY)) {
      TapeKernel kernel = kernels.activationBackward(function, values, errors);
      List<Tensor> reads = List.of(values, errors);
      step(Phase.BACKWARD, layer, "activation", kernel, reads, List.of(errors));
    }
  }

  /** Returns the finished tape, which now owns the kernels. */
  Tape tape() {
    return tape(List.of());
  }

  /**
   * Returns the finished tape, which now owns the kernels.
   *
   * @param results tensors that are read after a run, although later steps do not use them
   */
  Tape tape(List<Tensor> results) {
    Tape tape = new Tape(EarlyUpdates.of(steps), results);
    steps.clear();
    return tape;
  }

  @Override
  public void close() {
    steps.forEach(step -> step.kernel().close());
  }

  /** Returns an object that the forward pass has left for the backward pass. */
  static <T> T written(@Nullable T known, String layer) {
    if (known == null) {
      throw new IllegalStateException("layer " + layer + " has no forward pass");
    }
    return known;
  }
}
