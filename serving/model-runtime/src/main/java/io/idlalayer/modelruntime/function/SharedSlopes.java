package io.idlalayer.modelruntime.function;

/** Tells which numbers of a row share a slope of Deeplearning4j's rectifier with learned slopes. */
public final class SharedSlopes {
  private SharedSlopes() {}

  /**
   * Returns the number of slopes of a row: one for each size of its first dimension, which is that
   * of the channels, or a single one.
   *
   * @param inputShape the layer's shape of a row; Deeplearning4j writes 1 for a shared dimension
   *     once it has initialized the layer
   * @param sharedAxes dimensions along which a slope is shared; 1 is the first
   * @param sizes the sizes of the layer's inputs, for one row
   * @return 0 if the layer is of other inputs, or has several slopes for a channel
   */
  public static int count(int[] inputShape, int[] sharedAxes, int[] sizes) {
    boolean[] shared = new boolean[sizes.length];
    for (int axis : sharedAxes) {
      if (axis < 1 || axis > sizes.length) {
        return 0;
      }
      shared[axis - 1] = true;
    }
    if (inputShape.length != sizes.length) {
      return 0;
    }
    for (int i = 0; i < sizes.length; i++) {
      boolean fits = inputShape[i] == sizes[i] || (shared[i] && inputShape[i] == 1);
      if (!fits || (i > 0 && !shared[i] && sizes[i] > 1)) {
        return 0;
      }
    }
    return shared[0] ? 1 : sizes[0];
  }
}
