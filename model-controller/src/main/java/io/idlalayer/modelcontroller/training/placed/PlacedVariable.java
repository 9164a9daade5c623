package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.GradientUpdater;

/** A variable of a SameDiff graph and its updater's state as tensors. The graph's own rest. */
final class PlacedVariable {
  final String name;
  private final SameDiff gradients;
  private final TrainingConfig config;
  private final INDArray resting;
  private final GradientUpdater<?> restingUpdater;
  private @Nullable Tensor values;
  private @Nullable Tensor state;
  private @Nullable GradientUpdater<?> updater;

  /**
   * @param graph the whole, whose updaters are made
   * @param gradients the function that computes its gradients, with the same variables
   */
  PlacedVariable(String name, SameDiff graph, SameDiff gradients) {
    this.name = name;
    this.gradients = gradients;
    config = graph.getTrainingConfig();
    resting = graph.getArrForVarName(name);
    restingUpdater = Objects.requireNonNull(graph.getUpdaterMap().get(name));
  }

  /** Takes values and state into tensors, and has the gradients' function use them. */
  void take(Tensors tensors) throws InterruptedException {
    values =
        tensors.load(
            "parameters " + name,
            TensorKind.PARAMETER,
            Tensors.Layout.of(resting.dataType(), resting.shape(), resting.ordering()),
            taken -> {
              taken.array.assign(resting);
              gradients.setArrayForVariable(name, taken.array);
            });
    long length = config.getUpdater().stateSize(resting.length());
    if (length == 0) {
      updater = restingUpdater;
      return;
    }
    state =
        tensors.load(
            "state " + name,
            TensorKind.GRADIENT,
            Tensors.Layout.of(resting.dataType(), new long[] {1, length}, Nd4j.order()),
            this::useState);
  }

  private void useState(Tensor taken) {
    GradientUpdater<?> made = config.getUpdater().instantiate(taken.array, false);
    made.setStateViewArray(taken.array, resting.shape(), resting.ordering(), true);
    copy(restingUpdater, made);
    updater = made;
  }

  private static void copy(GradientUpdater<?> from, GradientUpdater<?> into) {
    Map<String, INDArray> target = into.getState();
    from.getState().forEach((key, array) -> Objects.requireNonNull(target.get(key)).assign(array));
  }

  GradientUpdater<?> updater() {
    return Objects.requireNonNull(updater);
  }

  /** Values, and the state if there is one. */
  List<Tensor> tensors() {
    Tensor first = values;
    Tensor second = state;
    if (first == null) {
      return List.of();
    }
    return second == null ? List.of(first) : List.of(first, second);
  }

  /** Copies values and state into the graph's own, and has them used again. */
  void give(Tensors tensors) throws InterruptedException {
    Tensor taken = values;
    if (taken != null) {
      tensors.run(
          new Tensors.Call("store " + name, tensors(), List.of()),
          () -> {
            resting.assign(taken.array);
            if (state != null) {
              copy(updater(), restingUpdater);
            }
          });
    }
    rest();
    for (Tensor tensor : tensors()) {
      tensors.retire(tensor);
    }
    values = null;
    state = null;
  }

  /** Has the graph's own array used again. */
  void rest() {
    gradients.setArrayForVariable(name, resting);
  }
}
