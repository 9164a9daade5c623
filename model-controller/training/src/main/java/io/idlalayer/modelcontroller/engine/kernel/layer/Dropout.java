package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.SplittableRandom;

/**
 * Sets numbers to 0 at random and divides the other numbers by the probability that they are kept
 * (Srivastava 2014).
 */
public final class Dropout implements TapeKernel {
  private static final int PIECE = 1_024;

  private final String name;
  private final Schedule retained;
  private final Progress progress;
  private final Tensor inputs;
  private final Tensor factors;
  private final Tensor outputs;
  private final float[] values = new float[PIECE];
  private final float[] drawn = new float[PIECE];

  /**
   * @param name name of the layer, so that each layer draws its own random numbers
   * @param retained probability that a number is kept
   * @param factors receives the factor of each number, for the backward pass
   */
  public Dropout(
      String name,
      Schedule retained,
      Progress progress,
      Tensor inputs,
      Tensor factors,
      Tensor outputs) {
    this.name = name;
    this.retained = retained;
    this.progress = progress;
    this.inputs = inputs;
    this.factors = factors;
    this.outputs = outputs;
  }

  @Override
  public void run() {
    double probability = progress.at(retained);
    float factor = (float) (1 / probability);
    SplittableRandom random = progress.random(name);
    for (int at = 0; at < inputs.length(); at += PIECE) {
      int count = Math.min(PIECE, inputs.length() - at);
      inputs.floats().get(at, values, 0, count);
      for (int i = 0; i < count; i++) {
        drawn[i] = random.nextDouble() < probability ? factor : 0;
        values[i] *= drawn[i];
      }
      factors.floats().put(at, drawn, 0, count);
      outputs.floats().put(at, values, 0, count);
    }
  }
}
