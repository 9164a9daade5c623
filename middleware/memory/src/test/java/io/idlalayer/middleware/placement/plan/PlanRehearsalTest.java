package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanRehearsal.Replayed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PlanRehearsalTest {
  private static final int LAYERS = 12;
  private static final TaskGraph STEP = Plans.chain(LAYERS);
  private static final PlanDevices DEVICES = Plans.devices(STEP.peakBytes() / 2);

  /** A plan that moves one tensor and leaves the rest open. */
  private static PlacementPlan almostOpen() {
    int written = STEP.kernels().get(1).writes().get(0);
    Move move = new Move(Kind.WRITE_BACK, written, Reason.OFFLOAD);
    return new PlacementPlan(Map.of(), Map.of(1, List.of(move)));
  }

  /** A plan that wants all activations on the fast device when the backward pass begins. */
  private static PlacementPlan tooMuch(int first) {
    List<Move> moves = new ArrayList<>();
    for (int i = 0; i < LAYERS; i++) {
      int activation = LAYERS + (first + i) % LAYERS;
      moves.add(new Move(Kind.FETCH, activation, Reason.PREFETCH));
    }
    return new PlacementPlan(Map.of(LAYERS, moves), Map.of());
  }

  @Test
  void best_planWithoutSpace_isMadeForLessAndLessMemory() throws Exception {
    List<Long> limits = new ArrayList<>();
    Planner planner =
        Plans.planner(
            "too much",
            (graph, devices) -> {
              limits.add(devices.fastBytes());
              return tooMuch(limits.size());
            });
    Replayed best = new PlanRehearsal(STEP, DEVICES, () -> 0).best(planner);
    assertThat(best.sound()).isFalse();
    // As planned first, and ten times for 2 % less.
    assertThat(limits).hasSize(11);
    for (int i = 1; i < limits.size(); i++) {
      assertThat(limits.get(i) / (double) limits.get(i - 1)).isBetween(0.979, 0.981);
    }
  }

  @Test
  void best_triesThatTakeTooLong_endAndAreReported() throws Exception {
    long[] now = {0};
    List<Long> limits = new ArrayList<>();
    Planner planner =
        Plans.planner(
            "too much",
            (graph, devices) -> {
              limits.add(devices.fastBytes());
              now[0] += 4_000_000_000L;
              return tooMuch(limits.size());
            });
    PlanRehearsal rehearsal = new PlanRehearsal(STEP, DEVICES, () -> now[0]);
    rehearsal.best(planner);
    assertThat(limits).hasSize(3);
    assertThat(rehearsal.cut()).isTrue();
  }

  @Test
  void best_planThatFindsSpace_isTheFirstOne() throws Exception {
    List<PlacementPlan> plans = new ArrayList<>();
    Planner planner =
        Plans.planner(
            "autovm",
            (graph, devices) -> {
              plans.add(Plans.autoVm().plan(graph, devices));
              return plans.get(plans.size() - 1);
            });
    PlanRehearsal rehearsal = new PlanRehearsal(STEP, DEVICES, () -> 0);
    Replayed best = rehearsal.best(planner);
    assertThat(best.sound()).isTrue();
    assertThat(plans).containsExactly(best.plan());
    assertThat(best.nanos()).isLessThan(rehearsal.unplannedNanos());
    assertThat(best.nanos()).isGreaterThanOrEqualTo(STEP.fastNanos());
  }

  @Test
  void best_severalCandidates_isTheFastest() throws Exception {
    List<PlacementPlan> candidates =
        List.of(almostOpen(), Plans.autoVm().plan(STEP, DEVICES), tooMuch(0));
    AtomicInteger asked = new AtomicInteger();
    Planner planner =
        new Plans.Candidates(
            "several",
            false,
            () -> {
              asked.incrementAndGet();
              return candidates;
            });
    Replayed best = new PlanRehearsal(STEP, DEVICES, () -> 0).best(planner);
    assertThat(best.plan()).isEqualTo(candidates.get(1));
    assertThat(asked).hasValue(1);
  }

  @Test
  void best_plannerThatTakesLong_isAskedOnceAlsoIfItsPlanFindsNoSpace() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Planner planner =
        new Plans.Candidates(
            "long",
            true,
            () -> {
              asked.incrementAndGet();
              return List.of(tooMuch(0));
            });
    PlanRehearsal rehearsal = new PlanRehearsal(STEP, DEVICES, () -> 0);
    assertThat(rehearsal.best(planner).sound()).isFalse();
    assertThat(asked).hasValue(1);
    assertThat(rehearsal.cut()).isFalse();
  }

  private static PlanDecision decide(PlacementPlan plan, double measuredTimes) throws Exception {
    PlanRehearsal rehearsal = new PlanRehearsal(STEP, DEVICES, () -> 0);
    Planner planner = Plans.planner("open", (graph, devices) -> plan);
    return new PlanChoice(() -> 0)
        .decide(
            PlanRequest.of(List.of(planner), STEP, DEVICES)
                .measured(Math.round(measuredTimes * rehearsal.unplannedNanos())),
            early -> {})
        .decision();
  }

  @Test
  void decide_measuredStepsMuchLongerThanRehearsed_followAPlanThatIsAsFast() throws Exception {
    assertThat(decide(almostOpen(), 1.25).follows()).isTrue();
    assertThat(decide(almostOpen(), 1.19).follows()).isFalse();
    assertThat(decide(almostOpen(), 0.7).follows()).isFalse();
    PlanDecision slower = decide(tooMuch(0), 3);
    assertThat(slower.follows()).isFalse();
    assertThat(slower.refused().get("open")).contains("a plan is followed up to 1.005 times");
  }

  @Test
  void decide_planThatSavesLessThanTwoPercent_isNotFollowed() throws Exception {
    PlanDecision decision = decide(almostOpen(), 0);
    assertThat(decision.follows()).isFalse();
    assertThat(decision.nanos()).isEqualTo(decision.unplannedNanos());
    assertThat(decision.refused().get("open")).contains("a plan is followed up to 0.980 times");
  }

  /** The tensors are larger than the pieces of the fast device. */
  @Test
  void unplannedNanos_fastDeviceInPieces_leavesTheSlowOneWhole() throws InterruptedException {
    TaskGraph step = Plans.chain(4);
    PlanDevices whole = Plans.devices(step.peakBytes());
    PlanDevices pieces =
        new PlanDevices(
            whole.fastBytes(), whole.times(), whole.granuleBytes(), 512 << 10, whole.seed());
    assertThat(new PlanRehearsal(step, pieces, () -> 0).unplannedNanos())
        .isGreaterThan(new PlanRehearsal(step, whole, () -> 0).unplannedNanos());
  }
}
