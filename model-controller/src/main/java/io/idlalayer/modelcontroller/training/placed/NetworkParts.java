package io.idlalayer.modelcontroller.training.placed;

import java.util.List;
import org.deeplearning4j.nn.updater.BaseMultiLayerUpdater;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The vectors of a network, of which its layers have views.
 *
 * @param state of the updaters; null if they have none
 * @param blocks how the state is laid out
 */
record NetworkParts(
    INDArray parameters, INDArray gradients, @Nullable INDArray state, List<UpdaterBlock> blocks) {

  static NetworkParts of(
      INDArray parameters, INDArray gradients, BaseMultiLayerUpdater<?> updater) {
    INDArray state = updater.getStateViewArray();
    return new NetworkParts(
        vector(parameters),
        vector(gradients),
        state == null || state.isEmpty() ? null : vector(state),
        updater.getUpdaterBlocks());
  }

  private static INDArray vector(INDArray array) {
    return array.reshape(array.length());
  }
}
