package io.idlalayer.modelcontroller.engine.kernel.plain;

import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;

/**
 * Computes a convolution by its definition: visits each pair of a weight and an input pixel that
 * the weight multiplies.
 */
final class JavaConvolution {
  private final Convolution shape;
  private final KernelWindow window;
  private final int images;

  JavaConvolution(Convolution shape, int images) {
    this.shape = shape;
    this.images = images;
    window = shape.window();
  }

  /** An operation on a weight, an input pixel and an output pixel, by their indexes. */
  @FunctionalInterface
  private interface Visit {
    void at(int weight, int input, int output);
  }

  /** Adds the convolution of {@code x} with the weights {@code w} to the outputs {@code y}. */
  void forward(float[] x, float[] w, float[] y) {
    visit((weight, input, output) -> y[output] += x[input] * w[weight]);
  }

  /**
   * Adds the gradients of the weights to {@code dw}, from the inputs {@code x} and the errors
   * {@code dy} of the outputs.
   */
  void gradients(float[] x, float[] dy, float[] dw) {
    visit((weight, input, output) -> dw[weight] += x[input] * dy[output]);
  }

  /**
   * Adds the errors of the inputs to {@code dx}, from the weights {@code w} and the errors {@code
   * dy} of the outputs.
   */
  void errors(float[] w, float[] dy, float[] dx) {
    visit((weight, input, output) -> dx[input] += w[weight] * dy[output]);
  }

  private void visit(Visit visit) {
    for (int image = 0; image < images; image++) {
      for (int filter = 0; filter < shape.filters(); filter++) {
        for (int channel = 0; channel < window.channels(); channel++) {
          for (int row = 0; row < window.rows(); row++) {
            for (int column = 0; column < window.columns(); column++) {
              visit(visit, image, filter, channel, row, column);
            }
          }
        }
      }
    }
  }

  private void visit(Visit visit, int image, int filter, int channel, int row, int column) {
    int weight =
        ((filter * window.channels() + channel) * window.rows() + row) * window.columns() + column;
    int inputs = (image * window.channels() + channel) * window.height();
    int outputs = (image * shape.filters() + filter) * window.outputHeight();
    for (int y = 0; y < window.outputHeight(); y++) {
      int inputY = y * window.down() + row - window.top();
      if (inputY < 0 || inputY >= window.height()) {
        continue;
      }
      for (int x = 0; x < window.outputWidth(); x++) {
        int inputX = x * window.right() + column - window.left();
        if (inputX >= 0 && inputX < window.width()) {
          visit.at(
              weight,
              (inputs + inputY) * window.width() + inputX,
              (outputs + y) * window.outputWidth() + x);
        }
      }
    }
  }
}
