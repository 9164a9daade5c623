package io.idlalayer.modelruntime.network;

/** Steps that have no parameters. */
public final class RowSteps {
  private RowSteps() {}

  /** An activation function as a step of its own. */
  public record Activated(int width, ActivationFunction activation) implements NetworkStep {
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      System.arraycopy(sources[0], 0, out, 0, rows * width);
      activation.apply(out, rows, width);
    }
  }

  /**
   * Takes the values of a time series at its last step.
   *
   * @param width numbers of a step
   */
  public record LastStep(int width, int steps) implements NetworkStep {
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      for (int i = 0; i < rows * width; i++) {
        out[i] = sources[0][(i + 1) * steps - 1];
      }
    }
  }

  /**
   * Takes a range of columns of its source.
   *
   * @param from first of them
   * @param inputs columns of the source
   */
  public record Columns(int from, int width, int inputs) implements NetworkStep {
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      for (int row = 0; row < rows; row++) {
        System.arraycopy(sources[0], row * inputs + from, out, row * width, width);
      }
    }
  }

  /**
   * Concatenates the columns of all sources in each row.
   *
   * @param widths columns of each source
   */
  public record Merged(int width, int[] widths) implements NetworkStep {
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      int to = 0;
      for (int s = 0; s < widths.length; s++) {
        for (int row = 0; row < rows; row++) {
          System.arraycopy(sources[s], row * widths[s], out, row * width + to, widths[s]);
        }
        to += widths[s];
      }
    }
  }

  /**
   * Layer normalization: over the numbers of each row, in double precision. The arrays must not be
   * changed.
   *
   * @param scales factor of each number of a row
   * @param shifts number that is added to each product
   * @param epsilon added to variances
   */
  public record LayerNormalized(float[] scales, float[] shifts, double epsilon)
      implements NetworkStep {
    @Override
    public int width() {
      return scales.length;
    }

    @Override
    public void run(float[][] sources, int rows, float[] out) {
      int width = scales.length;
      float[] in = sources[0];
      for (int from = 0; from < rows * width; from += width) {
        double sum = 0;
        for (int i = from; i < from + width; i++) {
          sum += in[i];
        }
        double mean = sum / width;
        double squares = 0;
        for (int i = from; i < from + width; i++) {
          squares += (in[i] - mean) * (in[i] - mean);
        }
        double factor = 1 / Math.sqrt(squares / width + epsilon);
        for (int i = 0; i < width; i++) {
          out[from + i] = (float) ((in[from + i] - mean) * factor * scales[i] + shifts[i]);
        }
      }
    }
  }

  /**
   * Multiplies negative numbers by learned slopes. The array must not be changed.
   *
   * @param width numbers of a row
   * @param slopes slopes; each belongs to (width / number of slopes) neighbouring numbers
   */
  public record ParametricRelu(int width, float[] slopes) implements NetworkStep {
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      float[] in = sources[0];
      int span = width / slopes.length;
      int at = 0;
      for (int row = 0; row < rows; row++) {
        for (float slope : slopes) {
          for (int end = at + span; at < end; at++) {
            out[at] = in[at] < 0 ? slope * in[at] : in[at];
          }
        }
      }
    }
  }

  /** The operation that combines several sources of equal width. */
  public enum Operation {
    ADD,
    SUBTRACT,
    PRODUCT,
    AVERAGE,
    MAX
  }

  /** Combines several sources of equal width, number by number. */
  public record Combined(int width, Operation operation) implements NetworkStep {
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      int count = rows * width;
      System.arraycopy(sources[0], 0, out, 0, count);
      for (int s = 1; s < sources.length; s++) {
        combine(sources[s], count, out);
      }
      if (operation == Operation.AVERAGE) {
        float share = sources.length;
        for (int i = 0; i < count; i++) {
          out[i] /= share;
        }
      }
    }

    private void combine(float[] more, int count, float[] out) {
      for (int i = 0; i < count; i++) {
        out[i] =
            switch (operation) {
              case ADD, AVERAGE -> out[i] + more[i];
              case SUBTRACT -> out[i] - more[i];
              case PRODUCT -> out[i] * more[i];
              case MAX -> Math.max(out[i], more[i]);
            };
      }
    }
  }

  /**
   * Computes the dot products of all pairs of vectors of a row: the first with each later one, then
   * the second, and so on. Added up in double precision.
   *
   * @param width number of pairs
   * @param vectors number of vectors of a row
   * @param dim length of a vector
   */
  public record Dots(int width, int vectors, int dim) implements NetworkStep {
    /**
     * @param sources one: the vectors of a row, one after the other
     */
    @Override
    public void run(float[][] sources, int rows, float[] out) {
      float[] in = sources[0];
      int at = 0;
      for (int row = 0; row < rows; row++) {
        int from = row * vectors * dim;
        for (int a = 0; a < vectors; a++) {
          for (int b = a + 1; b < vectors; b++) {
            double sum = 0;
            for (int i = 0; i < dim; i++) {
              sum += (double) in[from + a * dim + i] * in[from + b * dim + i];
            }
            out[at++] = (float) sum;
          }
        }
      }
    }
  }
}
