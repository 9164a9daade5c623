package io.idlalayer.modelcontroller.training;

import java.util.Arrays;
import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Finds out before the first training whether a network can be built and takes the features. */
public final class NetworkCheck {
  private static final int ROWS = 2;

  private NetworkCheck() {}

  /**
   * What is wrong with the network of a specification, for who wrote it; empty if nothing is. The
   * network is built once and predicts for a few rows, which takes its memory and starts ND4J.
   */
  public static Optional<String> problem(ModelSpec spec) {
    try (TrainableNetwork network = NetworkFactory.create(spec, 1)) {
      return problem(spec, network);
    } catch (IllegalArgumentException refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    }
  }

  private static Optional<String> problem(ModelSpec spec, TrainableNetwork network) {
    long[] expected = {ROWS, spec.outputWidth()};
    try (INDArray features = Nd4j.zeros(ROWS, spec.inputWidth());
        INDArray output = network.output(features)) {
      return Arrays.equals(output.shape(), expected)
          ? Optional.empty()
          : Optional.of(
              "its output for %d rows is of shape %s, the label asks for %s"
                  .formatted(ROWS, Arrays.toString(output.shape()), Arrays.toString(expected)));
    } catch (RuntimeException failed) {
      return Optional.of(
          "it does not take rows of %d features: %s"
              .formatted(spec.inputWidth(), failed.getMessage()));
    }
  }
}
