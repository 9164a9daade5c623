package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.conf.BackpropType;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.updater.BaseMultiLayerUpdater;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A view of a Deeplearning4j network that is equal for a stack of layers and for a graph of layers.
 *
 * @param vertices in an order in which each comes after its sources
 * @param outputs names of the vertices that the network ends with
 * @param json the configuration
 */
public record LibraryNetwork(
    Model model,
    BaseMultiLayerUpdater<?> updater,
    List<Vertex> vertices,
    List<String> outputs,
    BackpropType backpropagation,
    DataType numbers,
    String json,
    int iterations,
    int epochs) {

  /**
   * A layer, or a vertex of a graph that is not a layer.
   *
   * @param sources names of vertices, or {@link NetworkPlan#INPUT}
   * @param layer the layer; null for another vertex
   * @param before preprocessor of its input; null for none
   * @param other the other vertex; null for a layer
   */
  record Vertex(
      String name,
      List<String> sources,
      @Nullable NeuralNetConfiguration layer,
      @Nullable InputPreProcessor before,
      @Nullable GraphVertex other) {}

  /**
   * Returns the view of a network of either kind.
   *
   * @throws UncompilableException if the network is neither, or has several inputs
   */
  public static LibraryNetwork of(ArrayNetwork network) throws UncompilableException {
    if (network instanceof StackedNetwork stacked) {
      return of(stacked.layers());
    } else if (network instanceof GraphNetwork graph) {
      return of(graph.layers());
    }
    throw new UncompilableException(
        "the network is a " + network.getClass().getSimpleName() + ", without layers");
  }

  /** Returns the view of a stack of layers; the stack must be initialized. */
  public static LibraryNetwork of(MultiLayerNetwork network) {
    MultiLayerConfiguration configuration = network.getLayerWiseConfigurations();
    List<Vertex> vertices = new ArrayList<>();
    String source = NetworkPlan.INPUT;
    for (int i = 0; i < configuration.getConfs().size(); i++) {
      NeuralNetConfiguration layer = configuration.getConf(i);
      String name = stackedName(i, layer.getLayer());
      InputPreProcessor before = configuration.getInputPreProcess(i);
      vertices.add(new Vertex(name, List.of(source), layer, before, null));
      source = name;
    }
    return new LibraryNetwork(
        network,
        (BaseMultiLayerUpdater<?>) network.getUpdater(),
        vertices,
        List.of(source),
        configuration.getBackpropType(),
        configuration.getDataType(),
        configuration.toJson(),
        configuration.getIterationCount(),
        configuration.getEpochCount());
  }

  /** Returns the view of a graph of layers; the graph must be initialized. */
  public static LibraryNetwork of(ComputationGraph network) throws UncompilableException {
    ComputationGraphConfiguration configuration = network.getConfiguration();
    if (configuration.getNetworkInputs().size() != 1) {
      throw new UncompilableException(
          "graphs with several inputs are not known: " + configuration.getNetworkInputs());
    }
    String input = configuration.getNetworkInputs().get(0);
    List<Vertex> vertices = new ArrayList<>();
    for (int index : network.topologicalSortOrder()) {
      String name = network.getVertices()[index].getVertexName();
      if (!name.equals(input)) {
        vertices.add(vertex(name, configuration, input));
      }
    }
    return new LibraryNetwork(
        network,
        network.getUpdater(),
        vertices,
        configuration.getNetworkOutputs(),
        configuration.getBackpropType(),
        configuration.getDataType(),
        configuration.toJson(),
        configuration.getIterationCount(),
        configuration.getEpochCount());
  }

  private static Vertex vertex(
      String name, ComputationGraphConfiguration configuration, String input) {
    Map<String, GraphVertex> all = configuration.getVertices();
    List<String> sources =
        configuration.getVertexInputs().getOrDefault(name, List.of()).stream()
            .map(source -> source.equals(input) ? NetworkPlan.INPUT : source)
            .toList();
    GraphVertex vertex = all.get(name);
    return vertex instanceof LayerVertex layer
        ? new Vertex(name, sources, layer.getLayerConf(), layer.getPreProcessor(), null)
        : new Vertex(name, sources, null, null, vertex);
  }

  /** Returns the name of a layer of a stack, made from its index if it has none. */
  private static String stackedName(int index, Layer layer) {
    return layer.getLayerName() == null ? "layer" + index : layer.getLayerName();
  }

  /**
   * Returns the name of the layer whose parameters an updater trains.
   *
   * @throws UncompilableException if the part is not a layer
   */
  static String nameOf(Trainable trained) throws UncompilableException {
    if (trained instanceof org.deeplearning4j.nn.graph.vertex.GraphVertex vertex) {
      return vertex.getVertexName();
    } else if (trained instanceof org.deeplearning4j.nn.api.Layer layer) {
      return stackedName(layer.getIndex(), layer.conf().getLayer());
    }
    throw new UncompilableException(
        "parameters of a %s are not known".formatted(trained.getClass().getSimpleName()));
  }

  /** Returns the bytes that Deeplearning4j writes before the values of the parameters. */
  public byte[] parametersHead() {
    return head(model.params());
  }

  /**
   * Returns the bytes that Deeplearning4j writes before the values of the updater state.
   *
   * @throws NullPointerException if the updater has none
   */
  public byte[] stateHead() {
    return head(updater.getStateViewArray());
  }

  private static byte[] head(INDArray array) {
    ArrayHead head = new ArrayHead();
    try (DataOutputStream out = new DataOutputStream(head)) {
      Nd4j.write(array, out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return head.before(array.length() * Float.BYTES);
  }

  /** Returns the values of all parameters, in Deeplearning4j's order. */
  public float[] parameterValues() {
    return model.params().data().asFloat();
  }

  /** Returns the values of the updater state, in Deeplearning4j's order. */
  public float[] stateValues() {
    INDArray state = updater.getStateViewArray();
    return state == null ? new float[0] : state.data().asFloat();
  }
}
