package io.idlalayer.modelcontroller.engine.compile.plan;

import java.util.ArrayList;
import java.util.List;

/** The arrays of parameters of layers, with Deeplearning4j's names and in its order. */
public final class ParameterArrays {
  public static final String WEIGHTS = "W";
  public static final String RECURRENT_WEIGHTS = "RW";
  public static final String BIAS = "b";
  public static final String SCALE = "gamma";
  public static final String SHIFT = "beta";
  public static final String RUNNING_MEAN = "mean";
  public static final String RUNNING_VARIANCE = "var";
  public static final String RUNNING_LOG_DEVIATION = "log10stdev";

  /** Number of gates of a layer of long short-term memory. */
  private static final long GATES = 4;

  private ParameterArrays() {}

  /**
   * The purpose of an array of parameters, which decides how the array is initialised and trained.
   */
  public enum Role {
    WEIGHTS,
    BIAS,
    /** Learned scale and shift of a normalization, for which there is no penalty. */
    NORMALIZATION,
    /** Running statistics, which are not learned. */
    STATISTICS
  }

  /**
   * An array of parameters.
   *
   * @param name Deeplearning4j's name within the layer
   * @param length number of parameters, at least 1
   */
  public record Array(String name, long length, Role role) {}

  /** Returns the arrays of a layer; an empty list for a layer without parameters. */
  public static List<Array> of(LayerPlan layer) {
    if (layer instanceof LayerPlan.Dense dense) {
      return product(dense.inputs(), dense.outputs(), dense.bias());
    } else if (layer instanceof LayerPlan.Output output) {
      return product(output.inputs(), output.outputs(), output.bias());
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      long filters = convolved.shape().filters();
      Array weights =
          new Array(
              WEIGHTS,
              filters
                  * convolved.shape().window().channels()
                  * convolved.shape().window().rows()
                  * convolved.shape().window().columns(),
              Role.WEIGHTS);
      return convolved.bias()
          ? List.of(new Array(BIAS, filters, Role.BIAS), weights)
          : List.of(weights);
    } else if (layer instanceof LayerPlan.Recurrent recurrent) {
      long units = recurrent.units();
      return List.of(
          new Array(WEIGHTS, GATES * units * recurrent.inputs(), Role.WEIGHTS),
          new Array(RECURRENT_WEIGHTS, GATES * units * units, Role.WEIGHTS),
          new Array(BIAS, GATES * units, Role.BIAS));
    } else if (layer instanceof LayerPlan.ParametricRelu rectified) {
      return List.of(new Array(WEIGHTS, rectified.slopes(), Role.WEIGHTS));
    } else if (layer instanceof LayerPlan.LayerNormalized normalized) {
      return List.of(
          new Array(SCALE, normalized.outputs(), Role.NORMALIZATION),
          new Array(SHIFT, normalized.outputs(), Role.NORMALIZATION));
    } else if (layer instanceof LayerPlan.Normalized normalized) {
      long channels = normalized.channels();
      return List.of(
          new Array(SCALE, channels, Role.NORMALIZATION),
          new Array(SHIFT, channels, Role.NORMALIZATION),
          new Array(RUNNING_MEAN, channels, Role.STATISTICS),
          new Array(normalized.spread(), channels, Role.STATISTICS));
    }
    return List.of();
  }

  /**
   * Returns the names of a layer's arrays, weights first: the order in which Deeplearning4j lists
   * them.
   */
  public static List<String> names(LayerPlan layer) {
    List<Array> arrays = of(layer);
    List<String> names = new ArrayList<>();
    for (boolean weights : new boolean[] {true, false}) {
      for (Array each : arrays) {
        if ((each.role() == Role.WEIGHTS) == weights) {
          names.add(each.name());
        }
      }
    }
    return names;
  }

  private static List<Array> product(long inputs, long outputs, boolean bias) {
    Array weights = new Array(WEIGHTS, inputs * outputs, Role.WEIGHTS);
    return bias ? List.of(weights, new Array(BIAS, outputs, Role.BIAS)) : List.of(weights);
  }
}
