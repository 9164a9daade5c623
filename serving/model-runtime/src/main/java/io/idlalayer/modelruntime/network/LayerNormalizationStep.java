package io.idlalayer.modelruntime.network;

/** Layer normalization: over the numbers of each row, in double precision. */
public final class LayerNormalizationStep implements NetworkStep {
  private final float[] scales;
  private final float[] shifts;
  private final double epsilon;

  /**
   * @param scales factor of each number of a row
   * @param shifts what is added to each number then
   * @param epsilon added to variances
   */
  LayerNormalizationStep(float[] scales, float[] shifts, double epsilon) {
    this.scales = scales;
    this.shifts = shifts;
    this.epsilon = epsilon;
  }

  @Override
  public int width() {
    return scales.length;
  }

  /** Returns a copy of the factors. */
  public float[] scales() {
    return scales.clone();
  }

  /** Returns a copy of the numbers that are added. */
  public float[] shifts() {
    return shifts.clone();
  }

  public double epsilon() {
    return epsilon;
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
