package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.SameDiffNetwork;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.MultiDataSet;

/** The training steps of a SameDiff graph, which has a placeholder for the weights of rows. */
record SameDiffTrainingSteps(SameDiffNetwork network) implements TrainingSteps {
  @Override
  public OptionalDouble fit(
      float[] features,
      float[] labels,
      int rows,
      float @Nullable [] weights,
      float @Nullable [] inputErrors,
      float @Nullable [] outputs) {
    LibraryTrainingSteps.refuse(inputErrors, outputs);
    NativeMemory.begin();
    try (INDArray inputs = ArrayNetwork.array(features, rows);
        INDArray wanted = ArrayNetwork.array(labels, rows);
        INDArray shares = network.shares(weights, rows)) {
      TrainingConfig counted = network.graph().getTrainingConfig();
      counted.setIterationCount(Progress.counted(counted.getIterationCount()));
      network
          .graph()
          .fit(new MultiDataSet(new INDArray[] {inputs}, new INDArray[] {wanted, shares}));
    } finally {
      NativeMemory.end();
    }
    return OptionalDouble.empty();
  }
}
