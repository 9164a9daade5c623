package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Plans;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.List;
import java.util.function.ToLongFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

class RebuildingPropertyTest {
  private static final RandomGraphs.Sizes SIZES = new RandomGraphs.Sizes(64 << 10, 6);
  private static final int TRIES = 40;

  @Property(tries = 60)
  void rebuilt_anySchedule_isFasterEachTimeAndFits(
      @ForAll long seed, @ForAll @IntRange(min = 20, max = 80) int percent) {
    TaskGraph graph = RandomGraphs.any(seed, 12, 10, SIZES);
    PlanDevices devices = Plans.devices(Math.max(64, graph.peakBytes() * percent / 6400 * 64));
    FlowGraph flows = FlowGraph.of(graph, devices);
    PriceHeuristic heuristic =
        new PriceHeuristic(Form.WINDOWS, PriceHeuristic.Effort.DEFAULT, SourceExamples.deadline());
    ToLongFunction<Schedule> nanos =
        it -> PlanVerifier.verify(graph, devices, MoveEmitter.emit(flows, it)).nanos();
    List<Schedule> found = heuristic.run(flows).schedules();
    // The last one is the slowest.
    Schedule first = found.get(found.size() - 1);
    double before = first.nanos();
    assertThat(
            heuristic.rebuilt(
                flows,
                first,
                it -> {
                  throw new AssertionError("a schedule is looked at");
                },
                0,
                devices.seed()))
        .containsExactly(first);
    List<Schedule> better = heuristic.rebuilt(flows, first, nanos, TRIES, devices.seed());
    assertThat(better.get(better.size() - 1)).isSameAs(first);
    assertThat(first.nanos()).as("the given schedule is not changed").isEqualTo(before);
    for (int i = 1; i < better.size(); i++) {
      assertThat(nanos.applyAsLong(better.get(i - 1))).isLessThan(nanos.applyAsLong(better.get(i)));
    }
    assertThat(better).allMatch(Schedule::fits);
    Statistics.label("faster than before")
        .collect(better.size() > 1)
        .coverage(all -> all.check(true).count(count -> count > 0));
  }
}
