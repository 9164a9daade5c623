package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.updater.LayerUpdater;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A layer's parameters, gradients and updater state as tensors, and its update. The layer's own
 * views rest meanwhile.
 */
final class LayerTensors {
  private final Layer layer;
  private final String label;
  private final long first;
  private final NetworkParts network;
  private final INDArray restingParameters;
  private final INDArray restingGradients;
  private final Map<String, INDArray> restingTable;
  private @Nullable Tensor parameters;
  private @Nullable Tensor gradients;
  private @Nullable Tensor state;

  /** The array of the gradients, wherever they are. */
  private @Nullable INDArray slopes;

  /** Whether gradients live from the backward pass to the update only. */
  private final boolean brief;

  private @Nullable LayerUpdater updater;
  private @Nullable UpdatePieces pieces;
  private @Nullable UpdaterState layout;

  /**
   * @param first of its parameters in the network's
   */
  LayerTensors(Layer layer, String label, long first, NetworkParts network) {
    this.layer = layer;
    this.label = label;
    this.first = first;
    this.network = network;
    brief = LayerRules.writesAllGradients(layer);
    restingParameters = layer.params();
    restingGradients = Objects.requireNonNull(layer.getGradientsViewArray());
    restingTable = layer.paramTable();
  }

  /** Takes the values of the network into tensors and has the layer use them. */
  void take(Tensors tensors) throws InterruptedException {
    DataType type = restingParameters.dataType();
    Tensor values = load(tensors, "parameters", TensorKind.PARAMETER, network.parameters());
    parameters = values;
    INDArray flat = takeGradients(tensors, values);
    slopes = flat;
    pieces = UpdatePieces.of(layer, type, tensors);
    long length = UpdaterState.length((Trainable) layer);
    if (length == 0) {
      use(values.array, flat);
      return;
    }
    tensors.load(
        "state " + label,
        TensorKind.GRADIENT,
        Tensors.Layout.of(type, length),
        made -> {
          state = made;
          use(values.array, flat);
        });
  }

  /** Brief gradients have no room yet: nobody uses their array before it is moved to some. */
  private INDArray takeGradients(Tensors tensors, Tensor values) throws InterruptedException {
    if (brief) {
      return NativeArrays.at(
          values.address,
          values.array.dataType(),
          new long[] {values.array.length()},
          new long[] {1},
          Nd4j.order());
    }
    Tensor made = load(tensors, "gradients", TensorKind.GRADIENT, network.gradients());
    gradients = made;
    return made.array;
  }

  /** A tensor of this layer's part of what the network has. */
  private Tensor load(Tensors tensors, String what, TensorKind kind, INDArray whole)
      throws InterruptedException {
    long length = restingParameters.length();
    return tensors.load(
        what + " " + label,
        kind,
        Tensors.Layout.of(restingParameters.dataType(), length),
        made -> made.array.assign(UpdaterState.part(whole, first, length)));
  }

  /** What an update leaves behind of no use. */
  private List<Tensor> dead() {
    return brief ? List.of(gradients()) : List.of();
  }

  /** Views first, since the updater makes its own of them. */
  private void use(INDArray values, INDArray slopes) {
    ParamInitializer initializer = layer.conf().getLayer().initializer();
    layer.setParamsViewArray(values);
    layer.setParamTable(initializer.init(layer.conf(), values, false));
    layer.setBackpropGradientsViewArray(slopes);
    Tensor kept = state;
    if (pieces != null) {
      layout = UpdaterState.ofPieces(network.blocks(), pieces, first);
    } else {
      updater = new LayerUpdater(layer, kept == null ? null : kept.array);
      layout = new UpdaterState(network.blocks(), updater.getUpdaterBlocks(), first);
    }
    INDArray whole = network.state();
    if (kept != null && whole != null) {
      layout.take(whole, kept.array);
    }
  }

  Tensor parameters() {
    return Objects.requireNonNull(parameters);
  }

  /** The gradients, between a backward pass and its update. */
  Tensor gradients() {
    return Objects.requireNonNull(gradients);
  }

  /** The gradients, if they are kept from one step to the next. */
  List<Tensor> keptGradients() {
    return brief ? List.of() : List.of(gradients());
  }

  /** Inside of the backward kernel: makes room for what the layer is about to write. */
  void beginGradients(Tensors tensors) {
    if (brief) {
      gradients =
          tensors.revive("gradients " + label, TensorKind.GRADIENT, Objects.requireNonNull(slopes));
    }
  }

  private List<Tensor> all() {
    List<Tensor> all = new ArrayList<>();
    for (Tensor tensor : new Tensor[] {parameters, gradients, state}) {
      if (tensor != null) {
        all.add(tensor);
      }
    }
    return all;
  }

  /**
   * Updates the parameters by the gradients, as one of the network's updates does with this layer's
   * share; normalisation of gradients is by layer in any case.
   *
   * @param names of the gradients in the order in which the layer gave them
   */
  void update(
      Tensors tensors, Map<String, INDArray> names, Moment moment, LayerWorkspaceMgr workspaces)
      throws InterruptedException {
    if (pieces != null) {
      updatePieces(tensors, pieces, moment);
      return;
    }
    Tensors.Call call = new Tensors.Call("update " + label, all(), all());
    tensors.run(
        call,
        () -> {
          INDArray slopes = gradients().array;
          Gradient gradient = new DefaultGradient(slopes);
          names.forEach(gradient::setGradientFor);
          Objects.requireNonNull(updater)
              .update(gradient, moment.iteration(), moment.epoch(), moment.rows(), workspaces);
          parameters().array.subi(slopes);
          layer.applyConstraints(moment.iteration() + 1, moment.epoch());
        });
    tensors.softEvict(all());
    tensors.afterKernel(dead());
  }

  private void updatePieces(Tensors tensors, UpdatePieces parts, Moment moment)
      throws InterruptedException {
    parts.run(tensors, "update " + label, all(), moment);
    tensors.softEvict(all());
    tensors.afterKernel(dead());
  }

  /**
   * When an update happens.
   *
   * @param rows of the mini-batch
   */
  record Moment(int iteration, int epoch, int rows) {}

  /** Copies the tensors' values into the network and has the layer use its own views again. */
  void give(Tensors tensors) throws InterruptedException {
    List<Tensor> all = all();
    if (brief) {
      all.remove(gradients);
    }
    if (parameters != null && layout != null) {
      tensors.run(
          new Tensors.Call("store " + label, all, List.of()),
          () -> {
            long length = restingParameters.length();
            UpdaterState.part(network.parameters(), first, length).assign(parameters().array);
            if (!brief) {
              UpdaterState.part(network.gradients(), first, length).assign(gradients().array);
            }
            Tensor kept = state;
            INDArray whole = network.state();
            if (kept != null && whole != null) {
              Objects.requireNonNull(layout).give(kept.array, whole);
            }
          });
    }
    rest();
    for (Tensor tensor : all) {
      tensors.retire(tensor);
    }
    parameters = null;
    gradients = null;
    state = null;
  }

  /** Has the layer use its own views again. */
  void rest() {
    layer.setParamsViewArray(restingParameters);
    layer.setParamTable(restingTable);
    layer.setBackpropGradientsViewArray(restingGradients);
  }
}
