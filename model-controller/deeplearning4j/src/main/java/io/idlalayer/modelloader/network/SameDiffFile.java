package io.idlalayer.modelloader.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.loss.LossReduce;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.internal.Variable;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * Reads a graph that users have saved, and adds what training and predicting need: placeholders of
 * labels and of weights, a loss, and probabilities.
 */
final class SameDiffFile {
  /** Prefix of the names of all added variables. */
  static final String PREFIX = "idla_";

  static final String LABELS = PREFIX + "labels";
  static final String WEIGHTS = PREFIX + "weights";
  private static final String LOSS = PREFIX + "loss";
  private static final String PROBABILITIES = PREFIX + "probabilities";

  private final ModelSpec spec;
  private final ModelSpec.Network.SameDiffGraph network;
  private final SameDiff graph;

  private SameDiffFile(ModelSpec spec, ModelSpec.Network.SameDiffGraph network, SameDiff graph) {
    this.spec = spec;
    this.network = network;
    this.graph = graph;
  }

  /**
   * Returns the graph with its initial values, ready to train.
   *
   * @throws IllegalArgumentException if it is none, or does not fit the specification
   */
  static SameDiff read(ModelSpec spec, ModelSpec.Network.SameDiffGraph network) {
    SameDiff graph;
    try {
      graph = SameDiff.fromFlatBuffers(ByteBuffer.wrap(network.graph()), false);
    } catch (IOException | RuntimeException broken) {
      throw new IllegalArgumentException(
          "it is not a complete SameDiff graph, as SameDiff.save(file, false) writes it: " + broken,
          broken);
    }
    SameDiffFile file = new SameDiffFile(spec, network, graph);
    file.check();
    file.addLoss();
    file.configure();
    return graph;
  }

  /** Returns the name of the variable that holds the predictions. */
  static String predictions(ModelSpec spec, ModelSpec.Network.SameDiffGraph network) {
    return regression(spec) ? network.output() : PROBABILITIES;
  }

  static boolean regression(ModelSpec spec) {
    return spec.schema().label().task() == SampleSchema.Task.REGRESSION;
  }

  private void check() {
    for (SDVariable variable : graph.variables()) {
      refuse(
          variable.name().startsWith(PREFIX),
          "its variable '%s' is called like those that are added to it; names that begin with '%s' are taken"
              .formatted(variable.name(), PREFIX));
    }
    checkFeatures();
    refuse(
        !graph.hasVariable(network.output()),
        "it has no variable '%s' (model.output); its outputs are %s"
            .formatted(network.output(), outputs()));
    SDVariable output = graph.getVariable(network.output());
    refuse(
        output.dataType() == null || !output.dataType().isFPType(),
        "its output '%s' is of type %s, and not of floating point"
            .formatted(output.name(), output.dataType()));
    refuse(
        graph.variables().stream().noneMatch(SameDiffFile::trained),
        "it has no variables to train: constants stay as they are, see SameDiff.var");
  }

  private void checkFeatures() {
    String name = network.features();
    refuse(
        !graph.hasVariable(name) || !graph.getVariable(name).isPlaceHolder(),
        "it has no placeholder '%s' (model.features); its placeholders are %s"
            .formatted(name, placeholders()));
    long[] shape = graph.getVariable(name).placeholderShape();
    boolean fits =
        shape == null
            || (shape.length == 2
                && shape[0] < 0
                && (shape[1] < 0 || shape[1] == spec.inputWidth()));
    refuse(
        !fits,
        String.format(
            Locale.ROOT,
            "its placeholder '%s' is of shape %s, the features are of shape [-1, %d]",
            name,
            Arrays.toString(shape),
            spec.inputWidth()));
  }

  /**
   * Returns the outputs of operations that no operation takes; SameDiff's own list is not in its
   * file.
   */
  private List<String> outputs() {
    return graph.getVariables().values().stream()
        .filter(each -> each.getVariable().getVariableType() == VariableType.ARRAY)
        .filter(each -> isEmpty(each.getInputsForOp()))
        .map(Variable::getName)
        .toList();
  }

  private static boolean isEmpty(@Nullable List<String> names) {
    return names == null || names.isEmpty();
  }

  private List<String> placeholders() {
    return graph.variables().stream()
        .filter(SDVariable::isPlaceHolder)
        .map(SDVariable::name)
        .toList();
  }

  /** Returns whether updates change a variable. */
  static boolean trained(SDVariable variable) {
    return variable.getVariableType() == VariableType.VARIABLE && variable.dataType().isFPType();
  }

  private static void refuse(boolean condition, String why) {
    if (condition) {
      throw new IllegalArgumentException(why);
    }
  }

  /**
   * Adds the loss to the graph: the sum over rows of weight times cross-entropy or squared error.
   * Weights come divided by the number of rows, as a column for a regression and else as a vector,
   * as the operations want it.
   */
  private void addLoss() {
    SDVariable output = graph.getVariable(network.output());
    DataType type = output.dataType();
    SDVariable labels = graph.placeHolder(LABELS, type, -1, spec.outputWidth());
    if (regression(spec)) {
      SDVariable weights = graph.placeHolder(WEIGHTS, type, -1, 1);
      SDVariable error = output.sub(PREFIX + "error", labels);
      error.mul(PREFIX + "squared", error).mul(PREFIX + "weighted", weights).sum(LOSS);
    } else {
      SDVariable weights = graph.placeHolder(WEIGHTS, type, -1);
      graph.nn.softmax(PROBABILITIES, output, 1);
      // Not with logSoftmax: this version cannot copy it into the function of gradients.
      graph.loss.softmaxCrossEntropy(LOSS, labels, output, weights, LossReduce.SUM, 0);
    }
    graph.setLossVariables(LOSS);
  }

  private void configure() {
    TrainingConfig.Builder training =
        new TrainingConfig.Builder()
            .updater(NetworkFactory.updater(spec.fit()))
            .dataSetFeatureMapping(network.features())
            .dataSetLabelMapping(LABELS, WEIGHTS);
    if (spec.fit().l2() > 0) {
      training.l2(spec.fit().l2());
    }
    graph.setTrainingConfig(training.build());
  }
}
