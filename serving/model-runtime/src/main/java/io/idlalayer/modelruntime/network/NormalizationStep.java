package io.idlalayer.modelruntime.network;

/** Batch normalization with the means and variances that the training has measured. */
public final class NormalizationStep implements NetworkStep {
  private static final int PARAMETERS = 4;

  private final int channels;
  private final int pixels;
  private final float[] means;
  private final float[] scales;
  private final float[] shifts;

  /**
   * @param pixels number of pixels of each channel
   * @param eps number that is added to variances
   * @param logarithms whether the decimal logarithms of standard deviations are stored, instead of
   *     variances
   * @param stored parameters parameters of all layers; finite
   * @param from index of the layer's first parameter; the parameters are scales, shifts, means and
   *     variances of all channels
   */
  NormalizationStep(
      int channels, int pixels, double eps, boolean logarithms, float[] stored, int from) {
    this.channels = channels;
    this.pixels = pixels;
    means = new float[channels];
    scales = new float[channels];
    shifts = new float[channels];
    for (int i = 0; i < channels; i++) {
      double spread = stored[from + 3 * channels + i];
      double variance = logarithms ? Math.pow(10, 2 * spread) : spread;
      scales[i] = (float) (stored[from + i] / Math.sqrt(variance + eps));
      shifts[i] = stored[from + channels + i];
      means[i] = stored[from + 2 * channels + i];
    }
  }

  /** Returns the number of parameters of such a layer. */
  static long parameters(int channels) {
    return (long) PARAMETERS * channels;
  }

  public int channels() {
    return channels;
  }

  /** Returns the number of pixels of each channel. */
  public int pixels() {
    return pixels;
  }

  /** Returns a copy of the means, one for each channel. */
  public float[] means() {
    return means.clone();
  }

  /**
   * Returns a copy of the factors by which deviations from the means are multiplied, one for each
   * channel.
   */
  public float[] scales() {
    return scales.clone();
  }

  /**
   * Returns a copy of the numbers that are added after the multiplication, one for each channel.
   */
  public float[] shifts() {
    return shifts.clone();
  }

  @Override
  public int width() {
    return channels * pixels;
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    float[] in = sources[0];
    for (int row = 0; row < rows; row++) {
      for (int channel = 0; channel < channels; channel++) {
        int from = row * width() + channel * pixels;
        float mean = means[channel];
        float scale = scales[channel];
        float shift = shifts[channel];
        for (int i = from; i < from + pixels; i++) {
          out[i] = (in[i] - mean) * scale + shift;
        }
      }
    }
  }
}
