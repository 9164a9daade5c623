package io.idlalayer.modelcontroller.engine.kernel.plain;

import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;
import java.util.List;

/** Computes a pooling by its definition. */
final class JavaPooling {
  private final Pooling shape;
  private final KernelWindow window;

  JavaPooling(Pooling shape) {
    this.shape = shape;
    window = shape.window();
  }

  /**
   * Writes the pooled values of all windows.
   *
   * @param kept receives the index of the chosen pixel for each output, as a float; empty if it is
   *     not needed
   */
  void forward(Tensor inputs, Tensor outputs, List<Tensor> kept) {
    float[] x = inputs.floats().toArray();
    float[] y = new float[outputs.length()];
    float[] chosen = new float[outputs.length()];
    for (int output = 0; output < y.length; output++) {
      int[] pixels = pixels(output);
      if (shape.kind() == Pooling.Kind.MAX) {
        int largest = pixels[0];
        for (int pixel : pixels) {
          largest = x[pixel] > x[largest] ? pixel : largest;
        }
        chosen[output] = Float.intBitsToFloat(largest);
        y[output] = x[largest];
      } else {
        for (int pixel : pixels) {
          y[output] += x[pixel];
        }
        y[output] /= divisor(pixels);
      }
    }
    outputs.floats().put(0, y, 0, y.length);
    if (!kept.isEmpty()) {
      kept.get(0).floats().put(0, chosen, 0, chosen.length);
    }
  }

  void errors(Tensor errors, Tensor inputErrors, List<Tensor> kept) {
    float[] dy = errors.floats().toArray();
    float[] dx = new float[inputErrors.length()];
    float[] chosen = kept.isEmpty() ? new float[0] : kept.get(0).floats().toArray();
    for (int output = 0; output < dy.length; output++) {
      if (shape.kind() == Pooling.Kind.MAX) {
        dx[Float.floatToRawIntBits(chosen[output])] += dy[output];
      } else {
        int[] pixels = pixels(output);
        for (int pixel : pixels) {
          dx[pixel] += dy[output] / divisor(pixels);
        }
      }
    }
    inputErrors.floats().put(0, dx, 0, dx.length);
  }

  private int divisor(int[] pixels) {
    return shape.kind() == Pooling.Kind.MEAN_WITH_PADDING
        ? window.rows() * window.columns()
        : pixels.length;
  }

  /** Returns the indexes of the inputs under the window of an output. */
  private int[] pixels(int output) {
    int x = output % window.outputWidth();
    int y = output / window.outputWidth() % window.outputHeight();
    int plane = output / window.outputPixels();
    int[] pixels = new int[window.rows() * window.columns()];
    int count = 0;
    for (int row = 0; row < window.rows(); row++) {
      for (int column = 0; column < window.columns(); column++) {
        int inputY = y * window.down() + row - window.top();
        int inputX = x * window.right() + column - window.left();
        if (inputY >= 0 && inputY < window.height() && inputX >= 0 && inputX < window.width()) {
          pixels[count] = (plane * window.height() + inputY) * window.width() + inputX;
          count++;
        }
      }
    }
    return Arrays.copyOf(pixels, count);
  }
}
