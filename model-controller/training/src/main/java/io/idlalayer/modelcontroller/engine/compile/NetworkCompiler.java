package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compiles the configuration of a network to a plan, which has no kernels yet. */
public final class NetworkCompiler {
  private NetworkCompiler() {}

  /**
   * Returns the plan of a network whose trainings do not return the errors of the inputs.
   *
   * @param inputs number of input values of one row
   * @throws UncompilableException if the engine does not support the network; the message names the
   *     unsupported part
   */
  public static NetworkPlan compile(NetworkConfiguration network, int inputs)
      throws UncompilableException {
    return compile(network, inputs, inputs);
  }

  /**
   * Compiles a network to a plan whose trainings return the errors of the inputs from a given index
   * on.
   *
   * @param inputs number of input values of one row
   * @param errorsFrom index of the first input value for which a training returns errors
   * @throws UncompilableException if the engine does not support the network; the message names the
   *     unsupported part
   */
  public static NetworkPlan compile(NetworkConfiguration network, int inputs, int errorsFrom)
      throws UncompilableException {
    if (!network.backpropagation().equals("Standard")) {
      throw new UncompilableException("truncated backpropagation through time is not supported");
    }
    if (!network.numbers().equals("FLOAT")) {
      throw new UncompilableException(
          "numbers of type " + network.numbers() + " are not known, only FLOAT");
    }
    if (!network.averaged()) {
      throw new UncompilableException("gradients that are sums (miniBatch false) are not known");
    }
    for (NetworkConfiguration.Vertex vertex : network.vertices()) {
      NetworkConfiguration.Layer layer = vertex.layer();
      if (layer != null) {
        check(vertex.name(), layer);
      }
    }
    List<NetworkPlan.Node> nodes = NodeReader.read(network, inputs);
    Map<String, LayerPlan> plans = new HashMap<>();
    nodes.forEach(node -> plans.put(node.layer().name(), node.layer()));
    ParameterReader parameters = new ParameterReader();
    for (NetworkConfiguration.Vertex vertex : network.vertices()) {
      NetworkConfiguration.Layer layer = vertex.layer();
      LayerPlan plan = plans.get(vertex.name());
      if (layer != null && plan != null) {
        parameters.add(plan, layer.settings());
      }
    }
    return parameters.plan(inputs, errorsFrom, nodes);
  }

  private static void check(String name, NetworkConfiguration.Layer configuration)
      throws UncompilableException {
    Settings training = configuration.training();
    String algorithm = training.text("optimizationAlgo", "STOCHASTIC_GRADIENT_DESCENT");
    if (!algorithm.equals("STOCHASTIC_GRADIENT_DESCENT")) {
      throw new UncompilableException("the optimization algorithm " + algorithm + " is not known");
    }
    if (training.has("stepFunction") || !training.flag("minimize", true)) {
      throw new UncompilableException(
          "step functions other than the default one are not supported");
    }
    Settings layer = configuration.settings();
    if (!layer.parts("the constraint", "constraints").isEmpty()) {
      throw new UncompilableException(
          "the constraints of layer '%s' are not supported".formatted(name));
    }
    if (layer.has("weightNoise")) {
      throw new UncompilableException("weight noise, of layer '%s', is not known".formatted(name));
    }
  }
}
