package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlanVerifierTest {
  private static final TaskGraph GRAPH = SourceExamples.six();
  private static final PlanDevices DEVICES = SourceExamples.devices(4, 2, 4);
  private static final Map<Integer, CreationPlace> FAST =
      Map.of(0, CreationPlace.FAST, 1, CreationPlace.FAST);

  private static Move move(Kind kind, int tensor) {
    return new Move(kind, tensor, Reason.OFFLOAD);
  }

  private static PlanVerifier.Verdict verify(
      Map<Integer, List<Move>> before, Map<Integer, List<Move>> after) {
    return PlanVerifier.verify(GRAPH, DEVICES, new PlacementPlan(FAST, before, after, 0, 0));
  }

  @Test
  void verify_copiesBesideKernels_areHidden() {
    PlanVerifier.Verdict verdict =
        verify(
            Map.of(1, List.of(move(Kind.WRITE_BACK, 0)), 4, List.of(move(Kind.FETCH_AHEAD, 0))),
            Map.of(1, List.of(move(Kind.EVICT, 0))));
    assertThat(verdict.problems()).isEmpty();
    assertThat(verdict.nanos()).isEqualTo(60 * SourceExamples.UNIT_NANOS);
    assertThat(verdict.highWaterBytes()).isEqualTo(4 * SourceExamples.UNIT_BYTES);
  }

  @Test
  void verify_copyThatWasNotBegun_isWaitedFor() {
    PlanVerifier.Verdict verdict =
        verify(
            Map.of(4, List.of(move(Kind.FETCH_AHEAD, 0))), Map.of(1, List.of(move(Kind.EVICT, 0))));
    assertThat(verdict.nanos()).isEqualTo(62 * SourceExamples.UNIT_NANOS);
  }

  @Test
  void verify_tensorThatStays_isAboveTheBudget() {
    PlanVerifier.Verdict verdict = verify(Map.of(), Map.of());
    assertThat(verdict.sound()).isFalse();
    assertThat(verdict.problems().get(0)).contains("kernel 2 (k3)", "8,388,608", "4,194,304");
  }

  @Test
  void verify_moveOfATensorThatDoesNotExistYet_isAProblem() {
    PlanVerifier.Verdict verdict = verify(Map.of(1, List.of(move(Kind.FETCH, 1))), Map.of());
    assertThat(verdict.problems().get(0)).contains("kernel 1: tensor b is moved (FETCH)");
  }

  @Test
  void verify_moveOfAnUnknownTensor_isAProblem() {
    PlanVerifier.Verdict verdict = verify(Map.of(1, List.of(move(Kind.FETCH, 7))), Map.of());
    assertThat(verdict.problems()).containsExactly("tensor 7 of a move does not exist");
  }
}
