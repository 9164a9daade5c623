package io.idlalayer.modelruntime.network;

/**
 * The weights of a dense layer, stored by inputs. Immutable. Each form has loops of its own, so
 * that each loop sees only one form and the JVM's compiler can optimize it. Products are added one
 * after the other, so that an input whose weights are 0 changes no bit of a sum, wherever it is
 * among the inputs.
 */
sealed interface InputWeights {
  /**
   * Least number of outputs for which each input has an array of its own; with fewer, the arrays
   * would take several times the memory of their numbers.
   */
  int FEWEST_IN_ARRAYS = 8;

  /**
   * Returns the weights in the form that suits the number of outputs.
   *
   * @param stored weights of shape [inputs, outputs] in 'f' order, from an index on
   */
  static InputWeights of(int inputs, int outputs, float[] stored, int from) {
    if (outputs < FEWEST_IN_ARRAYS) {
      float[] weights = new float[inputs * outputs];
      for (int o = 0; o < outputs; o++) {
        for (int i = 0; i < inputs; i++) {
          weights[i * outputs + o] = stored[from + o * inputs + i];
        }
      }
      return new Together(weights, outputs);
    }
    float[][] weights = new float[inputs][outputs];
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < inputs; i++) {
        weights[i][o] = stored[from + o * inputs + i];
      }
    }
    return new InArrays(weights);
  }

  /**
   * Multiplies the weights of some inputs by the values of these inputs, and adds the products to
   * the sums.
   *
   * @param from where the values are in their array
   * @param first the first of the inputs
   */
  void add(float[] values, int from, int count, int first, float[] sums);

  /** Adds to the sums the weights of an input whose value is 1. */
  void addOne(int input, float[] sums);

  /** Returns a copy of the weights, input by input; shape [inputs, outputs]. */
  float[] copy();

  /**
   * Weights in one array for each input. The loops use one index for all arrays, because only then
   * does the JVM's compiler compute several numbers at a time (decision 32).
   *
   * @param weights weights; shape [inputs, outputs]
   */
  record InArrays(float[][] weights) implements InputWeights {
    /** Adds the weights of four inputs at a time; four inputs that are all 0 are skipped. */
    @Override
    public void add(float[] values, int from, int count, int first, float[] sums) {
      int i = 0;
      for (; i + 4 <= count; i += 4) {
        float a = values[from + i];
        float b = values[from + i + 1];
        float c = values[from + i + 2];
        float d = values[from + i + 3];
        if (a != 0 || b != 0 || c != 0 || d != 0) {
          addFour(a, b, c, d, first + i, sums);
        }
      }
      for (; i < count; i++) {
        float value = values[from + i];
        float[] times = weights[first + i];
        for (int o = 0; o < sums.length; o++) {
          sums[o] += value * times[o];
        }
      }
    }

    private void addFour(float a, float b, float c, float d, int first, float[] sums) {
      float[] timesA = weights[first];
      float[] timesB = weights[first + 1];
      float[] timesC = weights[first + 2];
      float[] timesD = weights[first + 3];
      for (int o = 0; o < sums.length; o++) {
        sums[o] = sums[o] + a * timesA[o] + b * timesB[o] + c * timesC[o] + d * timesD[o];
      }
    }

    @Override
    public void addOne(int input, float[] sums) {
      float[] times = weights[input];
      for (int o = 0; o < sums.length; o++) {
        sums[o] += times[o];
      }
    }

    @Override
    public float[] copy() {
      int outputs = weights[0].length;
      float[] copy = new float[weights.length * outputs];
      for (int i = 0; i < weights.length; i++) {
        System.arraycopy(weights[i], 0, copy, i * outputs, outputs);
      }
      return copy;
    }
  }

  /**
   * Weights in a single array.
   *
   * @param weights weights, input by input; shape [inputs, outputs]
   */
  record Together(float[] weights, int outputs) implements InputWeights {
    /** Adds the weights of four inputs at a time, so that sums are read and written less often. */
    @Override
    public void add(float[] values, int from, int count, int first, float[] sums) {
      int i = 0;
      for (; i + 4 <= count; i += 4) {
        float a = values[from + i];
        float b = values[from + i + 1];
        float c = values[from + i + 2];
        float d = values[from + i + 3];
        if (a != 0 || b != 0 || c != 0 || d != 0) {
          addFour(a, b, c, d, (first + i) * outputs, sums);
        }
      }
      for (; i < count; i++) {
        float value = values[from + i];
        int at = (first + i) * outputs;
        for (int o = 0; o < outputs; o++) {
          sums[o] += value * weights[at + o];
        }
      }
    }

    private void addFour(float a, float b, float c, float d, int at, float[] sums) {
      for (int o = 0; o < outputs; o++) {
        sums[o] =
            sums[o]
                + a * weights[at + o]
                + b * weights[at + outputs + o]
                + c * weights[at + 2 * outputs + o]
                + d * weights[at + 3 * outputs + o];
      }
    }

    @Override
    public void addOne(int input, float[] sums) {
      int at = input * outputs;
      for (int o = 0; o < outputs; o++) {
        sums[o] += weights[at + o];
      }
    }

    @Override
    public float[] copy() {
      return weights.clone();
    }
  }
}
