package io.idlalayer.modelcontroller.engine.kernel;

/** The largest or the mean value in a window, for each channel. */
public record Pooling(KernelWindow window, Kind kind) {
  /** What is taken. */
  public enum Kind {
    MAX,
    /** Mean of the pixels that are inside the image. */
    MEAN,
    /** Mean of the whole window, with padding as zeros. */
    MEAN_WITH_PADDING
  }
}
