package io.idlalayer.modelruntime.network;

import java.util.Arrays;

/**
 * A dense layer. The weights are kept input by input, and the innermost loop runs over outputs, at
 * the same index of all its arrays: only so does the JVM's compiler compute several numbers at a
 * time (decision 32).
 */
public final class DenseStep implements Step {
  private final int outputs;

  /** Shape [inputs, outputs]. */
  private final float[][] weights;

  private final float[] bias;
  private final Activation activation;

  /**
   * @param stored parameters of all layers; finite
   * @param from where the layer's begin: weights of shape [inputs, outputs] in 'f' order, then the
   *     bias
   */
  DenseStep(
      int inputs, int outputs, boolean hasBias, Activation activation, float[] stored, int from) {
    this.outputs = outputs;
    this.activation = activation;
    weights = new float[inputs][outputs];
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < inputs; i++) {
        weights[i][o] = stored[from + o * inputs + i];
      }
    }
    bias = new float[outputs];
    if (hasBias) {
      System.arraycopy(stored, from + inputs * outputs, bias, 0, outputs);
    }
  }

  /** Numbers of a row that it takes. */
  public int inputs() {
    return weights.length;
  }

  /** Shape [inputs, outputs], input by input; a copy. */
  public float[] weights() {
    float[] copy = new float[weights.length * outputs];
    for (int i = 0; i < weights.length; i++) {
      System.arraycopy(weights[i], 0, copy, i * outputs, outputs);
    }
    return copy;
  }

  /** One for each output; a copy. */
  public float[] bias() {
    return bias.clone();
  }

  /** What is applied to the sums. */
  public Activation activation() {
    return activation;
  }

  @Override
  public int width() {
    return outputs;
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    int inputs = weights.length;
    float[] sums = new float[outputs];
    for (int row = 0; row < rows; row++) {
      Arrays.fill(sums, 0);
      add(sources[0], row * inputs, 0, inputs, sums);
      finish(sums, out, row);
    }
    activation.apply(out, rows, outputs);
  }

  /**
   * Computes rows of columns of the network's input.
   *
   * @param range as many columns as the layer has inputs
   * @param out takes rows of {@link #width}, one after the other
   */
  void run(InputRows in, InputColumns.Range range, float[] out) {
    float[] sums = new float[outputs];
    for (int row = 0; row < in.rows(); row++) {
      Arrays.fill(sums, 0);
      int from = row * in.columns().numbers() + range.firstNumber();
      add(in.numbers(), from, 0, range.before(), sums);
      addOnes(in, row, range, sums);
      int after = range.after();
      add(in.numbers(), from + range.before(), weights.length - after, after, sums);
      finish(sums, out, row);
    }
    activation.apply(out, in.rows(), outputs);
  }

  private void finish(float[] sums, float[] out, int row) {
    for (int o = 0; o < sums.length; o++) {
      sums[o] += bias[o];
    }
    System.arraycopy(sums, 0, out, row * outputs, outputs);
  }

  private void addOnes(InputRows in, int row, InputColumns.Range range, float[] sums) {
    int features = in.columns().features();
    for (int i = row * features; i < (row + 1) * features; i++) {
      int column = in.ones()[i];
      if (column >= range.from() && column < range.to()) {
        float[] added = weights[column - range.from()];
        for (int o = 0; o < sums.length; o++) {
          sums[o] += added[o];
        }
      }
    }
  }

  /**
   * Some inputs of one row; four at a time, of which those that are 0 together cost nothing.
   *
   * @param from where they are in the array
   * @param first the first of them, among the layer's inputs
   */
  private void add(float[] in, int from, int first, int count, float[] sums) {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
      float a = in[from + i];
      float b = in[from + i + 1];
      float c = in[from + i + 2];
      float d = in[from + i + 3];
      if (a != 0 || b != 0 || c != 0 || d != 0) {
        addFour(a, b, c, d, first + i, sums);
      }
    }
    for (; i < count; i++) {
      float a = in[from + i];
      float[] ofA = weights[first + i];
      for (int o = 0; o < sums.length; o++) {
        sums[o] += a * ofA[o];
      }
    }
  }

  private void addFour(float a, float b, float c, float d, int first, float[] sums) {
    float[] ofA = weights[first];
    float[] ofB = weights[first + 1];
    float[] ofC = weights[first + 2];
    float[] ofD = weights[first + 3];
    for (int o = 0; o < sums.length; o++) {
      sums[o] += a * ofA[o] + b * ofB[o] + c * ofC[o] + d * ofD[o];
    }
  }
}
