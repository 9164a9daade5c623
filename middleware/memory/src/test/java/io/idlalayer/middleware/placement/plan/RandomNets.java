package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Steps of training: layers with parameters, updater state and skip connections. */
final class RandomNets {
  private static final long UNIT_BYTES = 16 << 10;
  private static final int MOST_UNITS = 4;
  private static final int MOST_NANOS = 300_000;

  private RandomNets() {}

  static TaskGraph of(long seed, int mostLayers) {
    SplittableRandom random = new SplittableRandom(seed);
    int layers = 2 + random.nextInt(mostLayers - 1);
    List<Tensor> tensors = new ArrayList<>();
    add(tensors, "x", TensorKind.INPUT, random);
    for (int l = 1; l <= layers; l++) {
      add(tensors, "y" + l, TensorKind.INTERMEDIATE, random);
    }
    int parameters = tensors.size();
    for (int l = 1; l <= layers; l++) {
      add(tensors, "w" + l, TensorKind.PARAMETER, random);
    }
    int errors = tensors.size();
    for (int l = 0; l <= layers; l++) {
      add(tensors, "e" + l, TensorKind.INTERMEDIATE, random);
    }
    List<List<Integer>> inputs = new ArrayList<>();
    List<Kernel> kernels = new ArrayList<>();
    for (int l = 1; l <= layers; l++) {
      List<Integer> reads = new ArrayList<>(List.of(l - 1, parameters + l - 1));
      if (l > 1 && random.nextInt(3) == 0) {
        reads.add(random.nextInt(l - 1));
      }
      inputs.add(reads);
      kernels.add(
          kernel("forward " + l, reads, List.of(l), random)
              .of(Phase.FORWARD, l)
              .repeatable(random.nextInt(4) > 0));
    }
    kernels.add(
        kernel("loss", List.of(layers), List.of(errors + layers), random).of(Phase.BACKWARD, 0));
    for (int l = layers; l >= 1; l--) {
      List<Integer> reads = new ArrayList<>(inputs.get(l - 1));
      reads.add(errors + l);
      kernels.add(
          kernel("backward " + l, reads, List.of(errors + l - 1, parameters + l - 1), random)
              .of(Phase.BACKWARD, l));
    }
    return new TaskGraph(kernels, tensors);
  }

  private static void add(
      List<Tensor> tensors, String name, TensorKind kind, SplittableRandom random) {
    long bytes = UNIT_BYTES * (1 + random.nextInt(MOST_UNITS));
    tensors.add(new Tensor(name, bytes, kind, kind == TensorKind.PARAMETER));
  }

  private static Kernel kernel(
      String name, List<Integer> reads, List<Integer> writes, SplittableRandom random) {
    return new Kernel(
        name, reads.stream().distinct().toList(), writes, 1 + random.nextInt(MOST_NANOS));
  }
}
