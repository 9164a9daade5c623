package io.idlalayer.modelcontroller.engine.configuration;

import io.idlalayer.modelcontroller.engine.compile.NetworkConfiguration;
import io.idlalayer.modelcontroller.engine.compile.Settings;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The first parameters of a network. Weights are drawn from the distributions that the
 * configuration names. All other parameters begin with a constant.
 */
public final class InitialParameters {
  private static final String RULE = "weightInitFn";
  private static final String RECURRENT_RULE = "weightInitFnRecurrent";

  private final List<Part> parts;
  private final int length;

  /** The rule for the parameters from an index (inclusive) to another (exclusive). */
  private record Part(int from, int to, WeightRule rule) {}

  private InitialParameters(List<Part> parts, int length) {
    this.parts = parts;
    this.length = length;
  }

  /**
   * Returns an object that can draw the first parameters of a network.
   *
   * @throws UncompilableException if an initialisation is not known
   */
  public static InitialParameters of(NetworkConfiguration network, NetworkPlan plan)
      throws UncompilableException {
    Map<String, Integer> places = new HashMap<>();
    plan.parameters().forEach(each -> places.put(each.name(), each.from()));
    Map<String, LayerPlan> plans = new HashMap<>();
    plan.nodes().forEach(node -> plans.put(node.layer().name(), node.layer()));
    List<Part> parts = new ArrayList<>();
    for (NetworkConfiguration.Vertex vertex : network.vertices()) {
      NetworkConfiguration.Layer configured = vertex.layer();
      LayerPlan layer = plans.get(vertex.name());
      if (configured == null || layer == null) {
        continue;
      }
      for (ParameterArrays.Array array : ParameterArrays.of(layer)) {
        int from = places.getOrDefault(layer.name() + "." + array.name(), 0);
        int to = Math.toIntExact(from + array.length());
        parts.add(new Part(from, to, rule(layer, array, configured.settings())));
        if (layer instanceof LayerPlan.Recurrent recurrent
            && array.role() == ParameterArrays.Role.BIAS) {
          // The gates have the order input, forget, output, modulation.
          double first = configured.settings().number("forgetGateBiasInit", 1);
          int forget = from + recurrent.units();
          parts.add(new Part(forget, forget + recurrent.units(), new WeightRule.Constant(first)));
        }
      }
    }
    return new InitialParameters(parts, plan.parameterLength());
  }

  private static WeightRule rule(LayerPlan layer, ParameterArrays.Array array, Settings settings)
      throws UncompilableException {
    return switch (array.role()) {
      case WEIGHTS -> weights(layer, array, settings);
      case BIAS ->
          new WeightRule.Constant(
              layer instanceof LayerPlan.Recurrent ? 0 : settings.number("biasInit", 0));
      case NORMALIZATION ->
          new WeightRule.Constant(
              array.name().equals(ParameterArrays.SCALE)
                  ? settings.number("gamma", 1)
                  : settings.number("beta", 0));
      case STATISTICS ->
          new WeightRule.Constant(array.name().equals(ParameterArrays.RUNNING_VARIANCE) ? 1 : 0);
    };
  }

  private static WeightRule weights(LayerPlan layer, ParameterArrays.Array array, Settings settings)
      throws UncompilableException {
    boolean recurrent =
        array.name().equals(ParameterArrays.RECURRENT_WEIGHTS) && settings.has(RECURRENT_RULE);
    Settings rule = settings.required("the initialisation", recurrent ? RECURRENT_RULE : RULE);
    return WeightRule.read(layer.name(), rule, fan(layer, settings));
  }

  private static WeightRule.Fan fan(LayerPlan layer, Settings settings)
      throws UncompilableException {
    if (layer instanceof LayerPlan.Convolved convolved) {
      KernelWindow window = convolved.shape().window();
      double size = (double) window.rows() * window.columns();
      double strides = (double) window.down() * window.right();
      return new WeightRule.Fan(
          window.channels() * size, convolved.shape().filters() * size / strides, 0, 0);
    } else if (layer instanceof LayerPlan.Recurrent recurrent) {
      // Deeplearning4j counts the units as inputs.
      return new WeightRule.Fan(
          recurrent.units(), recurrent.inputs() + (double) recurrent.units(), 0, 0);
    }
    if (layer instanceof LayerPlan.ParametricRelu rectified) {
      // For a slope, Deeplearning4j sets the numbers of inputs and outputs to 0, so rules that
      // depend on these numbers divide by 0.
      return new WeightRule.Fan(rectified.slopes(), rectified.slopes(), 0, 0);
    }
    int inputs = settings.positive("nin");
    int outputs = settings.positive("nout");
    return new WeightRule.Fan(inputs, outputs, inputs, outputs);
  }

  /** Draws the parameters; equal seeds give equal parameters. */
  public float[] draw(long seed) {
    float[] parameters = new float[length];
    RandomNumbers random = new RandomNumbers(seed);
    for (Part each : parts) {
      each.rule().fill(parameters, each.from(), each.to(), random);
    }
    return parameters;
  }
}
