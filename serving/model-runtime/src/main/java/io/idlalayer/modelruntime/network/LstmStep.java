package io.idlalayer.modelruntime.network;

import java.util.Arrays;

/**
 * A layer of long short-term memory over time series. Each step of a series needs the previous
 * step; the innermost loops run over the units of all gates. Sums and memory are in double
 * precision, because errors add up from step to step.
 */
public final class LstmStep implements NetworkStep {
  private static final int GATES = 4;

  private final RowShape.Series in;
  private final int units;

  /**
   * Weights of the inputs, then of the outputs of the step before; shape [size + units, 4 * units].
   */
  private final double[][] weights;

  private final double[] bias;
  private final ActivationFunction activation;
  private final ActivationFunction gates;

  /**
   * @param gates the activation of the three gates
   * @param stored parameters of all layers; finite
   * @param from index of the layer's first parameter. The layer has the weights of the inputs,
   *     shape [size, 4 * units] in 'f' order; the weights of the outputs, shape [units, 4 * units]
   *     in 'f' order; and the bias. Each group of 4 * units has the candidate first, then the
   *     forget, output and input gates
   */
  LstmStep(
      RowShape.Series in,
      int units,
      ActivationFunction activation,
      ActivationFunction gates,
      float[] stored,
      int from) {
    this.in = in;
    this.units = units;
    this.activation = activation;
    this.gates = gates;
    int width = GATES * units;
    weights = new double[in.size() + units][width];
    transpose(stored, from, in.size(), 0);
    transpose(stored, from + in.size() * width, units, in.size());
    int last = from + weights.length * width;
    bias = new double[width];
    for (int i = 0; i < width; i++) {
      bias[i] = stored[last + i];
    }
  }

  private void transpose(float[] stored, int from, int inputs, int to) {
    int width = GATES * units;
    for (int o = 0; o < width; o++) {
      for (int i = 0; i < inputs; i++) {
        weights[to + i][o] = stored[from + o * inputs + i];
      }
    }
  }

  /** Returns the number of parameters of such a layer. */
  static long parameters(int size, int units) {
    return (long) GATES * units * ((long) size + units + 1);
  }

  /** Returns the shape of the time series that the layer takes. */
  public RowShape.Series in() {
    return in;
  }

  public int units() {
    return units;
  }

  /**
   * Returns a copy of the weights of the inputs, then of the outputs of the step before; shape
   * [size + units, 4 * units]. Each group of 4 * units columns has first the weights of the
   * candidate, then those of the forget, output and input gates.
   */
  public float[] weights() {
    int width = GATES * units;
    float[] copy = new float[weights.length * width];
    for (int i = 0; i < weights.length; i++) {
      System.arraycopy(floats(weights[i]), 0, copy, i * width, width);
    }
    return copy;
  }

  /**
   * Returns a copy of the bias: four times as many numbers as units, in the order of the weights.
   */
  public float[] bias() {
    return floats(bias);
  }

  private static float[] floats(double[] values) {
    float[] copy = new float[values.length];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = (float) values[i];
    }
    return copy;
  }

  /** Returns the activation function of the inputs and of the cells. */
  public ActivationFunction activation() {
    return activation;
  }

  /** Returns the activation function of the three gates. */
  public ActivationFunction gates() {
    return gates;
  }

  @Override
  public int width() {
    return units * in.steps();
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    double[] sums = new double[GATES * units];
    double[] memory = new double[units];
    double[] given = new double[units];
    for (int row = 0; row < rows; row++) {
      Arrays.fill(memory, 0);
      Arrays.fill(given, 0);
      for (int step = 0; step < in.steps(); step++) {
        System.arraycopy(bias, 0, sums, 0, sums.length);
        for (int i = 0; i < in.size(); i++) {
          add(sources[0][row * in.numbers() + i * in.steps() + step], weights[i], sums);
        }
        addGiven(given, sums);
        remember(sums, memory, given);
        for (int i = 0; i < units; i++) {
          out[row * width() + i * in.steps() + step] = (float) given[i];
        }
      }
    }
  }

  /**
   * Adds a value times the numbers of one array to the numbers at equal positions of the other, in
   * a loop that the JVM's compiler vectorizes (decision 32).
   */
  private static void add(double value, double[] of, double[] sums) {
    for (int o = 0; o < sums.length; o++) {
      sums[o] += value * of[o];
    }
  }

  /** Adds the weights of the previous outputs times these outputs, four at a time. */
  private void addGiven(double[] given, double[] sums) {
    int from = in.size();
    int i = 0;
    for (; i + 4 <= units; i += 4) {
      double a = given[i];
      double b = given[i + 1];
      double c = given[i + 2];
      double d = given[i + 3];
      double[] ofA = weights[from + i];
      double[] ofB = weights[from + i + 1];
      double[] ofC = weights[from + i + 2];
      double[] ofD = weights[from + i + 3];
      for (int o = 0; o < sums.length; o++) {
        sums[o] += a * ofA[o] + b * ofB[o] + c * ofC[o] + d * ofD[o];
      }
    }
    for (; i < units; i++) {
      add(given[i], weights[from + i], sums);
    }
  }

  private void remember(double[] sums, double[] memory, double[] given) {
    activation.apply(sums, 0, units);
    gates.apply(sums, units, (GATES - 1) * units);
    for (int i = 0; i < units; i++) {
      memory[i] = sums[units + i] * memory[i] + sums[3 * units + i] * sums[i];
    }
    System.arraycopy(memory, 0, given, 0, units);
    activation.apply(given, 0, units);
    for (int i = 0; i < units; i++) {
      given[i] *= sums[2 * units + i];
    }
  }
}
