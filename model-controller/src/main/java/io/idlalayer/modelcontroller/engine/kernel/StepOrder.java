package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Copies time series between two orders.
 *
 * @param series of shape [rows, size, steps]
 * @param steps of shape [steps, rows, size]
 */
record StepOrder(Tensor series, Tensor steps, int rows, int size, int count) {
  Kernel toSteps() {
    return () -> {
      float[] from = series.floats().toArray();
      float[] to = new float[from.length];
      for (int row = 0; row < rows; row++) {
        for (int number = 0; number < size; number++) {
          int at = (row * size + number) * count;
          for (int step = 0; step < count; step++) {
            to[(step * rows + row) * size + number] = from[at + step];
          }
        }
      }
      steps.floats().put(0, to, 0, to.length);
    };
  }

  Kernel fromSteps() {
    return () -> {
      float[] from = steps.floats().toArray();
      float[] to = new float[from.length];
      for (int row = 0; row < rows; row++) {
        for (int number = 0; number < size; number++) {
          int at = (row * size + number) * count;
          for (int step = 0; step < count; step++) {
            to[at + step] = from[(step * rows + row) * size + number];
          }
        }
      }
      series.floats().put(0, to, 0, to.length);
    };
  }
}
