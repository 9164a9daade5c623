package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import io.idlalayer.modelloader.network.ArrayNetwork;
import java.util.OptionalDouble;
import java.util.function.DoubleSupplier;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Steps of a network of layers, whose weights of rows go through its loss function. */
final class LayerSteps implements TrainingSteps {
  private final BaseOutputLayer output;
  private final DoubleSupplier score;
  private final Fit fit;
  private final Runnable end;

  /** Fits one mini-batch of rows that count once. */
  @FunctionalInterface
  interface Fit {
    void fit(INDArray features, INDArray labels) throws InterruptedException;
  }

  private LayerSteps(BaseOutputLayer output, DoubleSupplier score, Fit fit, Runnable end) {
    this.output = output;
    this.score = score;
    this.fit = fit;
    this.end = end;
  }

  /**
   * @param output the network's own, not a copy
   * @param score of the mini-batch fitted last
   */
  static LayerSteps plainly(BaseOutputLayer output, DoubleSupplier score, Fit fit) {
    return new LayerSteps(output, score, fit, () -> {});
  }

  /** As {@link #plainly}; closing the steps closes the placed network. */
  static LayerSteps placed(BaseOutputLayer output, DoubleSupplier score, PlacedNetwork network) {
    Fit fit =
        (features, labels) ->
            network.fit(new INDArray[] {features}, new INDArray[] {labels}, null, null);
    return new LayerSteps(output, score, fit, network::close);
  }

  @Override
  public OptionalDouble fit(float[] features, float[] labels, int rows, float @Nullable [] weights)
      throws InterruptedException {
    try (INDArray inputs = ArrayNetwork.array(features, rows);
        INDArray wanted = ArrayNetwork.array(labels, rows)) {
      if (weights == null) {
        fit.fit(inputs, wanted);
      } else {
        RowWeightedLoss.fit(output, weights, () -> fit.fit(inputs, wanted));
      }
    }
    return OptionalDouble.of(score.getAsDouble());
  }

  @Override
  public void close() {
    end.run();
  }
}
