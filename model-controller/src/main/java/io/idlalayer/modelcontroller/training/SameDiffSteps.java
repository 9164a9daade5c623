package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.training.placed.PlacedSameDiff;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.SameDiffNetwork;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.MultiDataSet;

/** Steps of a SameDiff graph, whose weights of rows are a placeholder of its own. */
final class SameDiffSteps implements TrainingSteps {
  private final SameDiffNetwork network;
  private final Fit fit;
  private final Runnable end;

  /** Fits one mini-batch of rows that count as much as their shares say. */
  @FunctionalInterface
  private interface Fit {
    void fit(INDArray rows, INDArray labels, INDArray shares) throws InterruptedException;
  }

  private SameDiffSteps(SameDiffNetwork network, Fit fit, Runnable end) {
    this.network = network;
    this.fit = fit;
    this.end = end;
  }

  static SameDiffSteps plainly(SameDiffNetwork network) {
    Fit fit =
        (rows, labels, shares) ->
            network
                .graph()
                .fit(new MultiDataSet(new INDArray[] {rows}, new INDArray[] {labels, shares}));
    return new SameDiffSteps(network, fit, () -> {});
  }

  /** As {@link #plainly}; closing the steps closes the placed graph. */
  static SameDiffSteps placed(SameDiffNetwork network, PlacedMemory memory)
      throws InterruptedException {
    PlacedSameDiff placed = PlacedSameDiff.of(network.graph(), memory);
    Fit fit = (rows, labels, shares) -> placed.fit(network.placeholders(rows, labels, shares));
    return new SameDiffSteps(network, fit, placed::close);
  }

  @Override
  public OptionalDouble fit(float[] features, float[] labels, int rows, float @Nullable [] weights)
      throws InterruptedException {
    try (INDArray inputs = ArrayNetwork.array(features, rows);
        INDArray wanted = ArrayNetwork.array(labels, rows);
        INDArray shares = network.shares(weights, rows)) {
      fit.fit(inputs, wanted, shares);
    }
    return OptionalDouble.empty();
  }

  @Override
  public void close() {
    end.run();
  }
}
