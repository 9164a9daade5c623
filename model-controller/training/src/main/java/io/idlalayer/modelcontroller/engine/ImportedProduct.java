package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelloader.imported.ImportedStep;

/** The weights and bias of a dense layer, into which the steps around it are folded. */
final class ImportedProduct {
  /** Shape [inputs, outputs], row by row. */
  private double[] weights;

  private double[] bias;
  private int inputs;
  private int outputs;

  ImportedProduct(ImportedStep.Linear linear) {
    weights = linear.weights().clone();
    bias = linear.bias().clone();
    inputs = linear.inputs();
    outputs = linear.outputs();
  }

  int inputs() {
    return inputs;
  }

  int outputs() {
    return outputs;
  }

  /** Folds a step that comes before this layer into the weights. */
  void after(ImportedStep.Affine before) {
    for (int i = 0; i < inputs; i++) {
      for (int o = 0; o < outputs; o++) {
        bias[o] += before.shift()[i] * weights[i * outputs + o];
        weights[i * outputs + o] *= before.scale()[i];
      }
    }
  }

  void after(ImportedStep.Ordered before) {
    select(before.order(), inputs);
  }

  /**
   * Folds the scaling of the inputs and the selection of columns into the weights.
   *
   * @param columns for each column of the file's input, its place among the inputs of the layer
   * @param width number of inputs of the layer
   */
  void after(ImportedStep.Input input, int[] columns, int width) {
    after(new ImportedStep.Affine(input.node(), input.scale(), input.shift()));
    select(columns, width);
  }

  private void select(int[] places, int width) {
    double[] placed = new double[width * outputs];
    for (int i = 0; i < inputs; i++) {
      for (int o = 0; o < outputs; o++) {
        placed[places[i] * outputs + o] += weights[i * outputs + o];
      }
    }
    weights = placed;
    inputs = width;
  }

  /** Folds a step that comes after this layer into the weights. */
  void before(ImportedStep.Affine after) {
    for (int o = 0; o < outputs; o++) {
      bias[o] = bias[o] * after.scale()[o] + after.shift()[o];
      for (int i = 0; i < inputs; i++) {
        weights[i * outputs + o] *= after.scale()[o];
      }
    }
  }

  /** Puts the outputs into another order. */
  void ordered(int[] order) {
    double[] newWeights = new double[weights.length];
    double[] newBias = new double[bias.length];
    for (int o = 0; o < outputs; o++) {
      newBias[o] = bias[order[o]];
      for (int i = 0; i < inputs; i++) {
        newWeights[i * outputs + o] = weights[i * outputs + order[o]];
      }
    }
    weights = newWeights;
    bias = newBias;
  }

  /**
   * Replaces the single output by two outputs. The softmax of the two outputs gives the second
   * class the same probability as the sigmoid of the single output. Each of the two outputs is half
   * of the single output, with opposite signs, so that both classes learn at the same rate.
   */
  void bothClasses() {
    double[] both = new double[2 * inputs];
    for (int i = 0; i < inputs; i++) {
      both[2 * i] = -weights[i] / 2;
      both[2 * i + 1] = weights[i] / 2;
    }
    weights = both;
    bias = new double[] {-bias[0] / 2, bias[0] / 2};
    outputs = 2;
  }

  /**
   * Writes the weights in the order of Deeplearning4j: the weights of one output after those of
   * another.
   */
  void writeWeights(float[] parameters, int from) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < inputs; i++) {
        parameters[from + o * inputs + i] = (float) weights[i * outputs + o];
      }
    }
  }

  void writeBias(float[] parameters, int from) {
    for (int o = 0; o < outputs; o++) {
      parameters[from + o] = (float) bias[o];
    }
  }

  /** Returns whether the bias is 0. */
  boolean unbiased() {
    for (double each : bias) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }
}
