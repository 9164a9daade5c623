package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Takes the last step out of time series.
 *
 * @param series of shape [numbers, steps]
 * @param last one number for each series
 */
public record LastStep(Tensor series, Tensor last, int steps) {
  /** Copies the last step. */
  public Kernel forward() {
    return () -> {
      float[] from = series.floats().toArray();
      float[] to = new float[last.length()];
      for (int i = 0; i < to.length; i++) {
        to[i] = from[(i + 1) * steps - 1];
      }
      last.floats().put(0, to, 0, to.length);
    };
  }

  /** Gives the errors of the last step to the series, and 0 to all other steps. */
  public Kernel backward() {
    return () -> {
      float[] from = last.floats().toArray();
      float[] to = new float[series.length()];
      for (int i = 0; i < from.length; i++) {
        to[(i + 1) * steps - 1] = from[i];
      }
      series.floats().put(0, to, 0, to.length);
    };
  }
}
