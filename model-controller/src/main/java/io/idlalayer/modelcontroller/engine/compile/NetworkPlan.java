package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.UpdateRule;
import java.util.List;

/**
 * A network, as the engine knows it: independent of the number of rows and of the kernels.
 * Parameters and updater state are two vectors, in the order of Deeplearning4j.
 *
 * @param inputs numbers of one row
 * @param parameters in the order of the vector, without gaps
 * @param stateLength numbers of updater state
 */
public record NetworkPlan(
    int inputs,
    List<LayerPlan> layers,
    List<Parameters> parameters,
    List<Limit> limits,
    int stateLength) {
  public NetworkPlan {
    layers = List.copyOf(layers);
    parameters = List.copyOf(parameters);
    limits = List.copyOf(limits);
  }

  /** Numbers of one row that the network gives. */
  public int outputs() {
    return layers.get(layers.size() - 1).outputs();
  }

  /** Number of parameters. */
  public int parameterLength() {
    return parameters.stream().mapToInt(Parameters::length).sum();
  }

  /**
   * An array of parameters.
   *
   * @param name of the layer, a dot, and Deeplearning4j's name
   * @param from where it begins in the vector of parameters
   * @param stateFrom where each of its numbers of state begins in the vector of state
   * @param averaged whether its gradient is divided by the number of rows
   */
  public record Parameters(
      String name,
      int from,
      int length,
      UpdateRule rule,
      Penalty penalty,
      List<Integer> stateFrom,
      boolean averaged) {
    public Parameters {
      stateFrom = List.copyOf(stateFrom);
    }
  }

  /**
   * A bound of gradients.
   *
   * @param parameters names of those whose gradients are bounded together
   */
  public record Limit(GradientLimit.Mode mode, double threshold, List<String> parameters) {
    public Limit {
      parameters = List.copyOf(parameters);
    }
  }
}
