package io.idlalayer.middleware.placement.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Computes a step on numbers in place of tensors. A kernel writes a number that depends on the
 * operation, on what it reads and on what the tensor held before. Knows nothing of reruns.
 */
public final class StepContents {
  /** What a tensor holds that was created and not written. */
  private static final long UNDEFINED = -1;

  private final TaskGraph graph;
  private final Map<Integer, Long> contents = new HashMap<>();
  private final Set<Integer> ended = new HashSet<>();
  private final List<List<Long>> found = new ArrayList<>();

  private StepContents(TaskGraph graph) {
    this.graph = graph;
  }

  /**
   * Runs a step.
   *
   * @param operations for each kernel, what it computes
   * @param tensors for each tensor, a number for what it holds if it comes from outside of the step
   * @throws IllegalStateException if a kernel uses a tensor that is not there
   */
  private static StepContents of(TaskGraph graph, List<Integer> operations, List<Integer> tensors) {
    StepContents step = new StepContents(graph);
    for (int t = 0; t < graph.tensors().size(); t++) {
      if (graph.creator(t) < 0) {
        step.contents.put(t, 1_000L + tensors.get(t));
      }
    }
    for (int k = 0; k < graph.kernels().size(); k++) {
      step.run(graph.kernels().get(k), operations.get(k), tensors);
    }
    return step;
  }

  private void run(Kernel kernel, int operation, List<Integer> tensors) {
    for (int created : kernel.lifetimes().creates()) {
      boolean given = !kernel.writes().contains(created);
      contents.put(created, given ? 1_000L + tensors.get(created) : UNDEFINED);
    }
    List<Long> own = new ArrayList<>();
    for (int tensor : kernel.arguments()) {
      Long content = contents.get(tensor);
      if (content == null || ended.contains(tensor)) {
        throw new IllegalStateException(
            "kernel %s uses tensor %s, which is not there"
                .formatted(kernel.name(), graph.tensors().get(tensor).name()));
      }
      own.add(content);
    }
    found.add(own);
    List<Long> read = new ArrayList<>();
    kernel.reads().forEach(tensor -> read.add(contents.get(tensor)));
    for (int i = 0; i < kernel.writes().size(); i++) {
      int written = kernel.writes().get(i);
      contents.put(
          written, (long) Objects.hash(operation, i, read, contents.get(written)) & 0xffffffffL);
    }
    ended.addAll(kernel.lifetimes().retires());
  }

  /** Returns what the tensors hold after the step that outlast it. */
  private Map<Integer, Long> lasting() {
    Map<Integer, Long> lasting = new HashMap<>(contents);
    lasting.keySet().removeAll(ended);
    return lasting;
  }

  /**
   * Checks that every kernel of a step finds what it finds in the step in which each runs once,
   * that those run again that may, and that what outlasts the step is equal.
   */
  public static void assertEqualContents(TaskGraph graph, RecomputedStep step) {
    List<Integer> kernels = IntStream.range(0, graph.kernels().size()).boxed().toList();
    List<Integer> tensors = IntStream.range(0, graph.tensors().size()).boxed().toList();
    StepContents once = of(graph, kernels, tensors);
    StepContents again = of(step.graph(), step.kernels(), step.tensors());
    List<Integer> first = new ArrayList<>();
    for (int k = 0; k < step.kernels().size(); k++) {
      int own = step.kernels().get(k);
      assertThat(again.found.get(k)).isEqualTo(once.found.get(own));
      if (step.again().get(k)) {
        assertThat(graph.kernels().get(own).repeatable()).isTrue();
        assertThat(first).contains(own);
      } else {
        first.add(own);
      }
    }
    assertThat(first).isEqualTo(kernels);
    assertThat(again.lasting()).isEqualTo(once.lasting());
  }
}
