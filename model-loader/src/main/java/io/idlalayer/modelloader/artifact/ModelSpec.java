package io.idlalayer.modelloader.artifact;

import io.idlalayer.middleware.sample.SampleSchema;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What network to build and how to fit it. Everything the trainer needs besides data.
 *
 * @param schema meaning of the inputs and of the label
 * @param standardize whether dense features (and a regression target) are standardised with a
 *     robust, forgetting centre and scale, which become part of the artifact
 */
public record ModelSpec(SampleSchema schema, Network network, Fit fit, boolean standardize)
    implements Serializable {

  /** Width of the network's input: dense values plus the one-hot of each categorical feature. */
  public int inputWidth() {
    return schema.denseWidth()
        + schema.categorical().stream().mapToInt(SampleSchema.CategoricalFeature::buckets).sum();
  }

  /** Width of the output: number of classes, or 1 for regression. */
  public int outputWidth() {
    return schema.label().task() == SampleSchema.Task.REGRESSION
        ? 1
        : schema.label().classes().size();
  }

  /** The network. */
  public sealed interface Network extends Serializable {
    /** Dense layers with ReLU. */
    record Mlp(List<Integer> hidden) implements Network {
      public Mlp {
        hidden = List.copyOf(hidden);
      }
    }

    /**
     * Convolutions (kernel 5x5 same, ReLU, 2x2 max pooling each), then one dense layer.
     *
     * @param height image height in pixels
     * @param filters filters of each convolution
     * @param dense width of the dense layer
     */
    record Cnn(int height, int width, int channels, List<Integer> filters, int dense)
        implements Network {
      public Cnn {
        filters = List.copyOf(filters);
      }
    }

    /**
     * A DL4J {@code MultiLayerConfiguration} or {@code ComputationGraphConfiguration} of one input
     * and one output, as JSON. Trusted input only.
     */
    record Dl4jJson(String json) implements Network {
      /** Short, and told apart from another. */
      @Override
      public String toString() {
        return "Dl4jJson[%d characters, %08x]".formatted(json.length(), json.hashCode());
      }
    }

    /**
     * A SameDiff graph with its initial values, as {@code SameDiff.save} writes it. Trusted input
     * only.
     *
     * @param graph the file's bytes, which must not be changed
     * @param features placeholder of shape [-1, input width]
     * @param output variable of shape [rows, output width]: logits of classes, or targets
     */
    record SameDiffGraph(byte[] graph, String features, String output) implements Network {
      @Override
      public boolean equals(@Nullable Object other) {
        return other instanceof SameDiffGraph that
            && Arrays.equals(graph, that.graph)
            && features.equals(that.features)
            && output.equals(that.output);
      }

      @Override
      public int hashCode() {
        return 31 * Objects.hash(features, output) + Arrays.hashCode(graph);
      }

      /** Short, and told apart from another. */
      @Override
      public String toString() {
        return "SameDiffGraph[%d bytes, %08x, %s to %s]"
            .formatted(graph.length, Arrays.hashCode(graph), features, output);
      }
    }
  }

  /** The updater. */
  public enum Updater {
    SGD,
    NESTEROVS,
    ADAM
  }

  /**
   * How to fit.
   *
   * @param epochs passes over each batch, at least 1
   * @param learningRate above 0
   * @param l2 weight of the L2 penalty, 0 for none
   * @param timeLimitSeconds a training, or a scoring of some hundred samples, that takes longer
   *     hangs and is given up; above 0
   */
  public record Fit(
      int miniBatch,
      int epochs,
      Updater updater,
      double learningRate,
      double l2,
      double timeLimitSeconds)
      implements Serializable {
    /** Half an hour: trainings take seconds, and one of minutes is not to be given up. */
    public static final double DEFAULT_TIME_LIMIT_SECONDS = 1_800;

    /** With the default time limit. */
    public Fit(int miniBatch, int epochs, Updater updater, double learningRate, double l2) {
      this(miniBatch, epochs, updater, learningRate, l2, DEFAULT_TIME_LIMIT_SECONDS);
    }
  }
}
