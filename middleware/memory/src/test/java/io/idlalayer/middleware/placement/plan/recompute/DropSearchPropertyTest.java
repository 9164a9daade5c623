package io.idlalayer.middleware.placement.plan.recompute;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.StepContents;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Plans;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/** Drops of random networks, beside all drops that there are. */
class DropSearchPropertyTest {
  private static List<Drop> drops(TaskGraph graph) {
    return new DropSearch(graph, Plans.devices(1 << 20).times()).all();
  }

  @Property(tries = 500)
  void drops_togetherOrAlone_leaveWhatEveryKernelFinds(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int layers) {
    TaskGraph graph = ForwardAndBack.of(seed, layers);
    List<Drop> all = drops(graph);
    Statistics.label("drops").collect(Math.min(all.size(), 5));
    for (Drop each : all) {
      StepContents.assertEqualContents(
          graph, DropChoice.recomputation(List.of(each)).appliedTo(graph));
    }
    for (int count = 0; count <= all.size(); count++) {
      List<Drop> some = all.subList(0, count);
      StepContents.assertEqualContents(graph, DropChoice.recomputation(some).appliedTo(graph));
    }
  }

  @Property(tries = 500)
  void drop_aloneInTheStep_isGoneInItsGaps(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int layers) {
    TaskGraph graph = ForwardAndBack.of(seed, layers);
    long[] before = graph.liveBytes();
    for (Drop drop : drops(graph)) {
      RecomputedStep step = DropChoice.recomputation(List.of(drop)).appliedTo(graph);
      long[] less = before.clone();
      for (Drop.Gap gap : drop.gaps()) {
        for (int k = gap.after() + 1; k < gap.before(); k++) {
          less[k] -= gap.bytes();
        }
      }
      long[] live = step.graph().liveBytes();
      long cost = 0;
      for (int k = 0; k < live.length; k++) {
        if (step.again().get(k)) {
          cost += step.graph().kernels().get(k).fastNanos();
        } else {
          assertThat(live[k]).isEqualTo(less[step.kernels().get(k)]);
        }
      }
      assertThat(drop.costNanos()).isEqualTo(cost);
    }
  }

  /** Tries all sets of kernels of small steps. */
  @Property(tries = 300)
  void drop_existsIfAnySetOfKernelsComputesTheTensorAgain(@ForAll long seed) {
    TaskGraph graph = ForwardAndBack.of(seed, 3);
    List<Drop> found = drops(graph);
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      List<Integer> users = graph.users(tensor);
      boolean gap = users.size() == 2 && users.get(1) > users.get(0) + 1;
      if (graph.creator(tensor) < 0 || !gap) {
        continue;
      }
      int before = users.get(1);
      Set<Integer> least = leastKernels(graph, tensor, before);
      int dropped = tensor;
      List<Set<Integer>> own =
          found.stream()
              .filter(drop -> drop.rerun().before() == before)
              .filter(drop -> drop.gaps().stream().anyMatch(each -> each.tensor() == dropped))
              .<Set<Integer>>map(drop -> new HashSet<>(drop.rerun().kernels()))
              .toList();
      if (least == null) {
        assertThat(own).as("kernels for %d", tensor).isEmpty();
      } else {
        assertThat(own).as("kernels for %d", tensor).contains(least);
      }
      Statistics.label("tensors").collect(least == null ? "kept" : "dropped");
    }
  }

  /**
   * Returns the fewest kernels that compute a tensor again without keeping any other tensor longer;
   * null if there are none.
   */
  private static Set<Integer> leastKernels(TaskGraph graph, int tensor, int before) {
    Set<Integer> least = null;
    for (int set = 1; set < 1 << before; set++) {
      List<Integer> kernels = new ArrayList<>();
      for (int k = 0; k < before; k++) {
        if ((set >> k & 1) != 0) {
          kernels.add(k);
        }
      }
      if (least != null && kernels.size() >= least.size()) {
        continue;
      }
      RecomputedStep step;
      try {
        step = new Recomputation(List.of(new Rerun(kernels, before))).appliedTo(graph);
      } catch (IllegalArgumentException refused) {
        continue;
      }
      boolean again = step.tensors().stream().filter(of -> of == tensor).count() == 2;
      if (again && noneKeptLonger(graph, step)) {
        least = new HashSet<>(kernels);
      }
    }
    return least;
  }

  private static boolean noneKeptLonger(TaskGraph graph, RecomputedStep step) {
    for (int k = 0; k < step.kernels().size(); k++) {
      int own = step.kernels().get(k);
      if (step.again().get(k)) {
        continue;
      }
      for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
        int last = step.graph().lastUse(tensor);
        if (last >= k && graph.lastUse(tensor) < own) {
          return false;
        }
      }
    }
    return true;
  }

  @Property(tries = 200)
  void plans_ofNetworks_recomputeAtMostWhatIsCheaperThanMoving(
      @ForAll long seed, @ForAll @IntRange(min = 30, max = 110) int percent) {
    TaskGraph graph = ForwardAndBack.of(seed, 12);
    PlanDevices devices = Plans.devices(graph.peakBytes() * percent / 100);
    List<Drop> chosen = DropChoice.of(graph, drops(graph), devices.fastBytes());
    if (percent >= 100) {
      assertThat(chosen).isEmpty();
    }
    assertThat(chosen).allMatch(Drop::cheaperThanMoving);
    Statistics.label("chosen").collect(Math.min(chosen.size(), 5));
  }
}
