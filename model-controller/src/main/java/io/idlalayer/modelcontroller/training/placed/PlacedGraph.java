package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.training.placed.LayerTensors.Moment;
import io.idlalayer.modelcontroller.training.placed.Tensors.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.layers.IOutputLayer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.deeplearning4j.nn.graph.vertex.VertexIndices;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A graph of layers and other vertices in a placed memory. */
final class PlacedGraph implements PlacedNetwork {
  private final ComputationGraph graph;
  private final GraphVertex[] vertices;
  private final int[] order;
  private final List<String> outputs;
  private final Tensors tensors;
  private final PlacedWorkspaces forward;
  private final PlacedWorkspaces backward;

  /** By index of the vertex; null for inputs. */
  private final @Nullable Unit[] units;

  private final Borrowed borrowed;

  /** By index of the vertex: what it gave forward. */
  private final @Nullable Value[] values;

  private final VertexErrors errors;

  private PlacedGraph(ComputationGraph graph, PlacedMemory memory) {
    this.graph = graph;
    vertices = graph.getVertices();
    order = graph.topologicalSortOrder();
    ComputationGraphConfiguration configuration = graph.getConfiguration();
    outputs = configuration.getNetworkOutputs();
    tensors = new Tensors(memory);
    int count = vertices.length;
    forward = PlacedWorkspaces.forward(tensors, configuration.getTrainingWorkspaceMode(), count);
    backward = PlacedWorkspaces.backward(tensors, configuration.getTrainingWorkspaceMode(), count);
    units = new Unit[count];
    values = new Value[count];
    errors = new VertexErrors(vertices, tensors);
    // The updater makes the gradients if no step has.
    var updater = graph.getUpdater();
    NetworkParts parts = NetworkParts.of(graph.params(), graph.getFlattenedGradients(), updater);
    Kept kept = new Kept(tensors);
    List<Unit> borrowers = new ArrayList<>();
    long first = 0;
    for (int index : order) {
      GraphVertex vertex = vertices[index];
      if (!vertex.isInputVertex()) {
        Unit unit = unit(vertex, first, parts, kept);
        units[index] = unit;
        borrowers.add(unit);
      }
      first += vertex.numParams();
    }
    borrowed = new Borrowed(tensors, borrowers);
  }

  private Unit unit(GraphVertex vertex, long first, NetworkParts parts, Kept kept) {
    if (vertex.hasLayer()) {
      Layer layer = vertex.getLayer();
      String label = "%s %s".formatted(vertex.getVertexName(), LayerRules.kind(layer));
      return Unit.of(
          layer,
          label,
          layer.numParams() == 0 ? null : new LayerTensors(layer, label, first, parts),
          kept);
    }
    boolean shapes =
        LayerRules.needsShapesOnly(
            vertex, graph.getConfiguration().getVertices().get(vertex.getVertexName()));
    return new Unit(
        "%s %s".formatted(vertex.getVertexName(), LayerRules.kind(vertex)),
        null,
        Unit.Habits.of(vertex, shapes),
        kept);
  }

  static PlacedGraph of(ComputationGraph graph, PlacedMemory memory) throws InterruptedException {
    ComputationGraphConfiguration configuration = graph.getConfiguration();
    if (graph.getVertices() == null || graph.numParams() == 0) {
      throw new UnsupportedNetworkException("the network has no parameters; initialise it first");
    }
    // Makes the solver, which is asked for below.
    graph.getUpdater();
    LayerRules.check(
        new LayerRules.Training(
            graph.conf(),
            configuration.getBackpropType(),
            configuration.getCacheMode(),
            graph.params().dataType(),
            graph.getListeners().size(),
            graph.getOptimizer()),
        graph.getLayers());
    for (GraphVertex vertex : graph.getVertices()) {
      LayerRules.check(vertex);
    }
    PlacedGraph placed = new PlacedGraph(graph, memory);
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
    if (features.length != graph.getNumInputArrays()
        || labels.length != graph.getNumOutputArrays()) {
      throw new IllegalArgumentException(
          "%d arrays of features and %d of labels for a graph with %d inputs and %d outputs"
              .formatted(
                  features.length,
                  labels.length,
                  graph.getNumInputArrays(),
                  graph.getNumOutputArrays()));
    }
    graph.setInputs(features);
    graph.setLabels(labels);
    Moment moment = new Moment(graph.getIterationCount(), graph.getEpochCount(), graph.batchSize());
    tensors.begin(moment.iteration());
    try {
      graph.setLayerMaskArrays(featureMasks, labelMasks);
      setCounts(moment.iteration());
      forward(features);
      double[] scores = new double[outputs.size()];
      backward(labels, labelMasks, moment, scores);
      score(scores);
      graph.getConfiguration().setIterationCount(moment.iteration() + 1);
    } finally {
      graph.clearLayerMaskArrays();
      graph.clearLayersStates();
      Arrays.fill(values, null);
      errors.clear();
      borrowed.endStep();
      setCounts(graph.getIterationCount());
    }
    tensors.endOfStep();
  }

  private void score(double[] scores) {
    double sum = 0;
    for (double score : scores) {
      sum += score;
    }
    graph.setScore(sum);
  }

  private void setCounts(int iteration) {
    for (Layer layer : graph.getLayers()) {
      layer.setIterationCount(iteration);
      layer.setEpochCount(graph.getEpochCount());
    }
  }

  private Unit unit(int index) {
    return Objects.requireNonNull(units[index]);
  }

  private Value value(int index) {
    return Objects.requireNonNull(values[index]);
  }

  /** Runs all vertices but the outputs, which their backward passes give their inputs. */
  private void forward(INDArray[] features) throws InterruptedException {
    for (int index : order) {
      GraphVertex vertex = vertices[index];
      if (vertex.isInputVertex()) {
        values[index] = tensors.input("input " + vertex.getVertexName(), features[index]);
      } else if (!outputs.contains(vertex.getVertexName())) {
        forward(index, vertex);
      }
      // One for each time that the value is to be read.
      Value made = values[index];
      if (made != null) {
        made.tensor().holders += vertex.getNumOutputConnections();
      }
    }
  }

  private void forward(int index, GraphVertex vertex) throws InterruptedException {
    Unit unit = unit(index);
    INDArray[] made = new INDArray[1];
    List<Tensor> inputs = inputs(vertex);
    List<Tensor> created =
        tensors.run(
            unit.forward(inputs),
            () -> {
              unit.beforeForward();
              try (MemoryWorkspace scope = forward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
                setInputs(vertex, forward);
                INDArray out = vertex.doForward(true, forward);
                made[0] = forward.leverageTo(ArrayType.ACTIVATIONS, out);
                unit.afterForward();
                if (vertex.hasLayer()) {
                  unit.regularization = vertex.getLayer().calcRegularizationScore(true);
                }
              }
            });
    Value output = tensors.value(made[0]);
    values[index] = output;
    unit.forwardDone(tensors, inputs, output.tensor(), created);
  }

  private List<Tensor> inputs(GraphVertex vertex) {
    List<Tensor> inputs = new ArrayList<>();
    for (VertexIndices input : vertex.getInputVertices()) {
      inputs.add(value(input.getVertexIndex()).tensor());
    }
    return inputs;
  }

  private void setInputs(GraphVertex vertex, PlacedWorkspaces workspaces) {
    VertexIndices[] inputs = vertex.getInputVertices();
    for (int i = 0; i < inputs.length; i++) {
      vertex.setInput(i, value(inputs[i].getVertexIndex()).array(), workspaces);
    }
  }

  private void backward(
      INDArray[] labels, INDArray @Nullable [] masks, Moment moment, double[] scores)
      throws InterruptedException {
    regularizeOutputs();
    for (int i = order.length - 1; i >= 0; i--) {
      GraphVertex vertex = vertices[order[i]];
      if (vertex.isInputVertex()) {
        continue;
      }
      int output = outputs.indexOf(vertex.getVertexName());
      if (output >= 0) {
        ((IOutputLayer) vertex.getLayer()).setLabels(labels[output]);
      }
      INDArray mask = output < 0 || masks == null ? null : masks[output];
      Backward pass = new Backward(vertex, output, mask, scores);
      backward(pass);
      Unit unit = unit(order[i]);
      if (unit.own != null) {
        unit.own.update(
            tensors, Objects.requireNonNull(pass.gradient).gradientForVariable(), moment, backward);
      }
    }
  }

  /** The other layers' terms of the score are known from the forward pass. */
  private void regularizeOutputs() throws InterruptedException {
    for (String name : outputs) {
      GraphVertex vertex = graph.getVertex(name);
      Unit unit = unit(vertex.getVertexIndex());
      if (unit.own != null) {
        tensors.run(
            new Tensors.Call("regularization " + unit.label, unit.parameters(), List.of()),
            () -> unit.regularization = vertex.getLayer().calcRegularizationScore(true));
        tensors.afterKernel(List.of());
      }
    }
  }

  /** One vertex's backward pass. */
  private final class Backward {
    final GraphVertex vertex;
    final int output;
    final @Nullable INDArray mask;
    final double[] scores;
    @Nullable Gradient gradient;
    @Nullable INDArray[] made = new INDArray[0];

    Backward(GraphVertex vertex, int output, @Nullable INDArray mask, double[] scores) {
      this.vertex = vertex;
      this.output = output;
      this.mask = mask;
      this.scores = scores;
    }

    void run() {
      try (MemoryWorkspace scope = backward.notifyScopeEntered(ArrayType.BP_WORKING_MEM)) {
        Value error = errors.of(vertex.getVertexIndex());
        if (output >= 0) {
          setInputs(vertex, backward);
        }
        vertex.setEpsilon(error == null ? null : error.array());
        unit(vertex.getVertexIndex()).beforeBackward(tensors);
        Pair<Gradient, INDArray[]> pair = vertex.doBackward(false, backward);
        gradient = pair.getFirst();
        made = apart(pair.getSecond());
      }
      if (output >= 0) {
        score();
      }
    }

    /** Errors in tensors of their own, since they are added to. */
    private @Nullable INDArray[] apart(INDArray[] given) {
      @Nullable INDArray[] apart = new INDArray[given.length];
      Set<Tensor> seen = new HashSet<>();
      for (int i = 0; i < given.length; i++) {
        if (given[i] != null) {
          INDArray placed = backward.leverageTo(ArrayType.ACTIVATION_GRAD, given[i]);
          apart[i] =
              seen.add(tensors.value(placed).tensor())
                  ? placed
                  : backward.dup(ArrayType.ACTIVATION_GRAD, placed);
        }
      }
      return apart;
    }

    private void score() {
      Layer layer = vertex.getLayer();
      layer.setMaskArray(mask);
      double terms = 0;
      if (output == 0) {
        for (Layer each : graph.getLayers()) {
          GraphVertex owner = graph.getVertex(each.conf().getLayer().getLayerName());
          terms += unit(owner.getVertexIndex()).regularization;
        }
      }
      try (MemoryWorkspace scope = backward.notifyScopeEntered(ArrayType.FF_WORKING_MEM)) {
        scores[output] = ((IOutputLayer) layer).computeScore(terms, true, backward);
      }
    }
  }

  private void backward(Backward pass) throws InterruptedException {
    int index = pass.vertex.getVertexIndex();
    Unit unit = unit(index);
    Value error = errors.of(index);
    Tensor behind = error == null ? null : error.tensor();
    List<Tensor> pending = pass.output >= 0 ? inputs(pass.vertex) : List.of();
    if (pass.output >= 0) {
      unit.holdInputs(pending);
    }
    List<Tensor> created = tensors.run(unit.backward(behind), pass::run);
    Set<Tensor> dead = unit.withoutGradients(created);
    dead.addAll(unit.release());
    for (Tensor tensor : pending) {
      if (--tensor.holders == 0) {
        dead.add(tensor);
      }
    }
    if (behind != null) {
      dead.add(behind);
    }
    List<VertexErrors.Handed> handed = errors.assign(pass.vertex, pass.made);
    handed.forEach(each -> dead.remove(each.error().tensor()));
    tensors.afterKernel(dead);
    for (VertexErrors.Handed each : handed) {
      errors.add(each);
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
