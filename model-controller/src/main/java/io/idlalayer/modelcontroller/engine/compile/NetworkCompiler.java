package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.UpdateRule;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.conf.BackpropType;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.updater.BaseMultiLayerUpdater;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.nd4j.linalg.api.buffer.DataType;

/** Reads a network of Deeplearning4j, with everything that its configuration may say. */
public final class NetworkCompiler {
  private NetworkCompiler() {}

  /**
   * The plan of a network, which stays as it is.
   *
   * @param network initialised
   * @throws UncompilableException naming what the engine does not know
   */
  public static NetworkPlan compile(MultiLayerNetwork network) throws UncompilableException {
    MultiLayerConfiguration configuration = network.getLayerWiseConfigurations();
    if (configuration.getBackpropType() != BackpropType.Standard) {
      throw new UncompilableException("truncated backpropagation through time is not known");
    }
    if (configuration.getDataType() != DataType.FLOAT) {
      throw new UncompilableException(
          "numbers of type " + configuration.getDataType() + " are not known, only FLOAT");
    }
    List<NeuralNetConfiguration> all = configuration.getConfs();
    LayerReader reader = new LayerReader();
    List<LayerPlan> layers = new ArrayList<>();
    List<NetworkPlan.Limit> limits = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      String name = name(i, all.get(i).getLayer());
      check(name, all.get(i));
      InputPreProcessor before = configuration.getInputPreProcess(i);
      layers.add(reader.read(name, all.get(i).getLayer(), before, i == all.size() - 1));
      limits.addAll(limits(name, all.get(i)));
    }
    List<NetworkPlan.Parameters> parameters = new ArrayList<>();
    BaseMultiLayerUpdater<?> updater = (BaseMultiLayerUpdater<?>) network.getUpdater();
    int stateLength = 0;
    for (UpdaterBlock block : updater.getUpdaterBlocks()) {
      parameters.addAll(parameters(block, all));
      stateLength = Math.max(stateLength, block.getUpdaterViewOffsetEnd());
    }
    checkOrder(parameters);
    return new NetworkPlan(reader.inputs(), layers, parameters, limits, stateLength);
  }

  private static String name(int index, Layer layer) {
    return layer.getLayerName() == null ? "layer" + index : layer.getLayerName();
  }

  private static void check(String name, NeuralNetConfiguration configuration)
      throws UncompilableException {
    if (configuration.getOptimizationAlgo() != OptimizationAlgorithm.STOCHASTIC_GRADIENT_DESCENT) {
      throw new UncompilableException(
          "the optimization algorithm " + configuration.getOptimizationAlgo() + " is not known");
    }
    if (configuration.getStepFunction() != null || !configuration.isMinimize()) {
      throw new UncompilableException("another step function than the usual one is not known");
    }
    if (!configuration.isMiniBatch()) {
      throw new UncompilableException("gradients that are sums (miniBatch false) are not known");
    }
    Layer layer = configuration.getLayer();
    if (layer.getIDropout() != null) {
      throw new UncompilableException("the dropout of layer '%s' is not known".formatted(name));
    }
    if (layer.getConstraints() != null && !layer.getConstraints().isEmpty()) {
      throw new UncompilableException("constraints, of layer '%s', are not known".formatted(name));
    }
    if (layer instanceof BaseLayer weighted && weighted.getWeightNoise() != null) {
      throw new UncompilableException("weight noise, of layer '%s', is not known".formatted(name));
    }
  }

  private static List<NetworkPlan.Parameters> parameters(
      UpdaterBlock block, List<NeuralNetConfiguration> all) throws UncompilableException {
    List<NetworkPlan.Parameters> parameters = new ArrayList<>();
    int blockLength = block.getParamOffsetEnd() - block.getParamOffsetStart();
    for (UpdaterBlock.ParamState each : block.getLayersAndVariablesInBlock()) {
      Trainable trained = each.getLayer();
      int index = ((org.deeplearning4j.nn.api.Layer) trained).getIndex();
      String name = name(index, all.get(index).getLayer()) + "." + each.getParamName();
      UpdateRule rule =
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
    return groups.stream().map(group -> new NetworkPlan.Limit(mode, threshold, group)).toList();
  }
}
