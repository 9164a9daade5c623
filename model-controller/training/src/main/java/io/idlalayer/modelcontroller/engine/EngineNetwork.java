package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.memory.InterruptedRunException;
import io.idlalayer.modelcontroller.engine.memory.TensorMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelloader.serve.ModelNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A network that is trained and predicts with tapes of kernels, the product's own engine.
 * Parameters and updater state exist once, in a tensor memory that decides their place; the tapes
 * for different numbers of rows share this memory. Belongs to one thread; {@link #close} frees
 * everything.
 */
public final class EngineNetwork implements ModelNetwork {
  private final NetworkForm form;
  private final NetworkPlan plan;
  private final KernelLibrary kernels;
  private final Progress progress;
  private final TensorMemory memory;
  private final NetworkTensors tensors;
  private final TapeCache<TapeWriter.Training> training =
      new TapeCache<>(made -> made.tape().close());
  private final Predictions predictions;

  /**
   * @param memory memory for the network's tensors; it is closed with the network, and also if the
   *     constructor fails
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if there is no space for
   *     the tensors
   */
  EngineNetwork(
      NetworkForm form, NetworkForm.Values values, KernelLibrary kernels, TensorMemory memory) {
    this.form = form;
    this.kernels = kernels;
    this.memory = memory;
    plan = form.plan();
    progress = form.progress(values.iterations());
    tensors = new NetworkTensors(plan);
    store(values);
    predictions = new Predictions(plan, tensors, kernels, memory);
  }

  private void store(NetworkForm.Values values) {
    boolean stored = false;
    try {
      for (NetworkPlan.Parameters each : plan.parameters()) {
        memory.store(tensors.parameters(each.name()), values.parameters(), each.from());
        List<Tensor> states = tensors.states(each.name());
        for (int i = 0; i < states.size(); i++) {
          memory.store(states.get(i), values.state(), each.stateFrom().get(i));
        }
      }
      stored = true;
    } catch (InterruptedException interrupt) {
      throw new InterruptedRunException(interrupt);
    } finally {
      if (!stored) {
        memory.close();
      }
    }
  }

  /** Sets the seed of the random numbers of the next mini-batches, which dropout uses. */
  public void seed(long seed) {
    progress.seed(seed);
  }

  /**
   * Trains the network on one mini-batch. Also returns the gradient with respect to the features
   * that come from tables, and the predictions before the update, in arrays that the caller passes.
   *
   * @param features features of the rows; shape [rows, input width]
   * @param labels labels of the rows; shape [rows, output width]
   * @param weights weight of each row, at least 0; null if all have weight 1
   * @param inputErrors receives the gradient of the mini-batch's mean loss, without penalties, with
   *     respect to the features that come from tables, before the parameters change; shape [rows,
   *     columns of such features]. Unchanged if nothing was trained. Null if the gradient is not
   *     needed
   * @param outputs receives the outputs of the forward pass; shape [rows, output width]. Unchanged
   *     if nothing was trained. Null if the outputs are not needed
   * @return the mini-batch's mean loss before the update, without penalties; NaN if a feature or a
   *     label is not finite; in this case nothing was trained
   * @throws IllegalArgumentException if {@code inputErrors} or {@code outputs} has another length
   * @throws io.idlalayer.middleware.memory.device.TieredMemoryException if there is no space for a
   *     tensor
   */
  public double fit(
      float[] features,
      float[] labels,
      int rows,
      float @Nullable [] weights,
      float @Nullable [] inputErrors,
      float @Nullable [] outputs)
      throws InterruptedException {
    if (inputErrors != null && inputErrors.length != rows * plan.errors()) {
      throw new IllegalArgumentException(
          "%d rows have %d errors of features from tables, and not %d"
              .formatted(rows, rows * plan.errors(), inputErrors.length));
    }
    if (outputs != null && outputs.length != rows * plan.outputs()) {
      throw new IllegalArgumentException(
          "%d rows have %d outputs, and not %d"
              .formatted(rows, rows * plan.outputs(), outputs.length));
    }
    if (!finite(features) || !finite(labels)) {
      return Double.NaN;
    }
    TapeWriter.Training made =
        training.get(rows, any -> TapeWriter.training(plan, tensors, kernels, progress, rows));
    made.loss().weigh(weights);
    made.loss().giveOutputs(outputs);
    List<TensorMemory.Output> wanted = new ArrayList<>();
    if (inputErrors != null && made.inputErrors() != null) {
      wanted.add(new TensorMemory.Output(made.inputErrors(), inputErrors, 0, inputErrors.length));
    }
    memory.run(
        made.tape(),
        List.of(
            new TensorMemory.Input(made.features(), features, 0, features.length),
            new TensorMemory.Input(made.labels(), labels, 0, labels.length)),
        wanted);
    progress.next();
    if (inputErrors != null) {
      for (int i = 0; i < inputErrors.length; i++) {
        inputErrors[i] /= rows;
      }
    }
    return made.loss().meanLoss();
  }

  /**
   * Returns the predictions for some rows; all NaN for a row with a feature that is not finite.
   *
   * @throws InterruptedRunException if the thread was interrupted while tensors moved
   */
  @Override
  public float[] output(float[] features, int rows) {
    return predictions.output(features, rows);
  }

  /**
   * Returns whether the forward pass of a training gives the same outputs as a prediction. This is
   * false for networks with dropout or batch normalization.
   */
  public boolean predictsInTraining() {
    return plan.predictsInTraining();
  }

  /** Returns whether one row of weight w has the same effect in training as w equal rows. */
  public boolean rowsCombine() {
    return plan.rowsCombine();
  }

  private static boolean finite(float[] values) {
    return Predictions.finite(values, 0, values.length);
  }

  @Override
  public boolean finite() {
    List<Tensor> numbers = numbers();
    float[] values = new float[largest(numbers)];
    try {
      for (Tensor each : numbers) {
        read(each, values);
        if (!Predictions.finite(values, 0, each.length())) {
          return false;
        }
      }
    } catch (InterruptedException interrupt) {
      throw new InterruptedRunException(interrupt);
    }
    return true;
  }

  /** Returns the tensors of the parameters and of the updater state. */
  private List<Tensor> numbers() {
    List<Tensor> numbers = new ArrayList<>();
    for (NetworkPlan.Parameters each : plan.parameters()) {
      numbers.add(tensors.parameters(each.name()));
      numbers.addAll(tensors.states(each.name()));
    }
    return numbers;
  }

  private void read(Tensor tensor, float[] into) throws InterruptedException {
    memory.read(new TensorMemory.Output(tensor, into, 0, tensor.length()));
  }

  @Override
  public byte[] encode() throws IOException {
    NavigableMap<Integer, Tensor> parameters = new TreeMap<>();
    NavigableMap<Integer, Tensor> states = new TreeMap<>();
    for (NetworkPlan.Parameters each : plan.parameters()) {
      parameters.put(each.from(), tensors.parameters(each.name()));
      List<Tensor> own = tensors.states(each.name());
      for (int i = 0; i < own.size(); i++) {
        states.put(each.stateFrom().get(i), own.get(i));
      }
    }
    float[] values = new float[largest(numbers())];
    return form.encode(
        progress.iteration(),
        numbers(parameters, plan.parameterLength(), values),
        numbers(states, plan.stateLength(), values));
  }

  /**
   * Returns a source of numbers that reads one tensor at a time, so that the heap never has a copy
   * of all numbers.
   *
   * @param byPlace the tensors by their positions in the file
   * @param values buffer that can hold the largest tensor
   */
  private NetworkForm.Numbers numbers(
      NavigableMap<Integer, Tensor> byPlace, int length, float[] values) {
    int place = 0;
    for (Map.Entry<Integer, Tensor> each : byPlace.entrySet()) {
      if (each.getKey() != place) {
        throw new IllegalStateException(
            "the number at position %d of the file belongs to no tensor".formatted(place));
      }
      place += each.getValue().length();
    }
    if (place != length) {
      throw new IllegalStateException(
          "the tensors have %d numbers, and the file of the network has %d"
              .formatted(place, length));
    }
    return new NetworkForm.Numbers() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public void read(Taker taker) throws IOException {
        try {
          for (Tensor each : byPlace.values()) {
            EngineNetwork.this.read(each, values);
            taker.take(values, each.length());
          }
        } catch (InterruptedException interrupt) {
          throw new InterruptedRunException(interrupt);
        }
      }
    };
  }

  private static int largest(List<Tensor> tensors) {
    return tensors.stream().mapToInt(Tensor::length).max().orElse(0);
  }

  @Override
  public void close() {
    training.close();
    predictions.close();
    memory.close();
  }
}
