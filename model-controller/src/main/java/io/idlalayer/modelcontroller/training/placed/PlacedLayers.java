package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.PlacedMemory;
import io.idlalayer.middleware.placement.TaskGraph.TensorKind;
import io.idlalayer.modelcontroller.training.placed.LayerTensors.Moment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.layers.IOutputLayer;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.updater.BaseMultiLayerUpdater;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A stack of layers in a placed memory. */
final class PlacedLayers implements PlacedNetwork {
  private final MultiLayerNetwork network;
  private final Tensors tensors;
  private final List<PlacedLayer> layers = new ArrayList<>();
  private final PlacedWorkspaces forward;
  private final PlacedWorkspaces backward;
  private final Borrowed borrowed;
  private int inputRows;

  private PlacedLayers(MultiLayerNetwork network, PlacedMemory memory) {
    this.network = network;
    tensors = new Tensors(memory);
    MultiLayerConfiguration configuration = network.getLayerWiseConfigurations();
    int count = network.getnLayers();
    forward = PlacedWorkspaces.forward(tensors, configuration.getTrainingWorkspaceMode(), count);
    backward = PlacedWorkspaces.backward(tensors, configuration.getTrainingWorkspaceMode(), count);
    // The updater makes the gradients if no step has.
    BaseMultiLayerUpdater<?> updater = (BaseMultiLayerUpdater<?>) network.getUpdater();
    NetworkParts parts =
        NetworkParts.of(network.params(), network.getFlattenedGradients(), updater);
    Kept kept = new Kept(tensors);
    long first = 0;
    for (int i = 0; i < count; i++) {
      Layer layer = network.getLayer(i);
      String label = "%d %s".formatted(i, LayerRules.kind(layer));
      long parameters = layer.numParams();
      LayerTensors own = parameters == 0 ? null : new LayerTensors(layer, label, first, parts);
      layers.add(new PlacedLayer(layer, label, own, kept));
      first += parameters;
    }
    borrowed = new Borrowed(tensors, layers);
  }

  static PlacedLayers of(MultiLayerNetwork network, PlacedMemory memory)
      throws InterruptedException {
    MultiLayerConfiguration configuration = network.getLayerWiseConfigurations();
    if (!network.isInitCalled() || network.numParams() == 0) {
      throw new UnsupportedNetworkException("the network has no parameters; initialise it first");
    }
    if (!(network.getOutputLayer() instanceof IOutputLayer)) {
      throw new UnsupportedNetworkException("the network does not end with an output layer");
    }
    LayerRules.check(
        new LayerRules.Training(
            network.conf(),
            configuration.getBackpropType(),
            configuration.getCacheMode(),
            network.params().dataType(),
            network.getListeners().size(),
            network.getOptimizer()),
        network.getLayers());
    PlacedLayers placed = new PlacedLayers(network, memory);
    placed.borrowed.take();
    return placed;
  }

  @Override
  public void fit(
      INDArray[] features,
      INDArray[] labels,
      INDArray @Nullable [] featureMasks,
      INDArray @Nullable [] labelMasks)
      throws InterruptedException {
    borrowed.checkOpen();
    if (features.length != 1 || labels.length != 1) {
      throw new IllegalArgumentException(
          "%d arrays of features and %d of labels for a network with one input and one output"
              .formatted(features.length, labels.length));
    }
    Moment moment =
        new Moment(network.getIterationCount(), network.getEpochCount(), (int) labels[0].size(0));
    tensors.begin(moment.iteration());
    try {
      inputRows = (int) features[0].size(0);
      network.setInputMiniBatchSize(inputRows);
      network.setLayerMaskArrays(
          featureMasks == null ? null : featureMasks[0], labelMasks == null ? null : labelMasks[0]);
      setCounts(moment.iteration());
      Tensor last = forward(features[0]);
      backward(labels[0], last, moment);
      network.getLayerWiseConfigurations().setIterationCount(moment.iteration() + 1);
    } finally {
      network.clearLayerMaskArrays();
      network.clearLayersStates();
      borrowed.endStep();
      setCounts(network.getIterationCount());
    }
  }

  private void setCounts(int iteration) {
    for (PlacedLayer placed : layers) {
      placed.layer.setIterationCount(iteration);
      placed.layer.setEpochCount(network.getEpochCount());
    }
  }

  /** The value between two layers: an array, maybe a view, in a tensor. */
  private record Value(INDArray array, Tensor tensor) {}

  private Value value(INDArray array) {
    Tensor tensor = Objects.requireNonNull(tensors.of(array), "a value is in no tensor");
    return new Value(array, tensor);
  }

  /** Runs all layers but the last, which only gets its input: the tensor of which is returned. */
  private Tensor forward(INDArray features) throws InterruptedException {
    Value[] current = new Value[1];
    tensors.run(
        new Tensors.Call("input", List.of(), List.of()),
        () -> {
          Tensor made =
              tensors.create("input", TensorKind.INPUT, features.dataType(), features.shape());
          current[0] = value(made.array.assign(features));
        });
    tensors.afterKernel(List.of());
    for (int i = 0; i < layers.size() - 1; i++) {
      current[0] = forward(i, current[0]);
    }
    return lastInput(current[0]);
  }

  private Value forward(int i, Value input) throws InterruptedException {
    PlacedLayer placed = layers.get(i);
    INDArray[] made = new INDArray[1];
    input.tensor().holders++;
    List<Tensor> created =
        tensors.run(
            placed.forward("forward " + placed.label, List.of(input.tensor())),
            () -> {
              placed.beforeForward();
              try (MemoryWorkspace scope = forward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
                INDArray out = placed.layer.activate(prepared(i, input.array()), true, forward);
                made[0] = forward.leverageTo(ArrayType.ACTIVATIONS, out);
                placed.afterForward();
              }
            });
    Value output = value(made[0]);
    return finish(placed, input, output, created);
  }

  private INDArray prepared(int i, INDArray input) {
    InputPreProcessor before = network.getLayerWiseConfigurations().getInputPreProcess(i);
    return before == null ? input : before.preProcess(input, inputRows, forward);
  }

  private Value finish(PlacedLayer placed, Value input, Value output, List<Tensor> created)
      throws InterruptedException {
    Set<Tensor> needed = placed.hold();
    Set<Tensor> dead = new LinkedHashSet<>(created);
    dead.removeAll(needed);
    if (--input.tensor().holders == 0) {
      dead.add(input.tensor());
    }
    dead.remove(output.tensor());
    Set<Tensor> idle = new LinkedHashSet<>(needed);
    idle.addAll(placed.parameters());
    idle.remove(output.tensor());
    tensors.softEvict(idle);
    tensors.afterKernel(dead);
    return output;
  }

  private Tensor lastInput(Value input) throws InterruptedException {
    int last = layers.size() - 1;
    PlacedLayer placed = layers.get(last);
    Value[] prepared = {input};
    if (network.getLayerWiseConfigurations().getInputPreProcess(last) != null) {
      input.tensor().holders++;
      List<Tensor> created =
          tensors.run(
              new Tensors.Call(
                  "prepare " + placed.label, List.of(input.tensor()), List.of(input.tensor())),
              () -> {
                try (MemoryWorkspace scope = forward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
                  INDArray out = prepared(last, input.array());
                  prepared[0] = value(forward.leverageTo(ArrayType.ACTIVATIONS, out));
                }
              });
      placed.layer.setInput(prepared[0].array(), forward);
      finish(placed, input, prepared[0], created);
    } else {
      placed.layer.setInput(input.array(), forward);
      placed.hold();
    }
    return prepared[0].tensor();
  }

  private void backward(INDArray labels, Tensor lastInput, Moment moment)
      throws InterruptedException {
    int last = layers.size() - 1;
    ((IOutputLayer) layers.get(last).layer).setLabels(labels);
    Value error = null;
    for (int i = last; i >= 0; i--) {
      error = backward(i, error, i == last ? lastInput : null, moment);
    }
  }

  private @Nullable Value backward(
      int i, @Nullable Value error, @Nullable Tensor lastInput, Moment moment)
      throws InterruptedException {
    PlacedLayer placed = layers.get(i);
    Tensor behind = error == null ? null : error.tensor();
    Gradient[] gradient = new Gradient[1];
    INDArray[] made = new INDArray[1];
    Tensor input = lastInput == null ? tensors.of(placed.layer.input()) : lastInput;
    List<Tensor> created =
        tensors.run(
            placed.backward("backward " + placed.label, behind, input),
            () -> {
              Pair<Gradient, INDArray> pair = backprop(i, error == null ? null : error.array());
              gradient[0] = pair.getFirst();
              made[0] = pair.getSecond();
              if (lastInput != null) {
                score(placed);
              }
            });
    Value before = made[0] == null ? null : value(made[0]);
    Set<Tensor> dead = placed.release();
    dead.addAll(created);
    if (behind != null) {
      dead.add(behind);
    }
    if (before != null) {
      dead.remove(before.tensor());
    }
    tensors.afterKernel(dead);
    if (placed.own != null) {
      placed.own.update(tensors, gradient[0].gradientForVariable(), moment, backward);
    }
    return before;
  }

  private Pair<Gradient, INDArray> backprop(int i, @Nullable INDArray error) {
    Layer layer = layers.get(i).layer;
    InputPreProcessor before = network.getLayerWiseConfigurations().getInputPreProcess(i);
    try (MemoryWorkspace scope = backward.notifyScopeEntered(ArrayType.BP_WORKING_MEM)) {
      Pair<Gradient, INDArray> pair = layer.backpropGradient(error, backward);
      INDArray out = pair.getSecond();
      if (before != null) {
        out = before.backprop(out, inputRows, backward);
      }
      boolean wanted = i > 0 && out != null;
      return Pair.of(
          pair.getFirst(), wanted ? backward.leverageTo(ArrayType.ACTIVATION_GRAD, out) : null);
    }
  }

  /** All other layers have computed their terms in their forward passes. */
  private void score(PlacedLayer last) {
    last.regularization = last.layer.calcRegularizationScore(true);
    double sum = 0;
    for (PlacedLayer placed : layers) {
      sum += placed.regularization;
    }
    try (MemoryWorkspace scope = backward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
      network.setScore(((IOutputLayer) last.layer).computeScore(sum, true, backward));
    }
  }

  @Override
  public void observe(KernelObserver observer) {
    tensors.observe(observer);
  }

  @Override
  public long peakBytes() {
    return tensors.peakBytes();
  }

  @Override
  public void close() {
    borrowed.close();
  }
}
