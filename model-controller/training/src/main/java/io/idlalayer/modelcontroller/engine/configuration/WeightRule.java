package io.idlalayer.modelcontroller.engine.configuration;

import io.idlalayer.modelcontroller.engine.compile.Settings;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import java.util.Arrays;

/**
 * The rule by which the first weights of a layer are drawn. The distributions are those of
 * Deeplearning4j 1.0.0-M2.1; the drawn numbers differ.
 */
sealed interface WeightRule {
  /**
   * The inputs and outputs of a unit, on which the size of its weights depends.
   *
   * @param in number of inputs of a unit
   * @param out number of units that use an input; for convolutions this number is divided by the
   *     stride
   * @param rows rows of the matrix of weights; 0 if the weights are no matrix
   * @param columns columns of the matrix of weights; 0 if the weights are no matrix
   */
  record Fan(double in, double out, int rows, int columns) {}

  /** Fills weights from an index (inclusive) to another (exclusive). */
  void fill(float[] weights, int from, int to, RandomNumbers random);

  /** Numbers that are all equal. */
  record Constant(double value) implements WeightRule {
    @Override
    public void fill(float[] weights, int from, int to, RandomNumbers random) {
      Arrays.fill(weights, from, to, (float) value);
    }
  }

  /** The identity matrix, times a factor. */
  record Identity(int size, double scale) implements WeightRule {
    @Override
    public void fill(float[] weights, int from, int to, RandomNumbers random) {
      for (int i = 0; i < size; i++) {
        weights[from + i * size + i] = (float) scale;
      }
    }
  }

  /** A uniform distribution. */
  record Uniform(double low, double high) implements WeightRule {
    @Override
    public void fill(float[] weights, int from, int to, RandomNumbers random) {
      for (int i = from; i < to; i++) {
        weights[i] = (float) random.uniform(low, high);
      }
    }
  }

  /**
   * A normal distribution.
   *
   * @param truncated whether no number is more than two deviations from the mean
   */
  record Normal(double mean, double deviation, boolean truncated) implements WeightRule {
    @Override
    public void fill(float[] weights, int from, int to, RandomNumbers random) {
      for (int i = from; i < to; i++) {
        double number = truncated ? random.truncatedNormal() : random.normal();
        weights[i] = (float) (mean + deviation * number);
      }
    }
  }

  /**
   * Reads the rule of a layer.
   *
   * @param layer the layer, for messages
   * @param rule settings of the rule
   * @throws UncompilableException if the rule is not known
   */
  static WeightRule read(String layer, Settings rule, Fan fan) throws UncompilableException {
    double both = fan.in() + fan.out();
    double scale = rule.number("scale", 1);
    String type = rule.simpleName();
    return switch (type) {
      case "WeightInitConstant" -> new Constant(rule.number("value"));
      case "WeightInitXavier" -> normal(Math.sqrt(2.0 / both));
      case "WeightInitXavierUniform" -> uniform(Math.sqrt(6.0) / Math.sqrt(both));
      case "WeightInitRelu" -> normal(Math.sqrt(2.0 / fan.in()));
      case "WeightInitReluUniform" -> uniform(Math.sqrt(6.0 / fan.in()));
      case "WeightInitNormal" -> normal(1 / Math.sqrt(fan.in()));
      case "WeightInitUniform" -> uniform(1 / Math.sqrt(fan.in()));
      case "WeightInitLecunUniform" -> uniform(3.0 / Math.sqrt(fan.in()));
      case "WeightInitSigmoidUniform" -> uniform(4.0 * Math.sqrt(6.0 / both));
      case "WeightInitVarScalingNormalFanIn" -> truncated(Math.sqrt(scale / fan.in()));
      case "WeightInitVarScalingNormalFanOut" -> truncated(Math.sqrt(scale / fan.out()));
      case "WeightInitVarScalingNormalFanAvg" -> truncated(Math.sqrt(2.0 * scale / both));
      case "WeightInitVarScalingUniformFanIn" -> uniform(scale * 3.0 / Math.sqrt(fan.in()));
      case "WeightInitVarScalingUniformFanOut" -> uniform(scale * 3.0 / Math.sqrt(fan.out()));
      case "WeightInitVarScalingUniformFanAvg" -> uniform(scale * 3.0 / Math.sqrt(both / 2));
      case "WeightInitIdentity" -> identity(layer, fan, scale);
      case "WeightInitDistribution" ->
          distribution(layer, rule.required("the distribution", "distribution"));
      default -> throw unknown(layer, type);
    };
  }

  private static WeightRule normal(double deviation) {
    return new Normal(0, deviation, false);
  }

  private static WeightRule truncated(double deviation) {
    return new Normal(0, deviation, true);
  }

  private static WeightRule uniform(double bound) {
    return new Uniform(-bound, bound);
  }

  private static WeightRule identity(String layer, Fan fan, double scale)
      throws UncompilableException {
    if (fan.rows() == 0 || fan.rows() != fan.columns()) {
      throw new UncompilableException(
          "the weights of layer '%s' are no square matrix, which WeightInitIdentity needs"
              .formatted(layer));
    }
    return new Identity(fan.rows(), scale);
  }

  private static WeightRule distribution(String layer, Settings distribution)
      throws UncompilableException {
    String type = distribution.text("type");
    String name = type.substring(type.lastIndexOf('.') + 1);
    return switch (name) {
      case "NormalDistribution", "GaussianDistribution" ->
          new Normal(distribution.number("mean"), distribution.number("std"), false);
      case "TruncatedNormalDistribution" ->
          new Normal(distribution.number("mean"), distribution.number("std"), true);
      case "UniformDistribution" ->
          new Uniform(distribution.number("lower"), distribution.number("upper"));
      case "ConstantDistribution" -> new Constant(distribution.number("value"));
      default -> throw unknown(layer, name);
    };
  }

  private static UncompilableException unknown(String layer, String type) {
    return new UncompilableException(
        "the initialisation %s of the weights of layer '%s' is not known".formatted(type, layer));
  }
}
