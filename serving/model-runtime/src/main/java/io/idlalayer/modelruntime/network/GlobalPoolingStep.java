package io.idlalayer.modelruntime.network;

/**
 * Pooling over all pixels of a channel, or all steps of a time series: takes the maximum or the
 * mean.
 *
 * @param width number of channels
 * @param pixels number of pixels of each channel
 * @param max whether the result is the maximum; otherwise the mean
 */
public record GlobalPoolingStep(int width, int pixels, boolean max) implements NetworkStep {
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
