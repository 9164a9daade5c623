package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/** Steps with lasting and passing tensors, and the chain of layers that training is. */
public final class RandomGraphs {
  private static final List<TensorKind> KINDS =
      List.of(TensorKind.INTERMEDIATE, TensorKind.PARAMETER, TensorKind.INPUT, TensorKind.GRADIENT);

  private RandomGraphs() {}

  /**
   * Bytes of tensors.
   *
   * @param units most of a tensor
   */
  public record Sizes(long unitBytes, int units) {
    long pick(SplittableRandom random) {
      return unitBytes * (1 + random.nextInt(units));
    }
  }

  /** Any step that is allowed. */
  public static TaskGraph any(long seed, int maxKernels, int maxTensors, Sizes sizes) {
    SplittableRandom random = new SplittableRandom(seed);
    int kernels = 1 + random.nextInt(maxKernels);
    int count = 1 + random.nextInt(maxTensors);
    List<List<Integer>> reads = lists(kernels);
    List<List<Integer>> writes = lists(kernels);
    List<Tensor> tensors = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      TensorKind kind = KINDS.get(random.nextInt(KINDS.size()));
      boolean written = kind != TensorKind.INTERMEDIATE;
      for (int k = 0; k < kernels; k++) {
        if (random.nextBoolean()) {
          continue;
        }
        int what = random.nextInt(4);
        if (what > 0 && written) {
          reads.get(k).add(t);
        }
        if (what == 0 || what == 3 || !written) {
          writes.get(k).add(t);
          written = true;
        }
      }
      tensors.add(new Tensor("t" + t, sizes.pick(random), kind, true));
    }
    List<Kernel> made = new ArrayList<>();
    for (int k = 0; k < kernels; k++) {
      made.add(new Kernel("k" + k, reads.get(k), writes.get(k), 1000 + random.nextInt(1000)));
    }
    return new TaskGraph(made, tensors);
  }

  /** Returns the step with some kernels that can work piece by piece. */
  public static TaskGraph inPieces(TaskGraph graph, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Kernel> kernels = new ArrayList<>();
    for (Kernel kernel : graph.kernels()) {
      kernels.add(
          new Kernel(
              kernel.name(),
              kernel.reads(),
              kernel.writes(),
              kernel.lifetimes(),
              kernel.fastNanos(),
              kernel.placements(),
              random.nextInt(3) > 0 ? division(kernel, graph, random) : null));
    }
    return new TaskGraph(kernels, graph.tensors());
  }

  /** First what all arguments have bytes for, then the rest of each by itself. */
  private static Division division(Kernel kernel, TaskGraph graph, SplittableRandom random) {
    List<Integer> arguments = kernel.arguments();
    long[] left = arguments.stream().mapToLong(i -> graph.tensors().get(i).bytes()).toArray();
    if (left.length == 0) {
      return null;
    }
    List<Division.Section> sections = new ArrayList<>();
    long most = Arrays.stream(left).min().orElseThrow() / 2;
    if (most > 0) {
      long elements = 1 + random.nextLong(most);
      List<Integer> widths = new ArrayList<>();
      for (int i = 0; i < left.length; i++) {
        widths.add(1 + random.nextInt(2));
        left[i] -= elements * widths.get(i);
      }
      sections.add(new Division.Section(elements, widths));
    }
    for (int i = 0; i < left.length; i++) {
      if (left[i] > 0) {
        List<Integer> alone = new ArrayList<>(Collections.nCopies(left.length, 0));
        alone.set(i, 1);
        sections.add(new Division.Section(left[i], alone));
      }
    }
    return new Division(sections);
  }

  private static List<List<Integer>> lists(int count) {
    List<List<Integer>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  /**
   * Returns forward, backward and update of layers in a row, each with parameters and an
   * activation.
   *
   * @param parameterBytes size of each layer's parameters
   * @param activationBytes size of each layer's activation
   */
  public static TaskGraph chain(int layers, long parameterBytes, long activationBytes) {
    List<Tensor> tensors = new ArrayList<>();
    for (int l = 0; l < layers; l++) {
      tensors.add(new Tensor("parameters " + l, parameterBytes, TensorKind.PARAMETER, true));
    }
    for (int l = 0; l < layers; l++) {
      tensors.add(new Tensor("activation " + l, activationBytes, TensorKind.INTERMEDIATE, false));
    }
    List<Kernel> kernels = new ArrayList<>();
    for (int l = 0; l < layers; l++) {
      List<Integer> in = l == 0 ? List.of(l) : List.of(l, layers + l - 1);
      kernels.add(new Kernel("forward " + l, in, List.of(layers + l), 1000));
    }
    for (int l = layers - 1; l >= 0; l--) {
      kernels.add(new Kernel("backward " + l, List.of(l, layers + l), List.of(l), 2000));
    }
    return new TaskGraph(kernels, tensors);
  }
}
