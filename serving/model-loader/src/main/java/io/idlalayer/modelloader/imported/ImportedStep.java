package io.idlalayer.modelloader.imported;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A step of an imported network, which takes what the step before it gives. Rows hold images
 * channel by channel and row by row. Arrays must not be changed.
 */
public sealed interface ImportedStep {
  /** Returns the node of the file that it was read from, for messages. */
  String node();

  /**
   * The numbers of an application that a layer takes.
   *
   * @param columns for each number the column of the application's network input that it comes from
   * @param scale factor of each number, in units of the application
   * @param shift what is added to each number then
   */
  record Input(String node, int[] columns, double[] scale, double[] shift) implements ImportedStep {
    /** Returns whether the numbers are some columns one after the other, as they are. */
    public boolean isRange(int from, int count) {
      return columns.length == count
          && IntStream.range(0, count)
              .allMatch(i -> columns[i] == from + i && scale[i] == 1 && shift[i] == 0);
    }
  }

  /** What several layers give, combined number by number. */
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
    /** The second where the first is not 0, else the third. */
    CHOICE
  }

  /** What several layers give, one after the other. */
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
   * @param shift numbers that are added, as many
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
    /** Returns it as a factor and a number that is added. */
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

  /** One number, once for each number of a row. */
  record Stretched(String node) implements ImportedStep {}

  /**
   * Layer normalization, over the numbers of a row.
   *
   * @param gamma factor of each number
   * @param beta what is added to each number then
   */
  record LayerNormalized(String node, double[] gamma, double[] beta, double epsilon)
      implements ImportedStep {}

  /**
   * A rectifier with learned slopes.
   *
   * @param slopes factors of negative numbers; each is of equally many neighbouring numbers of a
   *     row, in the order of the rows
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
    /** The error function, of which exporters make GELU. */
    ERF,
    /** The power with exponent alpha, of which exporters make GELU and normalizations. */
    POWER,
    ABSOLUTE,
    /** 1 above alpha, else 0: the condition of a {@link Operation#CHOICE}. */
    ABOVE,
    SOFTMAX,
    LOG_SOFTMAX,
    EXPONENTIAL
  }

  /** The probabilities of two classes from that of the second one. */
  record BothClasses(String node) implements ImportedStep {}

  /**
   * A change of the order of the numbers, or a choice of some of them.
   *
   * @param order for each place the place from which its number comes
   */
  record Ordered(String node, int[] order) implements ImportedStep {
    /** Returns whether it changes the order of a count of numbers, and chooses all of them. */
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
   * A layer of long short-term memory. Each row holds one series, value by value and step by step,
   * before it and behind it: shapes [size, steps] and [units, steps].
   *
   * @param inputs weights of what comes in, shape [4 * units, size]: those of the gates that take
   *     in, give out and forget, then those of what comes in
   * @param outputs weights of the outputs of the step before, shape [4 * units, units], likewise
   * @param bias 4 * units numbers, likewise
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
   * @param max whether it takes the largest number of a window; else the mean
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
