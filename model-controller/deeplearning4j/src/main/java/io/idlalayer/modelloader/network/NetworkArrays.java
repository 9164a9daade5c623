package io.idlalayer.modelloader.network;

import org.deeplearning4j.nn.api.Updater;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.memory.MemoryWorkspaceManager;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Frees the memory of Deeplearning4j's networks outside the Java heap: parameters, gradients,
 * updater state, and the workspaces of the calling thread. Their own {@code close} frees the same
 * and calls {@code System.gc()} twice, which stops every thread of the process.
 */
final class NetworkArrays {
  private NetworkArrays() {}

  /**
   * Frees the memory of a stack of layers, which must not be used any more. A second call frees
   * nothing.
   */
  public static void free(MultiLayerNetwork network) {
    free(network.params(), network.getGradientsViewArray(), network.getUpdater(false));
  }

  /**
   * Frees the memory of a graph of layers, which must not be used any more. A second call frees
   * nothing.
   */
  public static void free(ComputationGraph network) {
    free(network.params(), network.getGradientsViewArray(), network.getUpdater(false));
  }

  private static void free(
      @Nullable INDArray parameters, @Nullable INDArray gradients, @Nullable Updater updater) {
    free(parameters);
    free(gradients);
    free(updater == null ? null : updater.getStateViewArray());
    MemoryWorkspaceManager workspaces = Nd4j.getWorkspaceManager();
    for (MemoryWorkspace workspace : workspaces.getAllWorkspacesForCurrentThread()) {
      workspaces.destroyWorkspace(workspace);
    }
  }

  private static void free(@Nullable INDArray array) {
    if (array == null || array.isEmpty()) {
      return;
    }
    // A graph gives its parameters as a view, which cannot be closed, unlike what it looks at.
    DataBuffer viewed = array.data().underlyingDataBuffer();
    DataBuffer buffer = viewed == null ? array.data() : viewed;
    if (buffer.closeable()) {
      buffer.close();
    }
  }
}
