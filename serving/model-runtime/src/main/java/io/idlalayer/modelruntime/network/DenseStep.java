package io.idlalayer.modelruntime.network;

import java.util.Arrays;

/** A dense layer: activation(inputs x weights + bias). */
public final class DenseStep implements NetworkStep {
  private final int inputs;
  private final int outputs;
  private final InputWeights weights;
  private final float[] bias;
  private final ActivationFunction activation;
  private final InputColumns.Range all;

  /**
   * @param stored parameters of all layers; finite
   * @param from index of the layer's first parameter; the parameters are the weights, of shape
   *     [inputs, outputs] in 'f' order, then the bias
   */
  DenseStep(
      int inputs,
      int outputs,
      boolean hasBias,
      ActivationFunction activation,
      float[] stored,
      int from) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.activation = activation;
    weights = InputWeights.of(inputs, outputs, stored, from);
    bias = new float[outputs];
    if (hasBias) {
      System.arraycopy(stored, from + inputs * outputs, bias, 0, outputs);
    }
    all = InputColumns.ofNumbers(inputs).range(0, inputs);
  }

  /** Returns the number of values of a row that the layer takes. */
  public int inputs() {
    return inputs;
  }

  /** Returns a copy of the weights, input by input; shape [inputs, outputs]. */
  public float[] weights() {
    return weights.copy();
  }

  /** Returns a copy of the bias, one number for each output. */
  public float[] bias() {
    return bias.clone();
  }

  /** Returns the activation function, which is applied to the sums. */
  public ActivationFunction activation() {
    return activation;
  }

  @Override
  public int width() {
    return outputs;
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    run(InputRows.of(sources[0], rows), all, out);
  }

  /**
   * Computes the layer's outputs directly from columns of the network's input, one-hots included.
   *
   * @param range the columns, as many as the layer has inputs
   * @param out receives rows of {@link #width}, one after the other
   */
  void run(InputRows in, InputColumns.Range range, float[] out) {
    float[] sums = new float[outputs];
    for (int row = 0; row < in.rows(); row++) {
      Arrays.fill(sums, 0);
      int from = row * in.columns().numbers() + range.firstNumber();
      weights.add(in.numbers(), from, range.before(), 0, sums);
      addOnes(in, row, range, sums);
      int after = range.after();
      weights.add(in.numbers(), from + range.before(), after, inputs - after, sums);
      for (int o = 0; o < sums.length; o++) {
        sums[o] += bias[o];
      }
      System.arraycopy(sums, 0, out, row * outputs, outputs);
    }
    activation.apply(out, in.rows(), outputs);
  }

  private void addOnes(InputRows in, int row, InputColumns.Range range, float[] sums) {
    int categorical = in.columns().categorical();
    for (int i = row * categorical; i < (row + 1) * categorical; i++) {
      int column = in.ones()[i];
      if (column >= range.from() && column < range.to()) {
        weights.addOne(column - range.from(), sums);
      }
    }
  }
}
