package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.policies.migrating.StartPlacement.SlowUse;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartPlacementTest {
  private static final SlowUse PRINTED =
      (bytes, reads, writes) -> bytes * ((reads ? 2.0 : 0) + (writes ? 7.0 : 0));
  private static final double ALL = 66 + 45 + 28;

  private static TaskGraph example() {
    return new TaskGraph(
        List.of(
            new Kernel("k1", List.of(), List.of(0), 1),
            new Kernel("k2", List.of(0), List.of(1), 1),
            new Kernel("k3", List.of(0, 1), List.of(2), 1)),
        List.of(
            new Tensor("t1", 6, TensorKind.INTERMEDIATE, false),
            new Tensor("t2", 5, TensorKind.INTERMEDIATE, false),
            new Tensor("t3", 4, TensorKind.INTERMEDIATE, false)));
  }

  /** The example of the specification; a greedy choice alone leaves 73 with 9 bytes. */
  @ParameterizedTest
  @CsvSource({"9, 66", "10, 45", "15, 0", "0, 139"})
  void example_leavesTheLeastPenalty(long fastBytes, double left) {
    StartPlacement placement = StartPlacement.of(new StepProfile(example()), fastBytes, PRINTED);
    assertThat(ALL - placement.savedNanos()).isCloseTo(left, within(1e-9));
  }

  @Property(tries = 100)
  void placement_ofAnyStep_fitsAndSavesAtMostTheBest(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 60) int fastBytes) {
    TaskGraph graph = RandomGraphs.any(seed, 6, 9, new RandomGraphs.Sizes(1, 12));
    StepProfile step = new StepProfile(graph);
    StartPlacement placement = StartPlacement.of(step, fastBytes, PRINTED);
    assertThat(fits(graph, step, placement.fast(), fastBytes)).isTrue();
    double best = 0;
    for (int set = 0; set < 1 << graph.tensors().size(); set++) {
      Set<Integer> fast = new HashSet<>();
      for (int t = 0; t < graph.tensors().size(); t++) {
        if ((set >> t & 1) == 1) {
          fast.add(t);
        }
      }
      if (fits(graph, step, fast, fastBytes)) {
        best = Math.max(best, saved(graph, fast));
      }
    }
    assertThat(placement.savedNanos()).isCloseTo(saved(graph, placement.fast()), within(1e-6));
    assertThat(placement.savedNanos()).isBetween(best / 2, best + 1e-6);
  }

  private static double saved(TaskGraph graph, Set<Integer> fast) {
    double saved = 0;
    for (Kernel kernel : graph.kernels()) {
      for (int tensor : kernel.arguments()) {
        if (fast.contains(tensor)) {
          saved +=
              PRINTED.nanos(
                  graph.tensors().get(tensor).bytes(),
                  kernel.reads().contains(tensor),
                  kernel.writes().contains(tensor));
        }
      }
    }
    return saved;
  }

  private static boolean fits(TaskGraph graph, StepProfile step, Set<Integer> fast, long bytes) {
    for (int k = 0; k < graph.kernels().size(); k++) {
      long live = 0;
      for (int tensor : fast) {
        boolean alive =
            step.lasting(tensor) || (graph.creator(tensor) <= k && k <= step.lastConsumer(tensor));
        live += alive && step.users(tensor).length > 0 ? graph.tensors().get(tensor).bytes() : 0;
      }
      if (live > bytes) {
        return false;
      }
    }
    return true;
  }

  @Test
  void costModel_readsHideBehindNothingElse() {
    TransferTimes times =
        new TransferTimes(TierModel.DEFAULT, Tiers.slow(1).speed(), Tiers.FAST_SPEED);
    SlowUse use = SlowUse.of(times);
    assertThat(use.nanos(300, true, false)).isCloseTo(800, within(1.0));
    assertThat(use.nanos(300, false, true)).isGreaterThan(5_000);
    assertThat(use.nanos(300, true, true)).isGreaterThan(use.nanos(300, false, true));
  }
}
