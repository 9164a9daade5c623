package io.idlalayer.modelcontroller.training.placed;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A layer in a placed network: its parameters, and what it keeps for its backward pass. */
final class PlacedLayer {
  final Layer layer;

  /** Such as "3 convolution". */
  final String label;

  /** Null if it has no parameters. */
  final @Nullable LayerTensors own;

  private final Kept kept;
  private final List<Object> owners;
  private final boolean writesInput;
  private Set<Tensor> held = new LinkedHashSet<>();
  private Map<Field, INDArray> before = Map.of();

  /** Of the step's forward pass. */
  double regularization;

  PlacedLayer(Layer layer, String label, @Nullable LayerTensors own, Kept kept) {
    this.layer = layer;
    this.label = label;
    this.own = own;
    this.kept = kept;
    owners = LayerRules.owners(layer);
    writesInput = LayerRules.writesInput(layer);
  }

  List<Tensor> parameters() {
    return own == null ? List.of() : List.of(own.parameters());
  }

  /** What a forward pass reads and changes, given its inputs. */
  Tensors.Call forward(String name, List<Tensor> inputs) {
    List<Tensor> reads = new ArrayList<>(inputs);
    reads.addAll(parameters());
    return new Tensors.Call(name, reads, writesInput ? inputs : List.of());
  }

  /** What a backward pass reads and changes, given the error behind the layer. */
  Tensors.Call backward(String name, @Nullable Tensor error, @Nullable Tensor input) {
    Set<Tensor> reads = new LinkedHashSet<>();
    Set<Tensor> writes = new LinkedHashSet<>();
    if (error != null) {
      reads.add(error);
      writes.add(error);
    }
    reads.addAll(held);
    for (Tensor tensor : held) {
      if (writesInput || tensor != input) {
        writes.add(tensor);
      }
    }
    reads.addAll(parameters());
    if (own != null) {
      writes.add(own.gradients());
    }
    return new Tensors.Call(name, reads, writes);
  }

  /** Inside of the kernel, before the layer computes. */
  void beforeForward() {
    before = kept.arrays(owners);
  }

  /** Inside of the kernel: what the layer has put aside becomes tensors. */
  void afterForward() {
    kept.capture(owners, before);
    before = Map.of();
    regularization = layer.calcRegularizationScore(true);
  }

  /** Holds what the layer needs in its backward pass. */
  Set<Tensor> hold() {
    Set<Tensor> now = kept.reachable(owners);
    now.forEach(tensor -> tensor.holders++);
    held.addAll(now);
    return now;
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
    return free;
  }
}
