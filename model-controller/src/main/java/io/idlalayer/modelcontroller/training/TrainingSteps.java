package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.SameDiffNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Fits mini-batches of one network until it is closed; nobody else uses the network meanwhile. */
public interface TrainingSteps extends AutoCloseable {
  /** The library fits the network, with the tensors where it puts them. */
  static TrainingSteps plainly(ArrayNetwork network) {
    if (network instanceof StackedNetwork stacked) {
      return LayerSteps.plainly(
          stacked.outputLayer(), stacked.layers()::score, stacked.layers()::fit);
    } else if (network instanceof GraphNetwork graph) {
      LayerSteps.Fit fit =
          (features, labels) ->
              graph.layers().fit(new INDArray[] {features}, new INDArray[] {labels});
      return LayerSteps.plainly(graph.outputLayer(), graph.layers()::score, fit);
    } else if (network instanceof SameDiffNetwork graph) {
      return SameDiffSteps.plainly(graph);
    }
    throw new IllegalArgumentException("unknown network " + network);
  }

  /**
   * As {@link #plainly}, with the tensors in a memory. The bits are the same.
   *
   * @throws io.idlalayer.modelcontroller.training.placed.UnsupportedNetworkException if it cannot
   *     train this way; the network is as it was
   */
  static TrainingSteps placed(ArrayNetwork network, PlacedMemory memory)
      throws InterruptedException {
    if (network instanceof StackedNetwork stacked) {
      return LayerSteps.placed(
          stacked.outputLayer(),
          stacked.layers()::score,
          PlacedNetwork.of(stacked.layers(), memory));
    } else if (network instanceof GraphNetwork graph) {
      return LayerSteps.placed(
          graph.outputLayer(), graph.layers()::score, PlacedNetwork.of(graph.layers(), memory));
    } else if (network instanceof SameDiffNetwork graph) {
      return SameDiffSteps.placed(graph, memory);
    }
    throw new IllegalArgumentException("unknown network " + network);
  }

  /**
   * Fits one mini-batch.
   *
   * @param features of shape [rows, input width], row by row
   * @param labels of shape [rows, output width], row by row
   * @param weights how often each row counts, of mean 1; null if all count once
   * @return the mini-batch's loss before it, unless the network does not say
   */
  OptionalDouble fit(float[] features, float[] labels, int rows, float @Nullable [] weights)
      throws InterruptedException;

  @Override
  default void close() {}
}
