package io.idlalayer.modelcontroller.engine.compile.plan;

import io.idlalayer.modelcontroller.engine.kernel.update.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import java.util.Comparator;
import java.util.List;

/**
 * A network, as the engine knows it: independent of the number of rows and of the kernels.
 * Parameters and updater state are two vectors, in the order of Deeplearning4j.
 *
 * @param inputs numbers of one row
 * @param errorsFrom the first number of a row from which on a training is to give the gradient of
 *     the loss; {@code inputs} if it is not to
 * @param nodes in an order in which each comes after its sources; the last is the output layer
 * @param parameters in the order of the vector, without gaps
 * @param stateLength numbers of updater state
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

  /** Numbers of one row that the network gives. */
  public int outputs() {
    return output().outputs();
  }

  /** The last layer. */
  public LayerPlan.Last output() {
    return (LayerPlan.Last) nodes.get(nodes.size() - 1).layer();
  }

  /** Numbers of one row whose errors a training gives. */
  public int errors() {
    return inputs - errorsFrom;
  }

  /** Number of parameters. */
  public int parameterLength() {
    return parameters.stream().mapToInt(Parameters::length).sum();
  }

  /** Whether the forward pass of a training gives what that of a prediction gives. */
  public boolean predictsInTraining() {
    return nodes.stream()
        .map(Node::layer)
        .noneMatch(
            layer -> layer instanceof LayerPlan.Dropped || layer instanceof LayerPlan.Normalized);
  }

  /** The layer that gives most numbers for a row. */
  public LayerPlan widest() {
    return nodes.stream()
        .map(Node::layer)
        .max(Comparator.comparingInt(LayerPlan::outputs))
        .orElseThrow();
  }

  /**
   * A layer at its place in the network.
   *
   * @param sources names of the layers whose outputs it takes, or {@link #INPUT}
   */
  public record Node(LayerPlan layer, List<String> sources) {
    public Node {
      sources = List.copyOf(sources);
    }
  }

  /**
   * An array of parameters.
   *
   * @param name name of the layer, a dot, and Deeplearning4j's name of the array
   * @param from start of the array in the vector of parameters
   * @param stateFrom start of each of its state arrays in the vector of updater state
   * @param averaged whether its gradient is divided by the number of rows
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
