package io.idlalayer.middleware.placement.plan.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.Plans;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Parameters w and v, both of 64 bytes, and two tensors of a step: a of 128 bytes, b of 64. */
class AddressesTest {
  private static final int W = 0;
  private static final int V = 1;
  private static final int A = 2;
  private static final int B = 3;

  private static final TaskGraph GRAPH =
      new TaskGraph(
          List.of(
              kernel("k0", List.of(W), List.of(A), List.of(A), List.of()),
              kernel("k1", List.of(V), List.of(B), List.of(B), List.of()),
              kernel("k2", List.of(A), List.of(), List.of(), List.of(A)),
              kernel("k3", List.of(W, B), List.of(), List.of(), List.of(B))),
          List.of(
              tensor("w", 64, TensorKind.PARAMETER),
              tensor("v", 64, TensorKind.PARAMETER),
              tensor("a", 128, TensorKind.INTERMEDIATE),
              tensor("b", 64, TensorKind.INTERMEDIATE)));

  private static TaskGraph.Tensor tensor(String name, long bytes, TensorKind kind) {
    return new TaskGraph.Tensor(name, bytes, kind, false);
  }

  private static TaskGraph.Kernel kernel(
      String name,
      List<Integer> reads,
      List<Integer> writes,
      List<Integer> creates,
      List<Integer> retires) {
    return new TaskGraph.Kernel(
        name,
        reads,
        writes,
        new TaskGraph.Lifetimes(creates, List.of(), retires),
        10,
        List.of(),
        null);
  }

  private static Move move(Kind kind, int tensor) {
    return new Move(kind, tensor, Reason.PREFETCH);
  }

  @Test
  void of_tensorsThatComeAndGo_haveAnOffsetForEachStay() {
    PlacementPlan plan =
        new PlacementPlan(
            Map.of(A, CreationPlace.FAST, B, CreationPlace.SLOW),
            Map.of(
                2, List.of(move(Kind.FETCH, A)),
                3, List.of(move(Kind.FETCH_AHEAD, B))),
            Map.of(0, List.of(move(Kind.EVICT, A))),
            0,
            0);
    PlacementPlan given =
        Objects.requireNonNull(Addresses.of(GRAPH, Plans.devices(256), plan, () -> {}).plan());
    assertThat(Addresses.of(GRAPH, Plans.devices(255), plan, () -> {}).plan()).isNull();
    // It is created on the slow device.
    assertThat(given.offsets()).containsOnlyKeys(A);
    // What the plan does not name goes to its offset once, before its first use.
    assertThat(given.before(0)).extracting(Move::tensor).containsExactly(W);
    assertThat(given.before(1)).extracting(Move::tensor).containsExactly(V);
    long w = given.before(0).get(0).offset();
    long v = given.before(1).get(0).offset();
    assertThat(List.of(w, v, given.offsets().get(A)))
        .doesNotHaveDuplicates()
        .allMatch(it -> it % 64 == 0);
    assertThat(given.before(2).get(0).offset()).isNotIn(w, v, Room.ANYWHERE);
    assertThat(given.before(3).get(0).offset()).isNotIn(w, v, Room.ANYWHERE);
    assertThat(given.after()).isEqualTo(plan.after());
  }

  @Test
  void of_lastingTensorThatStaysSlow_isNotFetched() {
    PlacementPlan plan =
        new PlacementPlan(
            Map.of(),
            Map.of(),
            Map.of(0, List.of(move(Kind.EVICT, W)), 2, List.of(move(Kind.FETCH_AHEAD, V))),
            0,
            0);
    PlacementPlan given =
        Objects.requireNonNull(Addresses.of(GRAPH, Plans.devices(256), plan, () -> {}).plan());
    assertThat(given.before()).isEmpty();
    assertThat(given.after(2).get(0).offset()).isNotEqualTo(Room.ANYWHERE);
  }

  @Test
  void of_timeIsOver_saysNothing() {
    Addresses.Given given =
        Addresses.of(
            GRAPH,
            Plans.devices(512),
            PlacementPlan.NONE,
            () -> {
              throw new PlanRefusedException("late");
            });
    assertThat(given.plan()).isNull();
    assertThat(given.crowded().isEmpty()).isTrue();
  }

  @Test
  void stays_steadyState_areThoseOfTheMoves() {
    PlacementPlan plan =
        new PlacementPlan(
            Map.of(),
            Map.of(3, List.of(move(Kind.FETCH_AHEAD, W), move(Kind.EVICT, V))),
            Map.of(0, List.of(move(Kind.EVICT, W))),
            0,
            0);
    assertThat(Stays.of(GRAPH, Plans.devices(256), plan))
        .containsExactlyInAnyOrder(
            // From its fetch before kernel 3 to its eviction after kernel 0 of the next step.
            new Stay(W, 64, 3, 2), new Stay(A, 128, 0, 3), new Stay(B, 64, 1, 3));
  }

  /** V is slow, and passes through three buffers. */
  @Test
  void stays_divisibleKernelWithASlowArgument_haveItsBuffers() {
    TaskGraph.Kernel kernel =
        new TaskGraph.Kernel(
            "k",
            List.of(W, V),
            List.of(),
            new TaskGraph.Lifetimes(List.of(), List.of(), List.of()),
            10,
            List.of(),
            new Division(List.of(new Division.Section(1536, List.of(1, 1)))));
    TaskGraph graph =
        new TaskGraph(
            List.of(kernel),
            List.of(
                tensor("w", 1536, TensorKind.PARAMETER), tensor("v", 1536, TensorKind.PARAMETER)));
    PlacementPlan plan =
        new PlacementPlan(Map.of(), Map.of(0, List.of(move(Kind.EVICT, V))), Map.of(), 0, 0);
    // An eighth of the device is 384 bytes, for three buffers.
    assertThat(Stays.of(graph, Plans.devices(3072), plan))
        .containsExactlyInAnyOrder(new Stay(W, 1536, 0, 1), new Stay(Stay.BUFFERS, 3 * 128, 0, 1));
    assertThat(Stays.of(graph, Plans.devices(1536), plan))
        .as("no space is left for buffers")
        .containsExactly(new Stay(W, 1536, 0, 1));
    assertThat(Stays.of(graph, Plans.devices(3072), PlacementPlan.NONE))
        .as("nothing is slow")
        .hasSize(2)
        .noneMatch(stay -> stay.tensor() == Stay.BUFFERS);
  }
}
