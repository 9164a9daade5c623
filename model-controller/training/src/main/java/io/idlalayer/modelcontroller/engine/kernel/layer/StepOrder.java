package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Reorders time series between storage by series and storage by step. */
final class StepOrder {
  /** Number of values that are copied to the heap at a time, unless a single series is longer. */
  private static final int PIECE = 4_096;

  private final Tensor series;
  private final Tensor steps;
  private final int rows;
  private final int size;
  private final int count;

  /** Number of series that are copied together. */
  private final int most;

  private final float[] bySeries;
  private final float[] byStep;

  /**
   * @param series the time series; shape [rows, size, count]
   * @param steps the steps, one after the other; shape [count, rows, size]
   */
  StepOrder(Tensor series, Tensor steps, int rows, int size, int count) {
    this.series = series;
    this.steps = steps;
    this.rows = rows;
    this.size = size;
    this.count = count;
    most = Math.max(1, Math.min(size, PIECE / count));
    bySeries = new float[most * count];
    byStep = new float[most];
  }

  private interface Part {
    /** Copies some neighbouring series of a row from one order to the other. */
    void copy(int row, int first, int together);
  }

  private void all(Part part) {
    for (int row = 0; row < rows; row++) {
      for (int first = 0; first < size; first += most) {
        part.copy(row, first, Math.min(most, size - first));
      }
    }
  }

  TapeKernel toSteps() {
    return () -> all(this::toSteps);
  }

  private void toSteps(int row, int first, int together) {
    series.floats().get((row * size + first) * count, bySeries, 0, together * count);
    Floats target = steps.floats();
    for (int step = 0; step < count; step++) {
      for (int i = 0; i < together; i++) {
        byStep[i] = bySeries[i * count + step];
      }
      target.put((step * rows + row) * size + first, byStep, 0, together);
    }
  }

  TapeKernel fromSteps() {
    return () -> all(this::fromSteps);
  }

  private void fromSteps(int row, int first, int together) {
    Floats source = steps.floats();
    for (int step = 0; step < count; step++) {
      source.get((step * rows + row) * size + first, byStep, 0, together);
      for (int i = 0; i < together; i++) {
        bySeries[i * count + step] = byStep[i];
      }
    }
    series.floats().put((row * size + first) * count, bySeries, 0, together * count);
  }
}
