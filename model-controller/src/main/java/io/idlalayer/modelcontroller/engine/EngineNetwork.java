package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.TapeWriter;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.Progress;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelloader.network.ModelNetwork;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A network that the engine trains. Parameters, gradients and updater state lie once, outside the
 * heap, in Deeplearning4j's order; the memory of all activations is shared by the tapes for
 * different numbers of rows. Belongs to one thread; {@link #close} frees everything.
 */
public final class EngineNetwork implements ModelNetwork {
  /** Most rows that are predicted at once. */
  private static final int MOST_ROWS = 1_024;

  /** Numbers that the layers give for the rows that are predicted at once, about: 16 MiB. */
  private static final int MOST_FLOATS = 4 << 20;

  private final NetworkForm form;
  private final NetworkPlan plan;
  private final KernelLibrary kernels;
  private final Progress progress;
  private final FloatMemory parameters;
  private final FloatMemory gradients;
  private final FloatMemory state;
  private final NetworkTensors tensors;
  private final int mostRows;
  private final TapeCache<TapeWriter.Training> training =
      new TapeCache<>(made -> made.tape().close());
  private final TapeCache<TapeWriter.Inference> inference =
      new TapeCache<>(made -> made.tape().close());
  private @Nullable FloatMemory passing;

  EngineNetwork(NetworkForm form, NetworkForm.Values values, KernelLibrary kernels) {
    this.form = form;
    this.kernels = kernels;
    plan = form.plan();
    progress = form.progress(values.iterations());
    parameters = filled(values.parameters());
    gradients = new FloatMemory(plan.parameterLength());
    state = filled(values.state());
    tensors = new NetworkTensors(plan, parameters, gradients, state);
    int width = plan.inputs() + plan.nodes().stream().mapToInt(it -> it.layer().outputs()).sum();
    mostRows = Integer.highestOneBit(Math.max(1, Math.min(MOST_ROWS, MOST_FLOATS / width)));
  }

  private static FloatMemory filled(float[] values) {
    FloatMemory memory = new FloatMemory(values.length);
    memory.part(0, values.length).put(0, values, 0, values.length);
    return memory;
  }

  /** Says what the random numbers of the next mini-batches, those of dropout, depend on. */
  public void seed(long seed) {
    progress.seed(seed);
  }

  /**
   * Trains one mini-batch.
   *
   * @param features of shape [rows, input width], row by row
   * @param labels of shape [rows, output width], row by row
   * @param weights how often each row counts, of mean 1; null if all count once
   * @return the mini-batch's mean loss before it, without penalties; NaN if a feature or a label is
   *     not finite, and then nothing was trained
   */
  public double fit(float[] features, float[] labels, int rows, float @Nullable [] weights) {
    if (!finite(features, 0, features.length) || !finite(labels, 0, labels.length)) {
      return Double.NaN;
    }
    TapeWriter.Training made =
        training.get(rows, any -> TapeWriter.training(plan, tensors, kernels, progress, rows));
    place(made.tape());
    made.features().floats().put(0, features, 0, features.length);
    made.labels().floats().put(0, labels, 0, labels.length);
    made.loss().weigh(weights);
    made.tape().run();
    progress.next();
    return made.loss().meanLoss();
  }

  /** Predictions; all NaN for a row with a feature that is not finite. */
  @Override
  public float[] output(float[] features, int rows) {
    float[] outputs = new float[rows * plan.outputs()];
    for (int from = 0; from < rows; from += mostRows) {
      predict(features, from, Math.min(mostRows, rows - from), outputs);
    }
    for (int row = 0; row < rows; row++) {
      // Not every kernel keeps NaN.
      if (!finite(features, row * plan.inputs(), plan.inputs())) {
        Arrays.fill(outputs, row * plan.outputs(), (row + 1) * plan.outputs(), Float.NaN);
      }
    }
    return outputs;
  }

  /** Some of them. A tape may take more rows: what the others hold changes no other row. */
  private void predict(float[] features, int from, int rows, float[] outputs) {
    int capacity = Math.min(mostRows, Integer.highestOneBit(2 * rows - 1));
    TapeWriter.Inference made =
        inference.get(capacity, any -> TapeWriter.inference(plan, tensors, kernels, capacity));
    place(made.tape());
    made.features().floats().put(0, features, from * plan.inputs(), rows * plan.inputs());
    made.tape().run();
    made.outputs().floats().get(0, outputs, from * plan.outputs(), rows * plan.outputs());
  }

  private static boolean finite(float[] values, int from, int count) {
    for (int i = from; i < from + count; i++) {
      if (!Float.isFinite(values[i])) {
        return false;
      }
    }
    return true;
  }

  /** One tape runs at a time, so one memory is enough, of the largest one's size. */
  private void place(Tape tape) {
    FloatMemory memory = passing;
    if (memory == null || memory.floats() < tape.passingFloats()) {
      if (memory != null) {
        passing = null;
        memory.close();
      }
      memory = new FloatMemory(tape.passingFloats());
      passing = memory;
    }
    tape.place(memory);
  }

  @Override
  public boolean finite() {
    float[] values = parameters.part(0, plan.parameterLength()).toArray();
    float[] states = state.part(0, plan.stateLength()).toArray();
    return finite(values, 0, values.length) && finite(states, 0, states.length);
  }

  @Override
  public byte[] encode() throws IOException {
    return form.encode(
        new NetworkForm.Values(
            parameters.part(0, plan.parameterLength()).toArray(),
            state.part(0, plan.stateLength()).toArray(),
            progress.iteration()));
  }

  @Override
  public void close() {
    training.close();
    inference.close();
    parameters.close();
    gradients.close();
    state.close();
    if (passing != null) {
      passing.close();
    }
  }
}
