package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelloader.imported.ImportedStep;

/** Compares the windows of imported convolutions and poolings with the windows of layers. */
final class ImportedWindows {
  private ImportedWindows() {}

  /**
   * Returns whether both windows pool each whole channel to one number, and channels have the same
   * number of pixels in both.
   */
  static boolean isWhole(ImportedStep.Frame frame, KernelWindow window) {
    return frame.outputHeight() * frame.outputWidth() == 1
        && window.outputPixels() == 1
        && frame.rows() * frame.columns() == frame.height() * frame.width()
        && window.rows() * window.columns() == window.height() * window.width()
        && frame.channels() == window.channels()
        && frame.height() * frame.width() == window.height() * window.width();
  }

  static boolean hasPadding(KernelWindow window) {
    return window.top() > 0
        || window.left() > 0
        || window.bottom() > 0
        || window.rightPadding() > 0;
  }

  static boolean same(ImportedStep.Frame frame, KernelWindow window) {
    return new KernelWindow(
            frame.channels(),
            frame.height(),
            frame.width(),
            frame.rows(),
            frame.columns(),
            frame.down(),
            frame.right(),
            frame.top(),
            frame.left(),
            frame.outputHeight(),
            frame.outputWidth())
        .equals(window);
  }
}
