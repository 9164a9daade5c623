package io.idlalayer.modelloader.imported;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A step of an imported network; its input is the output of the step before. A row holds an image
 * channel by channel, and each channel row by row. The arrays must not be changed.
 */
public sealed interface ImportedStep {
  /** Returns the node of the file from which the step was read, for messages. */
  String node();

  /**
   * The numbers of an application that are the input of a layer.
   *
   * @param columns for each number the column of the application's network input it comes from
   * @param scale factor by which each number is multiplied, in units of the application
   * @param shift number that is added to each product
   */
  record Input(String node, int[] columns, double[] scale, double[] shift) implements ImportedStep {
    /** Returns whether the numbers are neighbouring columns in their order, unchanged. */
    public boolean isRange(int from, int count) {
      return columns.length == count
          && IntStream.range(0, count)
              .allMatch(i -> columns[i] == from + i && scale[i] == 1 && shift[i] == 0);
    }
  }

  /** The outputs of several layers, combined number by number. */
  record Combined(String node, Operation operation) implements ImportedStep {}

  /** The operations of {@link Combined}. */
  enum Operation {
    SUM,
    MEAN,
    /** The first minus the second. */
    DIFFERENCE,
    PRODUCT,
    /** The first divided by the second. */
    QUOTIENT,
    MAXIMUM,
    /** The second number if the first is not 0, else the third. */
    CHOICE
  }

  /** The outputs of several layers, one after the other. */
  record Merged(String node) implements ImportedStep {}

  /**
   * A product with weights, plus a bias.
   *
   * @param weights shape [inputs, outputs], row by row
   */
  record Linear(String node, int inputs, int outputs, double[] weights, double[] bias)
      implements ImportedStep {}

  /**
   * Each number of a row times a factor, plus another number.
   *
   * @param scale factor of each number of a row, or of each channel of an image
   * @param shift numbers that are added; as many as {@code scale}
   */
  record Affine(String node, double[] scale, double[] shift) implements ImportedStep {}

  /**
   * Batch normalization with fixed mean and variance.
   *
   * @param gamma one for each number of a row, or for each channel of an image
   */
  record Normalized(
      String node, double[] gamma, double[] beta, double[] mean, double[] variance, double epsilon)
      implements ImportedStep {
    /** Returns the normalization as a factor and an added number. */
    public Affine affine() {
      double[] scale = new double[gamma.length];
      double[] shift = new double[gamma.length];
      for (int i = 0; i < scale.length; i++) {
        scale[i] = gamma[i] / Math.sqrt(variance[i] + epsilon);
        shift[i] = beta[i] - mean[i] * scale[i];
      }
      return new Affine(node, scale, shift);
    }
  }

  /** The mean of a row. */
  record RowMean(String node) implements ImportedStep {}

  /** One number, repeated for each number of a row. */
  record Stretched(String node) implements ImportedStep {}

  /**
   * Layer normalization, over the numbers of a row.
   *
   * @param gamma factor of each number
   * @param beta number that is added to each product
   */
  record LayerNormalized(String node, double[] gamma, double[] beta, double epsilon)
      implements ImportedStep {}

  /**
   * A rectifier with learned slopes.
   *
   * @param slopes factors of negative numbers; each slope applies to equally many neighbouring
   *     numbers of a row, in the order of the row
   */
  record ParametricRelu(String node, double[] slopes) implements ImportedStep {}

  /**
   * A function of each number, or of whole rows.
   *
   * @param alpha slope of {@link Function#LEAKY_RELU} below 0, factor of {@link Function#ELU},
   *     bound of {@link Function#BOUNDED_RELU} and {@link Function#THRESHOLDED_RELU}, slope of
   *     {@link Function#HARD_SIGMOID}, or exponent of {@link Function#POWER}
   */
  record Activated(String node, Function function, double alpha) implements ImportedStep {}

  /** The functions of {@link Activated}. */
  enum Function {
    RELU,
    LEAKY_RELU,
    ELU,
    SELU,
    SOFTPLUS,
    SOFTSIGN,
    GELU,
    /** The approximation of GELU by a hyperbolic tangent. */
    GELU_TANH,
    SWISH,
    MISH,
    /** The number between 0 and alpha. */
    BOUNDED_RELU,
    /** The number if it is above alpha, else 0. */
    THRESHOLDED_RELU,
    HARD_SIGMOID,
    HARD_SWISH,
    TANH,
    SIGMOID,
    /** The error function, from which exporters build GELU. */
    ERF,
    /** The power with exponent alpha, from which exporters build GELU and normalizations. */
    POWER,
    ABSOLUTE,
    /** 1 above alpha, else 0: the condition of a {@link Operation#CHOICE}. */
    ABOVE,
    SOFTMAX,
    LOG_SOFTMAX,
    EXPONENTIAL
  }

  /** The probabilities of two classes, from the probability of the second class. */
  record BothClasses(String node) implements ImportedStep {}

  /**
   * A change of the order of the numbers, or a choice of some of them.
   *
   * @param order for each place of the output the place of its number in the input
   */
  record Ordered(String node, int[] order) implements ImportedStep {
    /** Returns whether the step reorders a count of numbers and keeps all of them. */
    public boolean isPermutation(int count) {
      return Arrays.equals(
          Arrays.stream(order).sorted().toArray(), IntStream.range(0, count).toArray());
    }
  }

  /**
   * A convolution.
   *
   * @param weights shape [filters, channels, rows, columns]
   */
  record Convolved(String node, int filters, double[] weights, double[] bias, Frame frame)
      implements ImportedStep {}

  /**
   * A layer of long short-term memory (LSTM). Each row holds one series, value by value and step by
   * step: shape [size, steps] before the layer and [units, steps] behind it.
   *
   * @param inputs weights of the layer's input, shape [4 * units, size]: first the weights of the
   *     input, output and forget gates, then the weights of the cell candidate
   * @param outputs weights of the outputs of the previous time step, shape [4 * units, units], in
   *     this order too
   * @param bias 4 * units numbers, in this order too
   */
  record Recurrent(
      String node,
      int size,
      int units,
      int steps,
      double[] inputs,
      double[] outputs,
      double[] bias,
      Function activation,
      Function gates)
      implements ImportedStep {}

  /**
   * A pooling.
   *
   * @param max whether the result is the largest number of a window; else the mean
   * @param padded whether padding counts in the mean
   */
  record Pooled(String node, boolean max, boolean padded, Frame frame) implements ImportedStep {}

  /** A window that moves over images; sizes in pixels. */
  record Frame(
      int channels,
      int height,
      int width,
      int rows,
      int columns,
      int down,
      int right,
      int top,
      int left,
      int outputHeight,
      int outputWidth) {}
}
