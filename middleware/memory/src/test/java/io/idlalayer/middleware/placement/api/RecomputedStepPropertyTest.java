package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** Steps with kernels that run again, beside the step in which each kernel runs once. */
class RecomputedStepPropertyTest {
  private static TaskGraph marked(TaskGraph graph, SplittableRandom random) {
    List<Kernel> kernels = new ArrayList<>();
    for (Kernel kernel : graph.kernels()) {
      kernels.add(kernel.repeatable(random.nextInt(5) > 0));
    }
    return new TaskGraph(kernels, graph.tensors());
  }

  /** Any kernels before any others; few of these steps compute the same. */
  private static Recomputation any(TaskGraph graph, SplittableRandom random) {
    TreeMap<Integer, List<Rerun>> reruns = new TreeMap<>();
    int kernels = graph.kernels().size();
    for (int i = 1 + random.nextInt(2); i > 0 && kernels > 1; i--) {
      int before = 1 + random.nextInt(kernels - 1);
      TreeSet<Integer> own = new TreeSet<>();
      for (int j = 1 + random.nextInt(3); j > 0; j--) {
        own.add(random.nextInt(before));
      }
      reruns
          .computeIfAbsent(before, any -> new ArrayList<>())
          .add(new Rerun(List.copyOf(own), before));
    }
    return new Recomputation(reruns.values().stream().flatMap(List::stream).toList());
  }

  @Property(tries = 3_000)
  void acceptedReruns_leaveWhatEveryKernelFinds(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TaskGraph graph = marked(RandomGraphs.any(seed, 7, 6, new RandomGraphs.Sizes(64, 4)), random);
    RecomputedStep step;
    try {
      step = any(graph, random).appliedTo(graph);
    } catch (IllegalArgumentException refused) {
      Statistics.label("reruns").collect("refused");
      return;
    }
    Statistics.label("reruns").collect(step.recomputes() ? "accepted" : "none");
    StepContents.assertEqualContents(graph, step);
  }
}
