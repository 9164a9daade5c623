package io.idlalayer.modelcontroller.engine;

import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The origins of the inputs and outputs of a network's dense layers, after the input or the classes
 * of the network have changed. Every value that a layer takes is identified by its origin: a column
 * of the input before the change, an output of another layer, or the dot product of a pair of
 * vectors. So two networks of one architecture can be compared.
 */
final class LayerMaps {
  /** The identity of a value that did not exist before the change. */
  private static final long NEW = -1;

  private final NetworkPlan from;
  private final NetworkPlan to;
  private final ColumnMap classes;
  private final Set<String> classLayers;

  /** Numbers of the layers, from 1; the input is 0. */
  private final Map<String, Long> layers = new HashMap<>();

  /** Numbers of the pairs of vectors. */
  private final Map<List<Long>, Long> pairs = new HashMap<>();

  private final Map<String, long[]> before;
  private final Map<String, long[]> after;

  /**
   * The origins of the inputs and outputs of a dense layer.
   *
   * @param inputs for each present input of the layer, the input before the change
   * @param outputs for each present output of the layer, the output before the change
   * @param taken identity of each input before the change
   */
  record OfLayer(ColumnMap inputs, ColumnMap outputs, long[] taken) {
    /**
     * Returns the column of the network's input that the layer took as one of its inputs before the
     * change; -1 if it was an output of another layer.
     */
    int inputColumn(int index) {
      return taken[index] >>> Integer.SIZE == 0 ? (int) taken[index] : -1;
    }
  }

  /**
   * @param columns for each present column of the network's input, the column before the change
   * @param classes for each present output of the network, or of each member, the output before the
   *     change
   */
  LayerMaps(NetworkPlan from, NetworkPlan to, ColumnMap columns, ColumnMap classes) {
    this.from = from;
    this.to = to;
    this.classes = classes;
    classLayers = new HashSet<>();
    addClassLayers(from.output().name());
    long[] old = new long[columns.before()];
    Arrays.setAll(old, column -> column);
    before = identities(from, old);
    long[] now = new long[columns.after()];
    Arrays.setAll(now, column -> columns.source(column));
    after = identities(to, now);
  }

  /**
   * Finds the dense layers whose outputs are classes: the last dense layer on each path to the
   * output.
   */
  private void addClassLayers(String name) {
    Node node = node(from, name);
    if (node == null) {
      return;
    }
    if (node.layer() instanceof LayerPlan.Dense || node.layer() instanceof LayerPlan.Output) {
      classLayers.add(name);
    } else {
      node.sources().forEach(this::addClassLayers);
    }
  }

  private static @Nullable Node node(NetworkPlan plan, String name) {
    return plan.nodes().stream()
        .filter(each -> each.layer().name().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** Returns the origins of a layer's inputs and outputs; null if the layer is not dense. */
  @Nullable OfLayer of(String layer) {
    Node old = node(from, layer);
    Node now = node(to, layer);
    if (old == null || now == null || !dense(old.layer()) || !dense(now.layer())) {
      return null;
    }
    long[] taken = joined(old, before);
    Map<Long, Integer> places = new HashMap<>();
    for (int i = 0; i < taken.length; i++) {
      places.put(taken[i], i);
    }
    int[] sources =
        Arrays.stream(joined(now, after))
            .mapToInt(identity -> places.getOrDefault(identity, ColumnMap.ADDED))
            .toArray();
    ColumnMap outputs =
        classLayers.contains(layer) ? classes : ColumnMap.unchanged(now.layer().outputs());
    return new OfLayer(new ColumnMap(taken.length, sources), outputs, taken);
  }

  private static boolean dense(LayerPlan layer) {
    return layer instanceof LayerPlan.Dense || layer instanceof LayerPlan.Output;
  }

  /** Returns the identities of the outputs of all nodes, and of the input. */
  private Map<String, long[]> identities(NetworkPlan plan, long[] input) {
    Map<String, long[]> known = new HashMap<>();
    known.put(NetworkPlan.INPUT, input);
    for (Node node : plan.nodes()) {
      LayerPlan layer = node.layer();
      if (layer instanceof LayerPlan.Part part) {
        long[] all = joined(node, known);
        known.put(part.name(), Arrays.copyOfRange(all, part.from(), part.from() + part.outputs()));
      } else if (layer instanceof LayerPlan.Merged) {
        known.put(layer.name(), joined(node, known));
      } else if (layer instanceof LayerPlan.Dots dots) {
        known.put(layer.name(), dots(joined(node, known), dots.dim()));
      } else {
        known.put(layer.name(), own(layer));
      }
    }
    return known;
  }

  private static long[] joined(Node node, Map<String, long[]> known) {
    return node.sources().stream()
        .flatMapToLong(source -> Arrays.stream(known.getOrDefault(source, new long[0])))
        .toArray();
  }

  private long[] own(LayerPlan layer) {
    long number = layers.computeIfAbsent(layer.name(), any -> layers.size() + 1L);
    long[] identities = new long[layer.outputs()];
    Arrays.setAll(identities, i -> number << Integer.SIZE | i);
    return identities;
  }

  /**
   * Returns the identities of the products of all pairs of vectors. The order of the two vectors in
   * a pair makes no difference.
   */
  private long[] dots(long[] values, int dim) {
    long[] vectors = new long[values.length / dim];
    Arrays.setAll(vectors, i -> values[i * dim]);
    List<Long> products = new ArrayList<>();
    for (int i = 0; i < vectors.length; i++) {
      for (int k = i + 1; k < vectors.length; k++) {
        products.add(product(Math.min(vectors[i], vectors[k]), Math.max(vectors[i], vectors[k])));
      }
    }
    return products.stream().mapToLong(Long::longValue).toArray();
  }

  private long product(long one, long other) {
    if (one == NEW) {
      return NEW;
    }
    long number = layers.computeIfAbsent("(dots)", any -> layers.size() + 1L);
    return number << Integer.SIZE
        | pairs.computeIfAbsent(List.of(one, other), any -> (long) pairs.size());
  }
}
