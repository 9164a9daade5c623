package io.idlalayer.modelcontroller.engine.kernel;

/**
 * The shape of a pooling, which takes the largest or the mean value in each window of each channel.
 */
public record Pooling(KernelWindow window, Kind kind) {
  /** The value that a pooling takes from a window. */
  public enum Kind {
    MAX,
    /** Mean of the window's pixels that are inside the image. */
    MEAN,
    /** Mean of the whole window, in which padding counts as zeros. */
    MEAN_WITH_PADDING
  }
}
