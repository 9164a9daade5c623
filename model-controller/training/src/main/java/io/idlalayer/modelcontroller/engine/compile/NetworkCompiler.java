package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.update.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.conf.BackpropType;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.nd4j.linalg.api.buffer.DataType;

/** Compiles a network of Deeplearning4j to a plan, which has no kernels yet. */
public final class NetworkCompiler {
  private NetworkCompiler() {}

  /**
   * Returns the plan of a network whose trainings do not return errors of its inputs. The network
   * does not change.
   *
   * @param inputs number of input values of one row
   * @throws UncompilableException that names what the engine does not support
   */
  public static NetworkPlan compile(LibraryNetwork network, int inputs)
      throws UncompilableException {
    return compile(network, inputs, inputs);
  }

  /**
   * Compiles a network to a plan whose trainings return the errors of its inputs from a given one
   * on. The network does not change.
   *
   * @param inputs number of input values of one row
   * @param errorsFrom index of the first input value for which a training returns errors
   * @throws UncompilableException that names what the engine does not support
   */
  public static NetworkPlan compile(LibraryNetwork network, int inputs, int errorsFrom)
      throws UncompilableException {
    if (network.backpropagation() != BackpropType.Standard) {
      throw new UncompilableException("truncated backpropagation through time is not supported");
    }
    if (network.numbers() != DataType.FLOAT) {
      throw new UncompilableException(
          "numbers of type " + network.numbers() + " are not known, only FLOAT");
    }
    if (!network.model().conf().isMiniBatch()) {
      throw new UncompilableException("gradients that are sums (miniBatch false) are not known");
    }
    List<NetworkPlan.Limit> limits = new ArrayList<>();
    for (LibraryNetwork.Vertex vertex : network.vertices()) {
      NeuralNetConfiguration layer = vertex.layer();
      if (layer != null) {
        check(vertex.name(), layer);
        limits.addAll(limits(vertex.name(), layer));
      }
    }
    List<NetworkPlan.Node> nodes = NodeReader.read(network, inputs);
    List<NetworkPlan.Parameters> parameters = new ArrayList<>();
    int stateLength = 0;
    for (UpdaterBlock block : network.updater().getUpdaterBlocks()) {
      parameters.addAll(parameters(block));
      stateLength = Math.max(stateLength, block.getUpdaterViewOffsetEnd());
    }
    checkOrder(parameters);
    return new NetworkPlan(inputs, errorsFrom, nodes, parameters, limits, stateLength);
  }

  private static void check(String name, NeuralNetConfiguration configuration)
      throws UncompilableException {
    if (configuration.getOptimizationAlgo() != OptimizationAlgorithm.STOCHASTIC_GRADIENT_DESCENT) {
      throw new UncompilableException(
          "the optimization algorithm " + configuration.getOptimizationAlgo() + " is not known");
    }
    if (configuration.getStepFunction() != null || !configuration.isMinimize()) {
      throw new UncompilableException(
          "step functions other than the default one are not supported");
    }
    if (!configuration.isMiniBatch()) {
      throw new UncompilableException("gradients that are sums (miniBatch false) are not known");
    }
    Layer layer = configuration.getLayer();
    if (layer.getConstraints() != null && !layer.getConstraints().isEmpty()) {
      throw new UncompilableException(
          "the constraints of layer '%s' are not supported".formatted(name));
    }
    if (layer instanceof BaseLayer weighted && weighted.getWeightNoise() != null) {
      throw new UncompilableException("weight noise, of layer '%s', is not known".formatted(name));
    }
  }

  private static List<NetworkPlan.Parameters> parameters(UpdaterBlock block)
      throws UncompilableException {
    List<NetworkPlan.Parameters> parameters = new ArrayList<>();
    int blockLength = block.getParamOffsetEnd() - block.getParamOffsetStart();
    for (UpdaterBlock.ParamState each : block.getLayersAndVariablesInBlock()) {
      Trainable trained = each.getLayer();
      String name = LibraryNetwork.nameOf(trained) + "." + each.getParamName();
      UpdaterStep rule =
          UpdaterReader.rule(trained.getConfig().getUpdaterByParam(each.getParamName()));
      Penalty penalty =
          UpdaterReader.penalty(
              name, trained.getConfig().getRegularizationByParam(each.getParamName()));
      List<Integer> stateFrom = new ArrayList<>();
      int inBlock = each.getParamOffsetStart() - block.getParamOffsetStart();
      for (int state = 0; state < rule.states(); state++) {
        stateFrom.add(block.getUpdaterViewOffsetStart() + state * blockLength + inBlock);
      }
      parameters.add(
          new NetworkPlan.Parameters(
              name,
              each.getParamOffsetStart(),
              each.getParamOffsetEnd() - each.getParamOffsetStart(),
              rule,
              penalty,
              stateFrom,
              trained.updaterDivideByMinibatch(each.getParamName())));
    }
    return parameters;
  }

  private static void checkOrder(List<NetworkPlan.Parameters> parameters) {
    int end = 0;
    for (NetworkPlan.Parameters each : parameters) {
      if (each.from() != end) {
        throw new IllegalStateException(
            "%s begins at %d, and not at %d".formatted(each.name(), each.from(), end));
      }
      end += each.length();
    }
  }

  private static List<NetworkPlan.Limit> limits(
      String layer, NeuralNetConfiguration configuration) {
    if (!(configuration.getLayer() instanceof BaseLayer weighted)
        || weighted.getGradientNormalization() == null
        || weighted.getGradientNormalization() == GradientNormalization.None) {
      return List.of();
    }
    List<String> names = configuration.variables().stream().map(it -> layer + "." + it).toList();
    double threshold = weighted.getGradientNormalizationThreshold();
    List<List<String>> each = names.stream().map(List::of).toList();
    return switch (weighted.getGradientNormalization()) {
      case None -> List.of();
      case RenormalizeL2PerLayer -> limits(GradientLimit.Mode.NORMALIZE, threshold, List.of(names));
      case RenormalizeL2PerParamType -> limits(GradientLimit.Mode.NORMALIZE, threshold, each);
      case ClipElementWiseAbsoluteValue ->
          limits(GradientLimit.Mode.CLIP_VALUES, threshold, List.of(names));
      case ClipL2PerLayer -> limits(GradientLimit.Mode.CLIP_NORM, threshold, List.of(names));
      case ClipL2PerParamType -> limits(GradientLimit.Mode.CLIP_NORM, threshold, each);
    };
  }

  private static List<NetworkPlan.Limit> limits(
      GradientLimit.Mode mode, double threshold, List<List<String>> groups) {
    return groups.stream()
        .filter(group -> !group.isEmpty())
        .map(group -> new NetworkPlan.Limit(mode, threshold, group))
        .toList();
  }
}
