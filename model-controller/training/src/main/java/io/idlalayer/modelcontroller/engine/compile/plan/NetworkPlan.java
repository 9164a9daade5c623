package io.idlalayer.modelcontroller.engine.compile.plan;

import io.idlalayer.modelcontroller.engine.kernel.update.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import java.util.Comparator;
import java.util.List;

/**
 * The plan of a network, independent of the number of rows and of the kernels. Parameters and
 * updater state are two vectors, in the order of Deeplearning4j.
 *
 * @param inputs number of input values of one row
 * @param errorsFrom index of the first input value for which a training returns the gradient of the
 *     loss; {@code inputs} for none
 * @param nodes nodes in an order in which each node comes after its sources; the last node is the
 *     output layer
 * @param parameters parameter arrays in the order of the vector, without gaps
 * @param stateLength length of the updater state
 */
public record NetworkPlan(
    int inputs,
    int errorsFrom,
    List<Node> nodes,
    List<Parameters> parameters,
    List<Limit> limits,
    int stateLength) {
  /** The name of the network's input among the sources of nodes. */
  public static final String INPUT = "(input)";

  public NetworkPlan {
    nodes = List.copyOf(nodes);
    parameters = List.copyOf(parameters);
    limits = List.copyOf(limits);
  }

  /** Returns the number of values that the network gives for one row. */
  public int outputs() {
    return output().outputs();
  }

  /** Returns the plan of the last layer. */
  public LayerPlan.Last output() {
    return (LayerPlan.Last) nodes.get(nodes.size() - 1).layer();
  }

  /** Returns the number of input values of one row for which a training returns errors. */
  public int errors() {
    return inputs - errorsFrom;
  }

  /** Returns the number of parameters. */
  public int parameterLength() {
    return parameters.stream().mapToInt(Parameters::length).sum();
  }

  /**
   * Returns whether the forward pass of a training gives the same outputs as a prediction. This is
   * false for networks with dropout or batch normalization.
   */
  public boolean predictsInTraining() {
    return nodes.stream()
        .map(Node::layer)
        .noneMatch(
            layer -> layer instanceof LayerPlan.Dropped || layer instanceof LayerPlan.Normalized);
  }

  /**
   * Returns whether one row of weight w has the same effect in training as w equal rows. This is
   * false for networks with dropout, batch normalization, or gradients that are not averaged.
   */
  public boolean rowsCombine() {
    return predictsInTraining() && parameters.stream().allMatch(Parameters::averaged);
  }

  /** Returns the layer with the most outputs for a row. */
  public LayerPlan widest() {
    return nodes.stream()
        .map(Node::layer)
        .max(Comparator.comparingInt(LayerPlan::outputs))
        .orElseThrow();
  }

  /**
   * The plan of a layer, and the layers from which it takes its inputs.
   *
   * @param sources names of the layers whose outputs are the inputs of this layer, or {@link
   *     #INPUT}
   */
  public record Node(LayerPlan layer, List<String> sources) {
    public Node {
      sources = List.copyOf(sources);
    }
  }

  /**
   * The plan of an array of parameters: its position in the vectors of parameters and of updater
   * state, and its update rule.
   *
   * @param name name of the layer, a dot, and Deeplearning4j's name of the array
   * @param from start of the array in the vector of parameters
   * @param stateFrom start of each state array in the vector of updater state
   * @param averaged whether the gradient of the array is divided by the number of rows
   */
  public record Parameters(
      String name,
      int from,
      int length,
      UpdaterStep rule,
      Penalty penalty,
      List<Integer> stateFrom,
      boolean averaged) {
    public Parameters {
      stateFrom = List.copyOf(stateFrom);
    }
  }

  /**
   * A bound of the gradients of some parameters.
   *
   * @param parameters names of the parameters whose gradients are bounded together
   */
  public record Limit(GradientLimit.Mode mode, double threshold, List<String> parameters) {
    public Limit {
      parameters = List.copyOf(parameters);
    }
  }
}
