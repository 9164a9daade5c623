package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Kernels that copy the last step of time series, and pass its errors back.
 *
 * @param series the time series; shape [numbers, steps]
 * @param last receives the last number of each series
 */
public record LastStep(Tensor series, Tensor last, int steps) {
  /** Number of floats that are copied to the heap at a time. */
  private static final int PIECE = 1_024;

  /** Returns the kernel that copies the last step. */
  public RepeatableKernel forward() {
    float[] values = new float[Math.min(PIECE, last.length())];
    return () -> {
      Floats from = series.floats();
      for (int at = 0; at < last.length(); at += values.length) {
        int count = Math.min(values.length, last.length() - at);
        for (int i = 0; i < count; i++) {
          from.get((at + i + 1) * steps - 1, values, i, 1);
        }
        last.floats().put(at, values, 0, count);
      }
    };
  }

  /**
   * Returns the kernel that copies the errors of the last step to the errors of the series, which
   * are 0 at all other steps.
   */
  public TapeKernel backward() {
    int most = Math.max(1, Math.min(last.length(), PIECE / steps));
    float[] errors = new float[most];
    float[] values = new float[most * steps];
    return () -> {
      for (int at = 0; at < last.length(); at += most) {
        int count = Math.min(most, last.length() - at);
        last.floats().get(at, errors, 0, count);
        for (int i = 0; i < count; i++) {
          values[(i + 1) * steps - 1] = errors[i];
        }
        series.floats().put(at * steps, values, 0, count * steps);
      }
    };
  }
}
