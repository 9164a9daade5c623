package io.idlalayer.modelcontroller.engine.kernel;

/** The largest or the mean value in a window, for each channel. */
public record Pooling(Window window, Kind kind) {
  /** What is taken. */
  public enum Kind {
    MAX,
    /** Of the pixels that are in the image. */
    MEAN,
    /** Of the whole window, with padding as zeros. */
    MEAN_WITH_PADDING
  }
}
