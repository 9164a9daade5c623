package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.memory.InterruptedRunException;
import io.idlalayer.modelcontroller.engine.memory.TensorMemory;
import java.util.Arrays;
import java.util.List;

/**
 * Computes the predictions of a network, with a tape for each number of rows that is needed. The
 * object does not own the network's tensors. Confined to one thread.
 */
final class Predictions implements AutoCloseable {
  /** Largest number of rows that one run predicts. */
  private static final int MOST_ROWS = 1_024;

  /**
   * Approximate limit of the number of floats that all layers compute in one run, which take 16
   * MiB.
   */
  private static final int MOST_FLOATS = 4 << 20;

  private final NetworkPlan plan;
  private final NetworkTensors tensors;
  private final KernelLibrary kernels;
  private final TensorMemory memory;
  private final int mostRows;
  private final TapeCache<TapeWriter.Inference> tapes =
      new TapeCache<>(made -> made.tape().close());

  /**
   * @param tensors tensors of the network, whose parameters are stored in the memory
   */
  Predictions(
      NetworkPlan plan, NetworkTensors tensors, KernelLibrary kernels, TensorMemory memory) {
    this.plan = plan;
    this.tensors = tensors;
    this.kernels = kernels;
    this.memory = memory;
    mostRows = mostRows(plan);
  }

  /** Returns the largest number of rows that one run predicts. */
  static int mostRows(NetworkPlan plan) {
    int width = plan.inputs() + plan.nodes().stream().mapToInt(it -> it.layer().outputs()).sum();
    return Integer.highestOneBit(Math.max(1, Math.min(MOST_ROWS, MOST_FLOATS / width)));
  }

  /**
   * Returns the number of rows of the tape that predicts a given number of rows: a power of two, so
   * that few tapes are enough.
   */
  static int tapeRows(NetworkPlan plan, long rows) {
    return (int) Math.min(mostRows(plan), Long.highestOneBit(2 * rows - 1));
  }

  /**
   * Returns the predictions for some rows; all NaN for a row with a feature that is not finite.
   *
   * @throws InterruptedRunException if the thread was interrupted while tensors moved
   */
  float[] output(float[] features, int rows) {
    float[] outputs = new float[rows * plan.outputs()];
    for (int from = 0; from < rows; from += mostRows) {
      predict(features, from, Math.min(mostRows, rows - from), outputs);
    }
    for (int row = 0; row < rows; row++) {
      // Some kernels turn NaN into a number, so rows with NaN are handled here.
      if (!finite(features, row * plan.inputs(), plan.inputs())) {
        Arrays.fill(outputs, row * plan.outputs(), (row + 1) * plan.outputs(), Float.NaN);
      }
    }
    return outputs;
  }

  /**
   * Predicts rows from an index on, in one run. If the tape has more rows, the contents of the
   * remaining rows do not matter.
   */
  private void predict(float[] features, int from, int rows, float[] outputs) {
    int capacity = tapeRows(plan, rows);
    TapeWriter.Inference made =
        tapes.get(capacity, any -> TapeWriter.inference(plan, tensors, kernels, capacity));
    int inputs = plan.inputs();
    int width = plan.outputs();
    try {
      memory.run(
          made.tape(),
          List.of(new TensorMemory.Input(made.features(), features, from * inputs, rows * inputs)),
          List.of(new TensorMemory.Output(made.outputs(), outputs, from * width, rows * width)));
    } catch (InterruptedException interrupt) {
      throw new InterruptedRunException(interrupt);
    }
  }

  static boolean finite(float[] values, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (!Float.isFinite(values[i])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    tapes.close();
  }
}
