package io.idlalayer.modelloader.network;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.sample.text.JsonReason;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.updater.graph.ComputationGraphUpdater;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.schedule.ScheduleType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds networks from configurations that users have written in DL4J's JSON. */
final class Dl4jConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(Dl4jConfiguration.class);
  private static final int DEEPEST = 100;
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
              .build());

  /** Packages of the classes that a configuration may name: those of DL4J and ND4J. */
  private static final List<String> PACKAGES = List.of("org.deeplearning4j.", "org.nd4j.");

  /** Classes of this package that a configuration may name. */
  private static final Set<String> OWN_CLASSES =
      Set.of(
          Elu.class.getName(),
          Gelu.class.getName(),
          HardSigmoid.class.getName(),
          HardSwish.class.getName(),
          LayerNormalization.class.getName(),
          PairwiseDots.class.getName(),
          TargetLossFunction.class.getName());

  private Dl4jConfiguration() {}

  /**
   * Returns whether a configuration is a {@code ComputationGraphConfiguration}; else it is a {@code
   * MultiLayerConfiguration}.
   *
   * @throws IllegalArgumentException if it is neither
   */
  static boolean isGraph(String json) {
    JsonNode root = read(json);
    checkClasses(root);
    boolean graph = root.has("vertices");
    if (graph == root.has("confs")) {
      throw new IllegalArgumentException(
          "it is not a DL4J configuration: a MultiLayerConfiguration has 'confs', a"
              + " ComputationGraphConfiguration has 'vertices'; write either with its toJson()");
    }
    return graph;
  }

  /**
   * Returns whether a schedule of a configuration depends on the count of epochs.
   *
   * @throws IllegalArgumentException if it is not a configuration
   */
  static boolean countsEpochs(String json) {
    return read(json).findValuesAsText("scheduleType").contains(ScheduleType.EPOCH.name());
  }

  /**
   * Refuses a configuration that names a class other than those of DL4J and ND4J and those of this
   * package, because DL4J creates an object of every named class.
   */
  private static void checkClasses(JsonNode root) {
    for (JsonNode named : root.findValues("@class")) {
      String name = named.asText();
      if (PACKAGES.stream().noneMatch(name::startsWith) && !OWN_CLASSES.contains(name)) {
        throw new IllegalArgumentException(
            "it names the class '%s'; only classes of DL4J and ND4J are loaded".formatted(name));
      }
    }
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException("it is not JSON: " + JsonReason.of(broken), broken);
    }
  }

  /**
   * Returns a freshly initialised network.
   *
   * @throws IllegalArgumentException if the configuration is none, or does not fit the
   *     specification
   */
  static ArrayNetwork create(ModelSpec spec, String json, long seed) {
    if (isGraph(json)) {
      ComputationGraphConfiguration configuration =
          building(() -> ComputationGraphConfiguration.fromJson(json));
      check(spec, configuration);
      configuration.getVertices().values().stream()
          .filter(LayerVertex.class::isInstance)
          .forEach(each -> checkPooling(((LayerVertex) each).getLayerConf().getLayer()));
      seed(configuration, seed);
      ComputationGraph graph = new ComputationGraph(configuration);
      building(
          () -> {
            graph.init();
            return graph;
          });
      return new GraphNetwork(graph);
    }
    MultiLayerConfiguration configuration = building(() -> MultiLayerConfiguration.fromJson(json));
    check(spec, configuration);
    configuration.getConfs().forEach(each -> checkPooling(each.getLayer()));
    configuration.getConfs().forEach(each -> each.setSeed(seed));
    MultiLayerNetwork network = new MultiLayerNetwork(configuration);
    building(
        () -> {
          network.init();
          return network;
        });
    return new StackedNetwork(network);
  }

  /**
   * Returns a network with the parameters and the updater state of a trained one. Takes the
   * parameters into use.
   *
   * @param updaterState copied; null if the updater has none
   * @throws IllegalArgumentException if these do not belong together, or do not fit the
   *     specification
   */
  static ArrayNetwork restore(
      ModelSpec spec, String json, INDArray parameters, @Nullable INDArray updaterState) {
    if (isGraph(json)) {
      ComputationGraphConfiguration configuration =
          building(() -> ComputationGraphConfiguration.fromJson(json));
      check(spec, configuration);
      checkParameters(
          building(
              () ->
                  configuration.getVertices().values().stream()
                      .mapToLong(vertex -> checkedCount(vertex.numParams(true)))
                      .reduce(0, Math::addExact)),
          parameters);
      configuration.setDataType(parameters.dataType());
      ComputationGraph graph = new ComputationGraph(configuration);
      return restoring(
          new GraphNetwork(graph),
          () -> {
            graph.init(parameters, false);
            ComputationGraphUpdater updater = graph.getUpdater();
            assign(updater.getStateViewArray(), updaterState);
          });
    }
    MultiLayerConfiguration configuration = building(() -> MultiLayerConfiguration.fromJson(json));
    check(spec, configuration);
    checkParameters(
        building(
            () ->
                configuration.getConfs().stream()
                    .mapToLong(each -> checkedCount(each.getLayer().initializer().numParams(each)))
                    .reduce(0, Math::addExact)),
        parameters);
    configuration.setDataType(parameters.dataType());
    MultiLayerNetwork network = new MultiLayerNetwork(configuration);
    return restoring(
        new StackedNetwork(network),
        () -> {
          network.init(parameters, false);
          assign(network.getUpdater().getStateViewArray(), updaterState);
        });
  }

  private static long checkedCount(long parameters) {
    if (parameters < 0) {
      throw new IllegalArgumentException("a layer has " + parameters + " parameters");
    }
    return parameters;
  }

  /** Checks the number of stored parameters before an array of that size is allocated. */
  private static void checkParameters(long expected, INDArray parameters) {
    if (parameters.rank() > 2 || parameters.length() != expected) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the network has %d parameters, but %d are stored",
              expected,
              parameters.length()));
    }
  }

  private static void assign(@Nullable INDArray own, @Nullable INDArray stored) {
    long expected = own == null ? 0 : own.length();
    long found = stored == null ? 0 : stored.length();
    if (expected != found) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the updater has %d numbers of state, but %d are stored",
              expected,
              found));
    }
    if (own != null && stored != null) {
      own.assign(stored.reshape(own.shape()));
    }
  }

  private static ArrayNetwork restoring(ArrayNetwork network, Runnable steps) {
    boolean done = false;
    try {
      building(
          () -> {
            steps.run();
            return network;
          });
      done = true;
      return network;
    } finally {
      if (!done) {
        closeQuietly(network);
      }
    }
  }

  /** Closes a network that could not be restored, which may fail. */
  private static void closeQuietly(ArrayNetwork network) {
    try {
      network.close();
    } catch (RuntimeException alsoBroken) {
      LOG.debug("a network that could not be restored could not be closed either", alsoBroken);
    }
  }

  /** Runs a step of a construction, and converts the many kinds of DL4J's exceptions into one. */
  private static <T> T building(Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException refused) {
      throw new IllegalArgumentException(
          "DL4J cannot build the network: " + refused.getMessage(), refused);
    }
  }

  private static void seed(ComputationGraphConfiguration configuration, long seed) {
    configuration.getDefaultConfiguration().setSeed(seed);
    for (GraphVertex vertex : configuration.getVertices().values()) {
      if (vertex instanceof LayerVertex layer) {
        layer.getLayerConf().setSeed(seed);
      }
    }
  }

  private static void check(ModelSpec spec, MultiLayerConfiguration configuration) {
    List<NeuralNetConfiguration> all = configuration.getConfs();
    if (all.isEmpty()) {
      throw new IllegalArgumentException("the DL4J configuration has no layers");
    }
    checkOutput(spec, "the last layer", all.get(all.size() - 1).getLayer());
    checkInput(spec, "the first layer", all.get(0).getLayer(), configuration.getInputPreProcess(0));
  }

  private static void check(ModelSpec spec, ComputationGraphConfiguration configuration) {
    List<String> inputs = configuration.getNetworkInputs();
    if (inputs.size() != 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the graph has %d inputs (%s): the features are one array",
              inputs.size(),
              String.join(", ", inputs)));
    }
    List<String> outputs = configuration.getNetworkOutputs();
    if (outputs.size() != 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the graph has %d outputs (%s): there is one label",
              outputs.size(),
              String.join(", ", outputs)));
    }
    String output = outputs.get(0);
    Layer last =
        configuration.getVertices().get(output) instanceof LayerVertex vertex
            ? vertex.getLayerConf().getLayer()
            : null;
    checkOutput(spec, "vertex '" + output + "'", last);
    for (Map.Entry<String, List<String>> each : configuration.getVertexInputs().entrySet()) {
      if (each.getValue().contains(inputs.get(0))
          && configuration.getVertices().get(each.getKey()) instanceof LayerVertex first) {
        checkInput(
            spec,
            "vertex '" + each.getKey() + "'",
            first.getLayerConf().getLayer(),
            first.getPreProcessor());
      } else if (each.getValue().contains(inputs.get(0))
          && configuration.getVertices().get(each.getKey()) instanceof SubsetVertex columns) {
        checkColumns(spec, each.getKey(), columns);
      }
    }
  }

  /**
   * Refuses a pooling window that may contain no pixel of the image and so has no largest one. DL4J
   * then writes outside of its memory when it trains, which ends the process.
   */
  private static void checkPooling(Layer layer) {
    if (!(layer instanceof SubsamplingLayer pooling)
        || pooling.getPoolingType() != PoolingType.MAX
        || pooling.getConvolutionMode() == ConvolutionMode.Same) {
      return;
    }
    int[] padding = pooling.getPadding();
    int[] kernel = pooling.getKernelSize();
    for (int i = 0; i < Math.min(padding.length, kernel.length); i++) {
      if (padding[i] >= kernel[i]) {
        throw new IllegalArgumentException(
            "layer '%s' takes the largest value of windows with padding %s and kernel %s: the padding must be smaller than the kernel, or a window has no value"
                .formatted(
                    pooling.getLayerName(), Arrays.toString(padding), Arrays.toString(kernel)));
      }
    }
  }

  private static void checkColumns(ModelSpec spec, String vertex, SubsetVertex columns) {
    boolean some = columns.getFrom() >= 0 && columns.getFrom() <= columns.getTo();
    if (!some || columns.getTo() >= spec.inputWidth()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "vertex '%s' of the DL4J configuration takes the inputs %d to %d, the features are"
                  + " %d",
              vertex,
              columns.getFrom(),
              columns.getTo(),
              spec.inputWidth()));
    }
  }

  private static void checkOutput(ModelSpec spec, String what, @Nullable Layer layer) {
    if (outputs(layer) != spec.networkOutputs()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%s of the DL4J configuration must be an output layer with %d outputs, as the label"
                  + " asks for",
              what,
              spec.networkOutputs()));
    }
    if (loss(layer) instanceof TargetLossFunction own && !own.loss().equals(spec.loss())) {
      throw new IllegalArgumentException(
          "%s of the DL4J configuration has %s, and the specification has %s"
              .formatted(what, own, spec.loss()));
    }
  }

  private static @Nullable ILossFunction loss(@Nullable Layer layer) {
    if (layer instanceof LossLayer only) {
      return only.getLossFn();
    }
    return layer instanceof BaseOutputLayer output ? output.getLossFn() : null;
  }

  /**
   * Returns the number of outputs of an output layer, or of a loss layer, which has as many as
   * inputs; else -1.
   */
  private static long outputs(@Nullable Layer layer) {
    if (layer instanceof BaseOutputLayer output) {
      return output.getNOut();
    }
    return layer instanceof LossLayer loss ? loss.getNIn() : -1;
  }

  private static void checkInput(
      ModelSpec spec, String what, Layer layer, @Nullable InputPreProcessor before) {
    OptionalLong width = width(layer, before);
    if (width.isPresent() && width.getAsLong() != spec.inputWidth()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%s of the DL4J configuration takes %d inputs, the features are %d",
              what,
              width.getAsLong(),
              spec.inputWidth()));
    }
  }

  /** Returns the width of the rows that a layer takes, if its configuration determines it. */
  private static OptionalLong width(Layer layer, @Nullable InputPreProcessor before) {
    if (before instanceof FeedForwardToCnnPreProcessor image) {
      return OptionalLong.of(
          image.getInputHeight() * image.getInputWidth() * image.getNumChannels());
    }
    return before == null && layer instanceof DenseLayer dense
        ? OptionalLong.of(dense.getNIn())
        : OptionalLong.empty();
  }
}
