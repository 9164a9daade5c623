package io.idlalayer.middleware.placement.plan.recompute;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random steps with the kernels that networks have: activations in place, outputs that several
 * kernels write a part of, workspaces for the backward pass, and kernels that draw random numbers.
 */
final class ForwardAndBack {
  private static final long UNIT_BYTES = 16 << 10;

  private final SplittableRandom random;
  private final List<Tensor> tensors = new ArrayList<>();
  private final List<Kernel> kernels = new ArrayList<>();

  private ForwardAndBack(long seed) {
    random = new SplittableRandom(seed);
  }

  /** What the backward pass of a layer reads. */
  private record Layer(List<Integer> kept, int parameter) {}

  static TaskGraph of(long seed, int layers) {
    return new ForwardAndBack(seed).written(layers);
  }

  private TaskGraph written(int count) {
    int x = tensor("x", TensorKind.INPUT);
    kernels.add(
        new Kernel(
            "fill x",
            List.of(),
            List.of(x),
            new Lifetimes(List.of(x), List.of(), List.of()),
            100,
            List.of(),
            null));
    List<Integer> values = new ArrayList<>(List.of(x));
    List<Layer> layers = new ArrayList<>();
    for (int l = 0; l < count; l++) {
      layers.add(forward(l, values));
    }
    int errors = tensor("errors " + count, TensorKind.INTERMEDIATE);
    add("loss", List.of(values.get(count)), List.of(errors), Phase.BACKWARD, false);
    for (int l = count - 1; l >= 0; l--) {
      Layer layer = layers.get(l);
      List<Integer> reads = new ArrayList<>(layer.kept());
      reads.add(errors);
      errors = tensor("errors " + l, TensorKind.INTERMEDIATE);
      add("backward " + l, reads, List.of(errors, layer.parameter()), Phase.BACKWARD, false);
    }
    return new TaskGraph(kernels, tensors);
  }

  private Layer forward(int l, List<Integer> values) {
    int x = values.get(values.size() - 1);
    int w = tensor("w " + l, TensorKind.PARAMETER);
    int y = tensor("y " + l, TensorKind.INTERMEDIATE);
    values.add(y);
    List<Integer> kept = new ArrayList<>();
    String name = "forward " + l;
    switch (random.nextInt(5)) {
      case 0 -> add(name, List.of(x, w), List.of(y), Phase.FORWARD, true);
      case 1 -> {
        add(name, List.of(x, w), List.of(y), Phase.FORWARD, true);
        add("activation " + l, List.of(y), List.of(y), Phase.FORWARD, true);
      }
      case 2 -> {
        int workspace = tensor("workspace " + l, TensorKind.INTERMEDIATE);
        add(name, List.of(x, w), List.of(workspace, y), Phase.FORWARD, true);
        kept.add(workspace);
      }
      case 3 -> {
        int other = values.get(random.nextInt(values.size() - 1));
        add("merge " + l, List.of(x), List.of(y), Phase.FORWARD, true);
        add("merge more " + l, List.of(other), List.of(y), Phase.FORWARD, true);
      }
      default -> add("dropout " + l, List.of(x, w), List.of(y), Phase.FORWARD, false);
    }
    if (random.nextBoolean()) {
      kept.add(x);
    }
    if (kept.isEmpty() || random.nextBoolean()) {
      kept.add(y);
    }
    return new Layer(kept, w);
  }

  private int tensor(String name, TensorKind kind) {
    long bytes = UNIT_BYTES * (1 + random.nextInt(4));
    tensors.add(new Tensor(name, bytes, kind, kind == TensorKind.PARAMETER));
    return tensors.size() - 1;
  }

  private void add(
      String name, List<Integer> reads, List<Integer> writes, Phase phase, boolean repeatable) {
    kernels.add(
        new Kernel(name, reads.stream().distinct().toList(), writes, 100 + random.nextInt(40_000))
            .of(phase, kernels.size())
            .repeatable(repeatable));
  }
}
