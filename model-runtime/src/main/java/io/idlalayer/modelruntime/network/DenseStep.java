package io.idlalayer.modelruntime.network;

/**
 * A dense layer. The weights are kept input by input, so that the innermost loop runs over outputs:
 * it adds and multiplies element by element, which compilers vectorise, as they do not with sums.
 */
public final class DenseStep implements Step {
  private final int inputs;
  private final int outputs;

  /** Shape [inputs, outputs], input by input. */
  private final float[] weights;

  private final float[] bias;
  private final Activation activation;

  /**
   * @param stored parameters of all layers; finite
   * @param from where the layer's begin: weights of shape [inputs, outputs] in 'f' order, then the
   *     bias
   */
  DenseStep(
      int inputs, int outputs, boolean hasBias, Activation activation, float[] stored, int from) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.activation = activation;
    weights = new float[inputs * outputs];
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < inputs; i++) {
        weights[i * outputs + o] = stored[from + o * inputs + i];
      }
    }
    bias = new float[outputs];
    if (hasBias) {
      System.arraycopy(stored, from + weights.length, bias, 0, outputs);
    }
  }

  /** Numbers of a row that it takes. */
  public int inputs() {
    return inputs;
  }

  /** Shape [inputs, outputs], input by input; a copy. */
  public float[] weights() {
    return weights.clone();
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
    for (int row = 0; row < rows; row++) {
      multiply(sources[0], row * inputs, 0, inputs, out, row * outputs);
    }
    finish(rows, out);
  }

  /**
   * Computes rows of columns of the network's input.
   *
   * @param range as many columns as the layer has inputs
   * @param out takes rows of {@link #width}, one after the other; 0 before
   */
  void run(InputRows in, InputColumns.Range range, float[] out) {
    for (int row = 0; row < in.rows(); row++) {
      int from = row * in.columns().numbers() + range.firstNumber();
      int to = row * outputs;
      multiply(in.numbers(), from, 0, range.before(), out, to);
      addOnes(in, row, range, out, to);
      int after = range.after();
      multiply(in.numbers(), from + range.before(), inputs - after, after, out, to);
    }
    finish(in.rows(), out);
  }

  private void finish(int rows, float[] out) {
    for (int row = 0; row < rows; row++) {
      for (int o = 0; o < outputs; o++) {
        out[row * outputs + o] += bias[o];
      }
    }
    activation.apply(out, rows, outputs);
  }

  private void addOnes(InputRows in, int row, InputColumns.Range range, float[] out, int to) {
    int features = in.columns().features();
    for (int i = row * features; i < (row + 1) * features; i++) {
      int column = in.ones()[i];
      if (column >= range.from() && column < range.to()) {
        int at = (column - range.from()) * outputs;
        for (int o = 0; o < outputs; o++) {
          out[to + o] += weights[at + o];
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
  private void multiply(float[] in, int from, int first, int count, float[] out, int to) {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
      float a = in[from + i];
      float b = in[from + i + 1];
      float c = in[from + i + 2];
      float d = in[from + i + 3];
      if (a != 0 || b != 0 || c != 0 || d != 0) {
        addFour(a, b, c, d, (first + i) * outputs, out, to);
      }
    }
    for (; i < count; i++) {
      float a = in[from + i];
      int at = (first + i) * outputs;
      for (int o = 0; o < outputs; o++) {
        out[to + o] += a * weights[at + o];
      }
    }
  }

  private void addFour(float a, float b, float c, float d, int at, float[] out, int to) {
    int second = at + outputs;
    int third = second + outputs;
    int fourth = third + outputs;
    for (int o = 0; o < outputs; o++) {
      out[to + o] +=
          a * weights[at + o]
              + b * weights[second + o]
              + c * weights[third + o]
              + d * weights[fourth + o];
    }
  }
}
