package io.idlalayer.modelcontroller.engine.compile;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes the order of the vertices of a graph. Each vertex comes after its sources, and
 * parameters are stored in this order. Deeplearning4j writes the order into the configuration of an
 * initialised network. For a network that is not initialised, this class computes the order with
 * Kahn's algorithm, as Deeplearning4j does. The successors of a vertex come in the order in which a
 * HashSet iterates over their numbers, as in Deeplearning4j.
 */
public final class GraphOrder {
  private static final String STORED = "topologicalOrderStr";

  private GraphOrder() {}

  /**
   * Returns the names of all vertices and inputs, in order.
   *
   * @param root configuration of the graph
   * @param inputs names of its inputs
   * @throws UncompilableException if the graph has a cycle or an unknown source, or the stored
   *     order does not name each vertex once
   */
  public static List<String> of(JsonNode root, List<String> inputs) throws UncompilableException {
    List<String> all = new ArrayList<>(inputs);
    root.path("vertices").fieldNames().forEachRemaining(all::add);
    Set<String> distinct = new HashSet<>(all);
    if (distinct.size() != all.size()) {
      throw new WrongConfigurationException("an input of the graph has the name of a vertex");
    }
    if (root.hasNonNull(STORED)) {
      List<String> stored = NetworkConfiguration.names(root.get(STORED), STORED);
      if (stored.size() != all.size() || !distinct.equals(new HashSet<>(stored))) {
        throw new WrongConfigurationException(
            "the order of the graph does not name each vertex once");
      }
      return stored;
    }
    return computed(root, inputs, all);
  }

  private static List<String> computed(JsonNode root, List<String> inputs, List<String> all)
      throws UncompilableException {
    Map<String, Integer> numbers = new HashMap<>();
    all.forEach(name -> numbers.put(name, numbers.size()));
    List<Set<Integer>> sources = new ArrayList<>();
    List<Set<Integer>> successors = new ArrayList<>();
    all.forEach(
        unused -> {
          sources.add(new HashSet<>());
          successors.add(new HashSet<>());
        });
    for (int vertex = inputs.size(); vertex < all.size(); vertex++) {
      String name = all.get(vertex);
      JsonNode given = root.path("vertexInputs").path(name);
      for (String source : NetworkConfiguration.names(given, "inputs of " + name)) {
        Integer number = numbers.get(source);
        if (number == null) {
          throw new WrongConfigurationException(
              "vertex '%s' takes '%s', which does not exist".formatted(name, source));
        }
        sources.get(vertex).add(number);
        successors.get(number).add(vertex);
      }
    }
    Deque<Integer> ready = new ArrayDeque<>();
    for (int vertex = 0; vertex < all.size(); vertex++) {
      if (sources.get(vertex).isEmpty()) {
        ready.add(vertex);
      }
    }
    List<String> order = new ArrayList<>();
    while (!ready.isEmpty()) {
      int next = ready.removeFirst();
      order.add(all.get(next));
      for (int successor : successors.get(next)) {
        sources.get(successor).remove(next);
        if (sources.get(successor).isEmpty()) {
          ready.add(successor);
        }
      }
    }
    if (order.size() != all.size()) {
      throw new WrongConfigurationException("the graph has a cycle");
    }
    return order;
  }
}
