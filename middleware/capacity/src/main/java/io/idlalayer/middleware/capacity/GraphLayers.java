package io.idlalayer.middleware.capacity;

import io.idlalayer.middleware.capacity.LayerLoad.Kind;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A recorded step as layers.
 *
 * @param layers layers in the order of the forward pass
 * @param otherSeconds time of the kernels that belong to no layer's forward or backward pass, such
 *     as updates of parameters
 */
public record GraphLayers(List<LayerLoad> layers, double otherSeconds) {
  private static final double NANOS_PER_SECOND = 1e9;

  public GraphLayers {
    layers = List.copyOf(layers);
  }

  /** What is known of a layer so far. */
  private static final class Sum {
    String name = "";
    long forwardNanos;
    long backwardNanos;
    long inputBytes;
    long outputBytes;
    long weightBytes;

    LayerLoad load() {
      return new LayerLoad(
          name,
          Kind.WEIGHTED,
          forwardNanos / NANOS_PER_SECOND,
          backwardNanos / NANOS_PER_SECOND,
          inputBytes,
          outputBytes,
          weightBytes);
    }
  }

  /**
   * Returns the layers of a step whose kernels were timed. What the backward pass needs of the
   * forward pass counts as input of the layer that uses it last in the forward pass. No layer
   * counts as cheap, so that nothing is computed again.
   */
  public static GraphLayers of(TaskGraph graph) {
    Map<Integer, Sum> sums = new TreeMap<>();
    long other = 0;
    for (TaskGraph.Kernel kernel : graph.kernels()) {
      TaskGraph.Part part = kernel.part();
      boolean pass =
          part != null
              && part.layer() != KernelSite.NO_LAYER
              && (part.phase() == KernelSite.Phase.FORWARD
                  || part.phase() == KernelSite.Phase.BACKWARD);
      if (part == null || !pass) {
        other += kernel.fastNanos();
        continue;
      }
      Sum sum = sums.computeIfAbsent(part.layer(), any -> new Sum());
      sum.name = sum.name.isEmpty() ? "layer " + part.layer() : sum.name;
      if (part.phase() == KernelSite.Phase.FORWARD) {
        sum.forwardNanos += kernel.fastNanos();
      } else {
        sum.backwardNanos += kernel.fastNanos();
      }
    }
    addTensors(graph, sums);
    List<LayerLoad> layers = new ArrayList<>();
    sums.values().forEach(sum -> layers.add(sum.load()));
    return new GraphLayers(layers, other / NANOS_PER_SECOND);
  }

  private static void addTensors(TaskGraph graph, Map<Integer, Sum> sums) {
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      TaskGraph.Tensor each = graph.tensors().get(tensor);
      List<TaskGraph.Part> uses = parts(graph, tensor);
      List<Integer> forward = layers(uses, KernelSite.Phase.FORWARD);
      if (forward.isEmpty()) {
        continue;
      }
      if (each.kind() == TaskGraph.TensorKind.PARAMETER) {
        sum(sums, forward.get(0)).weightBytes += each.bytes();
        continue;
      }
      if (graph.creator(tensor) < 0 || graph.producer(tensor) < 0) {
        continue;
      }
      int lastForward = forward.stream().max(Comparator.naturalOrder()).orElse(forward.get(0));
      if (!layers(uses, KernelSite.Phase.BACKWARD).isEmpty()) {
        sum(sums, lastForward).inputBytes += each.bytes();
      }
      TaskGraph.Part made = graph.kernels().get(graph.producer(tensor)).part();
      if (made != null && made.phase() == KernelSite.Phase.FORWARD) {
        sum(sums, made.layer()).outputBytes += each.bytes();
      }
    }
  }

  private static Sum sum(Map<Integer, Sum> sums, int layer) {
    return sums.computeIfAbsent(layer, any -> new Sum());
  }

  private static List<TaskGraph.Part> parts(TaskGraph graph, int tensor) {
    List<TaskGraph.Part> parts = new ArrayList<>();
    for (int kernel : graph.users(tensor)) {
      TaskGraph.Part part = graph.kernels().get(kernel).part();
      if (part != null && part.layer() != KernelSite.NO_LAYER) {
        parts.add(part);
      }
    }
    return parts;
  }

  private static List<Integer> layers(List<TaskGraph.Part> parts, KernelSite.Phase phase) {
    return parts.stream().filter(it -> it.phase() == phase).map(TaskGraph.Part::layer).toList();
  }

  /**
   * Returns the seconds of a step on a node, each device of which trains whole mini-batches.
   *
   * @throws InfeasibleException if a device has too little memory
   */
  public double secondsOn(SystemSpec system) throws InfeasibleException {
    Overlay.Options options =
        new Overlay.Options(Overlay.Rule.DYNAMIC, Overlay.Parallelism.DATA, true);
    return new Overlay(system, options).run(layers).seconds() + otherSeconds;
  }
}
