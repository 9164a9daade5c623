package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Arrays;
import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Checks before the first training whether a network can be built and takes the features. */
final class NetworkCheck {
  private static final int ROWS = 2;

  private NetworkCheck() {}

  /**
   * Returns what is wrong with the network of a specification, in words for the author of the
   * application; empty if nothing is. The network is built once, predicts and fits a few rows,
   * which takes its memory and starts ND4J.
   */
  public static Optional<String> problem(ModelSpec spec) {
    NativeMemory.begin();
    try (ArrayNetwork network = Dl4jEngine.created(spec, 1)) {
      Optional<String> found = predict(spec, network);
      return found.isPresent() ? found : fit(spec, network);
    } catch (IllegalArgumentException refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    } catch (OutOfMemoryError full) {
      return Optional.of("it does not fit into memory: " + full.getMessage());
    } finally {
      NativeMemory.end();
    }
  }

  private static Optional<String> predict(ModelSpec spec, ArrayNetwork network) {
    long[] expected = {ROWS, spec.networkOutputs()};
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

  private static Optional<String> fit(ModelSpec spec, ArrayNetwork network) {
    float[] labels = new float[ROWS * spec.networkOutputs()];
    for (int row = 0; row < ROWS; row++) {
      labels[row * spec.networkOutputs()] = 1;
    }
    try (TrainingSteps steps = LibraryTrainingSteps.of(network)) {
      steps.fit(new float[ROWS * spec.inputWidth()], labels, ROWS, null);
      return Optional.empty();
    } catch (RuntimeException failed) {
      return Optional.of("it cannot be trained: " + failed.getMessage());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
