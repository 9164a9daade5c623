package io.idlalayer.modelruntime.network;

/**
 * One number for all pixels of a channel, or all steps of a time series.
 *
 * @param width channels
 * @param pixels of each
 * @param max whether it is the largest one; otherwise it is the mean
 */
public record GlobalPoolingStep(int width, int pixels, boolean max) implements Step {
  @Override
  public void run(float[][] sources, int rows, float[] out) {
    float[] in = sources[0];
    for (int channel = 0; channel < rows * width; channel++) {
      double value = max ? Double.NEGATIVE_INFINITY : 0;
      for (int i = channel * pixels; i < (channel + 1) * pixels; i++) {
        value = max ? Math.max(value, in[i]) : value + in[i];
      }
      out[channel] = (float) (max ? value : value / pixels);
    }
  }
}
