package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A network that trains in a placed memory, with the bits that {@code fit} would have given it. It
 * borrows the network: until {@link #close}, the network's own parameter vector is as it was at the
 * start, and nobody else may use the network. One thread, from {@code of} to {@code close}.
 *
 * <p>Source: the kernel annotations of CachedArrays (Hildebrand 2022, chapter 4), with a layer as
 * the unit.
 */
public interface PlacedNetwork extends AutoCloseable {
  /**
   * Takes the network's parameters and updater state into the memory.
   *
   * @throws UnsupportedNetworkException if it cannot train this way; the network is as it was
   * @throws io.idlalayer.middleware.memory.DeviceFullException if they find no room; the network is
   *     as it was
   */
  static PlacedNetwork of(MultiLayerNetwork network, PlacedMemory memory)
      throws InterruptedException {
    return PlacedLayers.of(network, memory);
  }

  /** As {@link #of(MultiLayerNetwork, PlacedMemory)}. */
  static PlacedNetwork of(ComputationGraph graph, PlacedMemory memory) throws InterruptedException {
    return PlacedGraph.of(graph, memory);
  }

  /**
   * Fits one mini-batch, as the network's own method does; its score is available from the network
   * afterwards. If it fails, the objects of the step are given up; parameters may have been changed
   * in part, as with any failure in the middle of an update.
   *
   * @param features one per input, first dimension the examples
   * @param labels one per output
   * @param featureMasks one per input, or null
   * @param labelMasks one per output, or null
   * @throws io.idlalayer.middleware.memory.DeviceFullException if the policy finds no room
   */
  void fit(
      INDArray[] features,
      INDArray[] labels,
      INDArray @Nullable [] featureMasks,
      INDArray @Nullable [] labelMasks)
      throws InterruptedException;

  /** Has an observer hear of each kernel from now on, besides earlier ones. */
  void observe(KernelObserver observer);

  /** Most bytes of live objects so far. */
  long peakBytes();

  /**
   * Gives parameters and updater state back to the network, which is an ordinary one again, and
   * gives all objects up. An interrupt meanwhile stays pending. A second call does nothing.
   */
  @Override
  void close();
}
