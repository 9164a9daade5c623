package io.idlalayer.modelcontroller.training.placed;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.deeplearning4j.nn.api.Layer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A layer or vertex of a placed network: its parameters, and what it keeps for backward. */
final class Unit {
  /** Such as "3 convolution". */
  final String label;

  /** Null if it has no parameters. */
  final @Nullable LayerTensors own;

  private final Kept kept;
  private final List<Object> owners;
  private final boolean writesInput;
  private final BooleanSupplier writesError;
  private Set<Tensor> held = new LinkedHashSet<>();
  private Set<Tensor> inputs = Set.of();
  private Map<Field, INDArray> before = Map.of();

  /** Its term of the step's score. */
  double regularization;

  /**
   * What is known of a layer or vertex.
   *
   * @param owners whose fields its backward pass uses
   * @param writesInput whether it may change its input in place
   * @param writesError whether its backward pass may change the error behind it in place
   */
  record Habits(List<Object> owners, boolean writesInput, BooleanSupplier writesError) {
    /**
     * Of a vertex without a layer.
     *
     * @param copies whether all it does is to copy and add
     */
    static Habits of(Object vertex, boolean copies) {
      return new Habits(copies ? List.of() : List.of(vertex), false, () -> !copies);
    }
  }

  /**
   * @param label the same in every step
   */
  Unit(String label, @Nullable LayerTensors own, Habits habits, Kept kept) {
    this.label = label;
    this.own = own;
    owners = habits.owners();
    writesInput = habits.writesInput();
    writesError = habits.writesError();
    this.kept = kept;
  }

  /** A layer. */
  static Unit of(Layer layer, String label, @Nullable LayerTensors own, Kept kept) {
    Habits habits =
        new Habits(
            LayerRules.owners(layer),
            LayerRules.writesInput(layer),
            () -> LayerRules.writesError(layer));
    return new Unit(label, own, habits, kept);
  }

  List<Tensor> parameters() {
    return own == null ? List.of() : List.of(own.parameters());
  }

  /** What a forward pass reads and changes, given its inputs. */
  Tensors.Call forward(List<Tensor> from) {
    List<Tensor> reads = new ArrayList<>(from);
    reads.addAll(parameters());
    return new Tensors.Call("forward " + label, reads, writesInput ? from : List.of());
  }

  /**
   * What a backward pass reads and changes.
   *
   * @param error behind the layer; null for output layers
   */
  Tensors.Call backward(@Nullable Tensor error) {
    Set<Tensor> reads = new LinkedHashSet<>();
    Set<Tensor> writes = new LinkedHashSet<>();
    if (error != null) {
      reads.add(error);
      if (writesError.getAsBoolean()) {
        writes.add(error);
      }
    }
    reads.addAll(held);
    for (Tensor tensor : held) {
      if (writesInput || !inputs.contains(tensor)) {
        writes.add(tensor);
      }
    }
    reads.addAll(parameters());
    if (own != null) {
      writes.addAll(own.keptGradients());
    }
    return new Tensors.Call("backward " + label, reads, writes);
  }

  /** Inside of the backward kernel, before the layer computes. */
  void beforeBackward(Tensors tensors) {
    if (own != null) {
      own.beginGradients(tensors);
    }
  }

  /** What the backward kernel created, but for the gradients, which the update needs. */
  Set<Tensor> withoutGradients(List<Tensor> created) {
    Set<Tensor> others = new LinkedHashSet<>(created);
    if (own != null) {
      others.remove(own.gradients());
    }
    return others;
  }

  /** Inside of the kernel, before the layer computes. */
  void beforeForward() {
    before = kept.arrays(owners);
  }

  /** Inside of the kernel: what the layer has put aside becomes tensors. */
  void afterForward() {
    kept.capture(owners, before);
    before = Map.of();
  }

  /** Holds inputs of a unit that has no forward pass of its own. */
  void holdInputs(List<Tensor> all) {
    inputs = Set.copyOf(all);
    hold(inputs);
  }

  /** Holds what is needed in the backward pass. */
  private void hold(Set<Tensor> tensors) {
    for (Tensor tensor : tensors) {
      if (held.add(tensor)) {
        tensor.holders++;
      }
    }
  }

  /** Gives up what was held; returns what nobody holds any more. */
  Set<Tensor> release() {
    Set<Tensor> free = new LinkedHashSet<>();
    for (Tensor tensor : held) {
      if (--tensor.holders == 0) {
        free.add(tensor);
      }
    }
    held = new LinkedHashSet<>();
    inputs = Set.of();
    return free;
  }

  /**
   * After the forward kernel: inputs have been used once, and what is neither needed in the
   * backward pass nor the output is dead.
   *
   * @param created by the kernel
   */
  void forwardDone(
      Tensors tensors, List<Tensor> from, @Nullable Tensor output, List<Tensor> created)
      throws InterruptedException {
    inputs = Set.copyOf(from);
    Set<Tensor> needed = kept.reachable(owners);
    hold(needed);
    Set<Tensor> dead = new LinkedHashSet<>(created);
    dead.removeAll(needed);
    for (Tensor input : from) {
      if (--input.holders == 0) {
        dead.add(input);
      }
    }
    Set<Tensor> idle = new LinkedHashSet<>(needed);
    idle.addAll(parameters());
    if (output != null) {
      dead.remove(output);
      idle.remove(output);
    }
    tensors.softEvict(idle);
    tensors.afterKernel(dead);
  }
}
