package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.TaskModel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Predicts its own number with certainty; waits for a gate, or fails, if told to. */
final class FakeModel implements TaskModel {
  private final double number;
  private final CountDownLatch gate;
  private final AtomicInteger open;
  private final AtomicInteger waiting;
  private final AtomicBoolean ignoreInterrupts;

  /**
   * @param gate predictions wait for it
   * @param open counts the models that are not closed
   */
  FakeModel(double number, CountDownLatch gate, AtomicInteger open) {
    this(number, gate, open, new AtomicInteger(), new AtomicBoolean());
  }

  /**
   * @param waiting counts the predictions that were asked for
   * @param ignoreInterrupts whether predictions that wait hang on, as native code does
   */
  FakeModel(
      double number,
      CountDownLatch gate,
      AtomicInteger open,
      AtomicInteger waiting,
      AtomicBoolean ignoreInterrupts) {
    this.waiting = waiting;
    this.ignoreInterrupts = ignoreInterrupts;
    this.number = number;
    this.gate = gate;
    this.open = open;
    open.incrementAndGet();
  }

  @Override
  public double[][] predict(List<Sample> samples) {
    waiting.incrementAndGet();
    for (boolean opened = false; !opened; ) {
      try {
        gate.await();
        opened = true;
      } catch (InterruptedException stopped) {
        if (!ignoreInterrupts.get()) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(stopped);
        }
      }
    }
    double[][] rows = new double[samples.size()][];
    for (int i = 0; i < rows.length; i++) {
      double value = samples.get(i).dense()[0];
      if (value < 0) {
        throw new IllegalArgumentException("negative " + value);
      }
      if (value == 77) {
        throw new StackOverflowError("deep");
      }
      if (Double.isInfinite(value)) {
        throw new OutOfMemoryError("no native memory");
      }
      rows[i] = new double[] {number};
    }
    return rows;
  }

  @Override
  public float[] losses(List<Sample> samples, double[][] predictions) {
    float[] losses = new float[samples.size()];
    for (int i = 0; i < losses.length; i++) {
      losses[i] = (float) Math.abs(predictions[i][0] - samples.get(i).label());
    }
    return losses;
  }

  @Override
  public void close() {
    open.decrementAndGet();
  }
}
