package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.training.placed.LayerTensors.Moment;
import io.idlalayer.modelcontroller.training.placed.Tensors.Value;
import java.util.ArrayList;
import java.util.List;
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
  private final List<Unit> units = new ArrayList<>();
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
      units.add(Unit.of(layer, label, own, kept));
      first += parameters;
    }
    borrowed = new Borrowed(tensors, units);
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
      forward(features[0]);
      backward(labels[0], moment);
      network.getLayerWiseConfigurations().setIterationCount(moment.iteration() + 1);
    } finally {
      network.clearLayerMaskArrays();
      network.clearLayersStates();
      borrowed.endStep();
      setCounts(network.getIterationCount());
    }
    tensors.endOfStep();
  }

  private void setCounts(int iteration) {
    for (Layer layer : network.getLayers()) {
      layer.setIterationCount(iteration);
      layer.setEpochCount(network.getEpochCount());
    }
  }

  /** Runs all layers but the last, which only gets its input. */
  private void forward(INDArray features) throws InterruptedException {
    Value current = tensors.input("input", features);
    for (int i = 0; i < units.size() - 1; i++) {
      current = forward(i, current);
    }
    lastInput(current);
  }

  private Value forward(int i, Value input) throws InterruptedException {
    Unit unit = units.get(i);
    Layer layer = network.getLayer(i);
    INDArray[] made = new INDArray[1];
    input.tensor().holders++;
    List<Tensor> created =
        tensors.run(
            unit.forward(List.of(input.tensor())),
            () -> {
              unit.beforeForward();
              try (MemoryWorkspace scope = forward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
                INDArray out = layer.activate(prepared(i, input.array()), true, forward);
                made[0] = forward.leverageTo(ArrayType.ACTIVATIONS, out);
                unit.afterForward();
                unit.regularization = layer.calcRegularizationScore(true);
              }
            });
    Value output = tensors.value(made[0]);
    unit.forwardDone(tensors, List.of(input.tensor()), output.tensor(), created);
    return output;
  }

  private INDArray prepared(int i, INDArray input) {
    InputPreProcessor before = network.getLayerWiseConfigurations().getInputPreProcess(i);
    return before == null ? input : before.preProcess(input, inputRows, forward);
  }

  private void lastInput(Value input) throws InterruptedException {
    int last = units.size() - 1;
    Unit unit = units.get(last);
    Value[] prepared = {input};
    if (network.getLayerWiseConfigurations().getInputPreProcess(last) != null) {
      input.tensor().holders++;
      List<Tensor> created =
          tensors.run(
              new Tensors.Call(
                  "prepare " + unit.label, List.of(input.tensor()), List.of(input.tensor())),
              () -> {
                try (MemoryWorkspace scope = forward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
                  INDArray out = prepared(last, input.array());
                  prepared[0] = tensors.value(forward.leverageTo(ArrayType.ACTIVATIONS, out));
                }
              });
      network.getOutputLayer().setInput(prepared[0].array(), forward);
      unit.forwardDone(tensors, List.of(input.tensor()), prepared[0].tensor(), created);
    } else {
      network.getOutputLayer().setInput(input.array(), forward);
      unit.holdInputs(List.of(input.tensor()));
    }
  }

  private void backward(INDArray labels, Moment moment) throws InterruptedException {
    int last = units.size() - 1;
    ((IOutputLayer) network.getOutputLayer()).setLabels(labels);
    Value error = null;
    for (int i = last; i >= 0; i--) {
      error = backward(i, error, moment);
    }
  }

  private @Nullable Value backward(int i, @Nullable Value error, Moment moment)
      throws InterruptedException {
    Unit unit = units.get(i);
    Tensor behind = error == null ? null : error.tensor();
    Gradient[] gradient = new Gradient[1];
    INDArray[] made = new INDArray[1];
    List<Tensor> created =
        tensors.run(
            unit.backward(behind),
            () -> {
              Pair<Gradient, INDArray> pair = backprop(i, error == null ? null : error.array());
              gradient[0] = pair.getFirst();
              made[0] = pair.getSecond();
              if (i == units.size() - 1) {
                score(unit);
              }
            });
    Value before = made[0] == null ? null : tensors.value(made[0]);
    Set<Tensor> dead = unit.withoutGradients(created);
    dead.addAll(unit.release());
    if (behind != null) {
      dead.add(behind);
    }
    if (before != null) {
      dead.remove(before.tensor());
    }
    tensors.afterKernel(dead);
    if (unit.own != null) {
      unit.own.update(tensors, gradient[0].gradientForVariable(), moment, backward);
    }
    return before;
  }

  private Pair<Gradient, INDArray> backprop(int i, @Nullable INDArray error) {
    Layer layer = network.getLayer(i);
    InputPreProcessor before = network.getLayerWiseConfigurations().getInputPreProcess(i);
    try (MemoryWorkspace scope = backward.notifyScopeEntered(ArrayType.BP_WORKING_MEM)) {
      units.get(i).beforeBackward(tensors);
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
  private void score(Unit last) {
    last.regularization = network.getOutputLayer().calcRegularizationScore(true);
    double sum = 0;
    for (Unit unit : units) {
      sum += unit.regularization;
    }
    try (MemoryWorkspace scope = backward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
      network.setScore(((IOutputLayer) network.getOutputLayer()).computeScore(sum, true, backward));
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
