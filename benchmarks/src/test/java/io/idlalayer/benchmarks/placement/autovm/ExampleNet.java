package io.idlalayer.benchmarks.placement.autovm;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The network of the source's example: two convolutions with ReLU and pooling, two dense layers.
 * Output l is read by layer l+1 and by the backward passes of layers l+1 and l.
 */
final class ExampleNet {
  static final int LAYERS = 6;

  private ExampleNet() {}

  /**
   * Returns the step.
   *
   * @param bytes sizes of the outputs
   * @param nanos times of the kernels, forward and backward; empty if they are unknown
   */
  static TaskGraph step(long[] bytes, long[] nanos) {
    List<Tensor> tensors = new ArrayList<>();
    tensors.add(new Tensor("data", 1, TensorKind.INPUT, false));
    for (int layer = 1; layer <= LAYERS; layer++) {
      tensors.add(new Tensor("y" + layer, bytes[layer - 1], TensorKind.INTERMEDIATE, false));
    }
    List<Kernel> kernels = new ArrayList<>();
    for (int layer = 1; layer <= LAYERS; layer++) {
      long time = nanos.length == 0 ? 0 : nanos[layer - 1];
      kernels.add(
          new Kernel("forward " + layer, List.of(layer - 1), List.of(layer), time)
              .of(Phase.FORWARD, layer));
    }
    for (int layer = LAYERS; layer >= 1; layer--) {
      long time = nanos.length == 0 ? 0 : nanos[2 * LAYERS - layer];
      kernels.add(
          new Kernel("backward " + layer, List.of(layer - 1, layer), List.of(), time)
              .of(Phase.BACKWARD, layer));
    }
    return new TaskGraph(kernels, tensors);
  }
}
