package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PlannedPolicyTest {
  private static final TaskGraph GRAPH =
      new TaskGraph(
          List.of(
              new TaskGraph.Kernel("a", List.of(), List.of(0), 10),
              new TaskGraph.Kernel("b", List.of(0), List.of(1), 10),
              new TaskGraph.Kernel("c", List.of(0, 1), List.of(2), 10)),
          List.of(tensor("x"), tensor("y"), tensor("z")));

  private final FakeView view = new FakeView(100);

  private static TaskGraph.Tensor tensor(String name) {
    return new TaskGraph.Tensor(name, 10, TaskGraph.TensorKind.INTERMEDIATE, false);
  }

  private static KernelEvent kernel(int index, MemObject... reads) {
    return new KernelEvent(index, "k", List.of(reads), List.of());
  }

  private PlannedPolicy following(PlacementPlan plan) {
    PlannedPolicy policy =
        new PlannedPolicy("planned", (graph, now) -> plan, new ImprovedPolicy("planned"));
    policy.recomputation(GRAPH, view);
    policy.beginStep(GRAPH, view);
    view.known = true;
    return policy;
  }

  private static AllocationRequest request(String tensor) {
    return new AllocationRequest(10, Hint.AUTO, 1, tensor);
  }

  private Action.Fetch fetch(MemObject object, boolean ahead, Reason reason) {
    return new Action.Fetch(object, Room.FREE, ahead, reason, view.times().copyIn(object.bytes()));
  }

  @Test
  void before_knownStep_returnsThePlansMoves() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(1, List.of(new Move(Kind.FETCH_AHEAD, 2, Reason.PREFETCH))),
                Map.of(
                    1,
                    List.of(
                        new Move(Kind.EVICT, 1, Reason.OFFLOAD),
                        new Move(Kind.EVICT, 2, Reason.OFFLOAD)))));
    MemObject object = view.slow(10);
    MemObject leaving = view.fast(0, 10);
    view.tensor(1, leaving);
    // The tensor is not there yet.
    assertThat(policy.before(kernel(1), view)).isEmpty();
    view.tensor(2, object);
    assertThat(policy.before(kernel(1), view))
        .containsExactly(fetch(object, true, Reason.PREFETCH));
    // What is not on the fast device need not leave it.
    assertThat(policy.after(kernel(1), 1, view))
        .containsExactly(new Action.Evict(leaving, Reason.OFFLOAD, view.times().copyOut(10)));
    view.known = false;
    assertThat(policy.before(kernel(1), view)).isEmpty();
    assertThat(policy.after(kernel(1), 1, view)).isEmpty();
  }

  @Test
  void before_fastTensorThatIsLeaving_isNotFetched() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(1, List.of(new Move(Kind.FETCH, 0, Reason.PREFETCH))), Map.of()));
    MemObject leaving = view.fast(0, 10);
    view.tensor(0, leaving);
    view.copying.add(leaving);
    assertThat(policy.before(kernel(1, leaving), view)).isEmpty();
  }

  @Test
  void done_lastMove_asksTheOtherPolicyForWhatThePlanLeavesOpen() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(1, List.of(new Move(Kind.FETCH, 0, Reason.PREFETCH))), Map.of()));
    MemObject planned = view.slow(10);
    MemObject open = view.slow(10);
    view.tensor(0, planned);
    view.nextUses.put(open, 2L);
    KernelEvent kernel = kernel(1, planned, open);
    List<Action> moves = policy.before(kernel, view);
    assertThat(moves).containsExactly(fetch(planned, false, Reason.PREFETCH));
    Outcome outcome = new Outcome(moves.get(0), kernel, Outcome.Result.DONE, 1);
    assertThat(policy.done(outcome, view)).contains(fetch(open, false, Reason.ARGUMENT));
    assertThat(policy.done(outcome, view)).isEmpty();
  }

  @Test
  void place_tensorWithAnOffset_isThereOrElseAnywhere() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(), Map.of(1, 32L), Map.of(), Map.of(), 0, 0, Recomputation.NONE));
    List<Placement.Place> places = policy.place(request("y"), view).places();
    assertThat(places.get(0)).isEqualTo(new Placement.Place(DeviceKind.FAST, Room.FREE.at(32)));
    assertThat(places.get(1).room().hasOffset()).isFalse();
    assertThat(policy.place(request("z"), view).places().get(0).room().hasOffset()).isFalse();
  }

  /** Two tensors lie each where the other one belongs. */
  @Test
  void before_fastTensorsElsewhere_allLeaveBeforeOneComesBack() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(
                    1,
                    List.of(
                        new Move(Kind.FETCH, 0, Reason.PREFETCH, 0),
                        new Move(Kind.FETCH, 1, Reason.PREFETCH, 10),
                        new Move(Kind.FETCH, 2, Reason.PREFETCH, 20))),
                Map.of()));
    MemObject first = view.fast(10, 10);
    MemObject second = view.fast(0, 10);
    MemObject third = view.fast(20, 10);
    view.tensor(0, first);
    view.tensor(1, second);
    view.tensor(2, third);
    long out = view.times().copyOut(10);
    long in = view.times().copyIn(10);
    assertThat(policy.before(kernel(1, first, second, third), view))
        .containsExactly(
            new Action.Evict(first, Reason.PREFETCH, out),
            new Action.Evict(second, Reason.PREFETCH, out),
            new Action.Fetch(first, Room.FREE.at(0), false, Reason.PREFETCH, in),
            new Action.Fetch(second, Room.FREE.at(10), false, Reason.PREFETCH, in));
  }

  @Test
  void offset_negative_isRefused() {
    assertThatThrownBy(() -> Room.FREE.at(-2)).hasMessageContaining("offset -2");
    assertThatThrownBy(() -> wantedAt(-2)).hasMessageContaining("tensor 0 to offset -2");
  }

  private static PlacementPlan wantedAt(long offset) {
    return new PlacementPlan(
        Map.of(1, List.of(new Move(Kind.FETCH, 0, Reason.PREFETCH, offset))), Map.of());
  }

  /** Something in use lies at its offset, so it stays elsewhere. */
  @Test
  void before_tensorThatDoesNotArrive_leavesInTheFirstStepsOnly() {
    PlannedPolicy policy = following(wantedAt(0));
    MemObject object = view.fast(10, 10);
    view.tensor(0, object);
    List<Integer> evictions = new ArrayList<>();
    for (int step = 0; step < 6; step++) {
      policy.recomputation(GRAPH, view);
      policy.beginStep(GRAPH, view);
      evictions.add(evictions(policy.before(kernel(1, object), view)));
    }
    assertThat(evictions).containsExactly(1, 1, 1, 1, 0, 0);
  }

  @Test
  void before_stepsThatAlternateUnderTwoPlans_tensorLeavesForEachInTheFirstOnly() {
    List<PlacementPlan> plans = List.of(wantedAt(0), wantedAt(20));
    AtomicInteger steps = new AtomicInteger();
    PlannedPolicy policy =
        new PlannedPolicy(
            "planned",
            (graph, now) -> plans.get(steps.getAndIncrement() % 2),
            new ImprovedPolicy("planned"));
    view.known = true;
    MemObject object = view.fast(10, 10);
    view.tensor(0, object);
    List<Integer> evictions = new ArrayList<>();
    for (int step = 0; step < 10; step++) {
      policy.recomputation(GRAPH, view);
      policy.beginStep(GRAPH, view);
      evictions.add(evictions(policy.before(kernel(1, object), view)));
    }
    assertThat(evictions).containsExactly(1, 1, 1, 1, 1, 1, 1, 1, 0, 0);
  }

  private static int evictions(List<Action> actions) {
    return (int) actions.stream().filter(Action.Evict.class::isInstance).count();
  }

  /** The plan has fetched it before, but another object's fetch has evicted it since. */
  @Test
  void before_argumentThatIsNotWhereThePlanHasIt_isFetchedToItsOffset() {
    PlannedPolicy policy = following(wantedAt(30));
    MemObject object = view.fast(30, 10);
    view.tensor(0, object);
    assertThat(policy.before(kernel(1, object), view)).isEmpty();
    view.evict(object);
    assertThat(policy.before(kernel(2, object), view))
        .singleElement()
        .isInstanceOfSatisfying(
            Action.Fetch.class,
            fetch -> {
              assertThat(fetch.object()).isEqualTo(object);
              assertThat(fetch.reason()).isEqualTo(Reason.ARGUMENT);
              assertThat(fetch.room().offset()).isEqualTo(30);
            });
  }

  @Test
  void place_tensorWithAPlace_isThere() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(1, CreationPlace.SLOW, 2, CreationPlace.FAST), Map.of(), Map.of(), 0, 0));
    assertThat(policy.place(request("y"), view).places())
        .as("the slow device, and others if that is full")
        .startsWith(Placement.SLOW)
        .hasSizeGreaterThan(1);
    assertThat(policy.place(request("z"), view).places().get(0).device())
        .isEqualTo(DeviceKind.FAST);
    AllocationRequest hinted = new AllocationRequest(10, Hint.SLOW, 1, "z");
    assertThat(policy.place(hinted, view).places().get(0).device()).isEqualTo(DeviceKind.FAST);
    view.known = false;
    assertThat(policy.place(request("y"), view).places().get(0).device())
        .isEqualTo(DeviceKind.FAST);
  }

  @Test
  void before_tensorThatThePlanMadeSlow_isNotFetchedByTheOtherPolicy() {
    PlannedPolicy policy =
        following(
            new PlacementPlan(
                Map.of(0, CreationPlace.SLOW),
                Map.of(2, List.of(new Move(Kind.FETCH, 0, Reason.PREFETCH))),
                Map.of(),
                0,
                0));
    policy.place(request("x"), view);
    MemObject object = view.slow(10);
    view.tensor(0, object);
    view.nextUses.put(object, 1L);
    assertThat(policy.before(kernel(1, object), view)).isEmpty();
    // From its move on it is to be fast.
    assertThat(policy.before(kernel(2, object), view))
        .containsExactly(fetch(object, false, Reason.PREFETCH));
    assertThat(policy.before(kernel(1, object), view))
        .containsExactly(fetch(object, false, Reason.ARGUMENT));
  }

  @Test
  void before_outputsThatThePlanMakesSlow_needNoRoom() {
    PlacementPlan plan = new PlacementPlan(Map.of(2, CreationPlace.SLOW), Map.of(), Map.of(), 0, 0);
    FakeView full = new FakeView(20);
    PlannedPolicy policy =
        new PlannedPolicy("planned", (graph, now) -> plan, new ImprovedPolicy("planned"));
    policy.recomputation(GRAPH, full);
    policy.beginStep(GRAPH, full);
    full.known = true;
    MemObject resident = full.fast(0, 20);
    full.tensor(0, resident);
    KernelEvent kernel = kernel(1);
    for (int step = 0; step < 2; step++) {
      assertThat(policy.before(kernel, full)).isEmpty();
      policy.place(request("z"), full);
      policy.placed(full.slow(10), request("z"), kernel, full);
      policy.after(kernel, 1, full);
    }
  }

  @Test
  void place_noSpace_whatThePlanNeedsLeavesLast() {
    FakeView full = new FakeView(20);
    PlannedPolicy policy =
        new PlannedPolicy(
            "planned",
            (graph, now) ->
                new PlacementPlan(
                    Map.of(0, CreationPlace.FAST),
                    Map.of(),
                    Map.of(1, List.of(new Move(Kind.EVICT, 1, Reason.OFFLOAD))),
                    0,
                    0),
            new ImprovedPolicy("planned"));
    policy.recomputation(GRAPH, full);
    policy.beginStep(GRAPH, full);
    full.known = true;
    MemObject needed = full.fast(0, 10);
    MemObject leaving = full.fast(10, 10);
    full.tensor(0, needed);
    full.tensor(1, leaving);
    full.nextUses.put(needed, 2L);
    full.nextUses.put(leaving, 2L);
    policy.before(kernel(0, needed, leaving), full);
    assertThat(policy.place(request("z"), full).places().get(0).room().around())
        .containsExactly(leaving, needed);
  }
}
