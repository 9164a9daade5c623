package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelloader.network.ArrayNetwork;
import java.util.OptionalDouble;
import java.util.function.DoubleSupplier;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The training steps of a network of layers, whose loss function applies the weights of rows.
 *
 * @param output the network's own output layer, not a copy
 * @param score returns the score of the mini-batch fitted last
 * @param fit fits a mini-batch whose rows all have weight 1
 */
record LayerTrainingSteps(FeedForwardLayer output, DoubleSupplier score, Fit fit)
    implements TrainingSteps {
  /** Trains the network on one mini-batch of rows that all have weight 1. */
  @FunctionalInterface
  interface Fit {
    void fit(INDArray features, INDArray labels);
  }

  @Override
  public OptionalDouble fit(
      float[] features,
      float[] labels,
      int rows,
      float @Nullable [] weights,
      float @Nullable [] inputErrors,
      float @Nullable [] outputs)
      throws InterruptedException {
    LibraryTrainingSteps.refuse(inputErrors, outputs);
    NativeMemory.begin();
    try (INDArray inputs = ArrayNetwork.array(features, rows);
        INDArray wanted = ArrayNetwork.array(labels, rows)) {
      if (weights == null) {
        fit.fit(inputs, wanted);
      } else {
        RowWeightedLoss.fit(output, weights, () -> fit.fit(inputs, wanted));
      }
    } finally {
      NativeMemory.end();
    }
    return OptionalDouble.of(score.getAsDouble());
  }
}
