package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.SameDiffNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Chooses the implementation of training steps for a network by its kind. */
final class LibraryTrainingSteps {
  private LibraryTrainingSteps() {}

  /** Returns the training steps of a network, computed by Deeplearning4j or SameDiff. */
  static TrainingSteps of(ArrayNetwork network) {
    if (network instanceof StackedNetwork stacked) {
      MultiLayerConfiguration counted = stacked.layers().getLayerWiseConfigurations();
      LayerTrainingSteps.Fit fit =
          (features, labels) -> {
            counted.setIterationCount(Progress.counted(counted.getIterationCount()));
            stacked.layers().fit(features, labels);
          };
      return new LayerTrainingSteps(stacked.outputLayer(), stacked.layers()::score, fit);
    } else if (network instanceof GraphNetwork graph) {
      ComputationGraphConfiguration counted = graph.layers().getConfiguration();
      LayerTrainingSteps.Fit fit =
          (features, labels) -> {
            counted.setIterationCount(Progress.counted(counted.getIterationCount()));
            graph.layers().fit(new INDArray[] {features}, new INDArray[] {labels});
          };
      return new LayerTrainingSteps(graph.outputLayer(), graph.layers()::score, fit);
    } else if (network instanceof SameDiffNetwork graph) {
      return new SameDiffTrainingSteps(graph);
    }
    throw new IllegalArgumentException("unknown network " + network);
  }

  /**
   * Refuses results that Deeplearning4j does not return.
   *
   * @throws UnsupportedOperationException if an array for errors of the inputs or for outputs is
   *     given
   */
  static void refuse(float @Nullable [] inputErrors, float @Nullable [] outputs) {
    if (inputErrors != null) {
      throw new UnsupportedOperationException(EngineChoice.NO_TABLES);
    }
    if (outputs != null) {
      throw new UnsupportedOperationException("Deeplearning4j does not return the outputs");
    }
  }
}
