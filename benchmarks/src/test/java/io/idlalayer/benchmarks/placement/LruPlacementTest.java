package io.idlalayer.benchmarks.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.placement.LruPlacement.Mode;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is decided, without a memory. */
class LruPlacementTest {
  private static final AllocationRequest FORTY = new AllocationRequest(40, Hint.AUTO);

  private final FakeView view = new FakeView(100);

  private static LruPlacement policy(Mode mode) {
    return new LruPlacement("lru", mode);
  }

  private MemObject known(LruPlacement policy, long offset) {
    MemObject object = view.fast(offset, 40);
    policy.placed(object, FORTY, null, view);
    return object;
  }

  private static KernelEvent kernel(MemObject... reads) {
    return new KernelEvent(0, "k", List.of(reads), List.of());
  }

  @Test
  void place_withoutSpace_namesVictimsOldestFirst() {
    LruPlacement policy = policy(Mode.LM);
    MemObject x = known(policy, 0);
    MemObject y = known(policy, 40);
    assertThat(policy.place(FORTY, view).places())
        .first()
        .extracting(Placement.Place::room)
        .isEqualTo(Room.around(List.of(x, y)));
    policy.before(kernel(x), view);
    assertThat(policy.place(FORTY, view).places().get(0).room().around()).containsExactly(y, x);
    policy.softEvicted(x, view);
    assertThat(policy.place(FORTY, view).places().get(0).room().around()).containsExactly(x, y);
    view.evict(x);
    assertThat(policy.place(FORTY, view).places()).containsExactly(Placement.FAST, Placement.SLOW);
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"NONE", "L", "LM"})
  void before_withoutP_fetchesNothing(Mode mode) {
    assertThat(policy(mode).before(kernel(view.slow(10)), view)).isEmpty();
  }

  @Test
  void before_withP_fetchesInTheOrderOfArguments() {
    LruPlacement policy = policy(Mode.LMP);
    MemObject old = known(policy, 0);
    MemObject fast = known(policy, 40);
    MemObject first = view.slow(20);
    MemObject second = view.slow(30);
    Room room = Room.around(List.of(old, fast));
    assertThat(policy.before(kernel(first, fast, second), view))
        .containsExactly(
            new Action.Fetch(first, room, false, Reason.ARGUMENT, view.times().copyIn(20)),
            new Action.Fetch(second, room, false, Reason.ARGUMENT, view.times().copyIn(30)));
  }

  @Test
  void done_withoutSpace_isForgotten() {
    LruPlacement policy = policy(Mode.LMP);
    MemObject slow = view.slow(20);
    Action fetch = policy.before(kernel(slow), view).get(0);
    assertThat(policy.done(new Outcome(fetch, null, Outcome.Result.NO_SPACE, 0), view)).isEmpty();
    policy.softEvicted(slow, view);
    assertThat(policy.victims(view).around()).isEmpty();
  }

  @Test
  void newObject_withoutL_startsSlowAndIsFetched() {
    LruPlacement policy = policy(Mode.NONE);
    assertThat(policy.place(FORTY, view)).isEqualTo(Placement.of(Placement.SLOW));
    MemObject object = view.slow(40);
    assertThat(policy.placed(object, FORTY, null, view))
        .containsExactly(
            new Action.Fetch(
                object, Room.FREE, false, Reason.COMPULSORY_MISS, view.times().copyIn(40)));
    AllocationRequest rare = new AllocationRequest(40, Hint.SLOW);
    assertThat(policy.placed(object, rare, null, view)).isEmpty();
  }

  @Test
  void released_withM_isFreedAtOnce() {
    LruPlacement policy = policy(Mode.LM);
    MemObject object = known(policy, 0);
    assertThat(policy.released(object, view))
        .containsExactly(new Action.Release(object, Reason.RETIRED, 0));
  }

  @Test
  void released_withoutM_isFreedAtTheEndOfTheStep() {
    LruPlacement policy = policy(Mode.L);
    MemObject first = known(policy, 0);
    MemObject second = known(policy, 40);
    assertThat(policy.released(first, view)).isEmpty();
    assertThat(policy.released(second, view)).isEmpty();
    assertThat(policy.victims(view).around()).containsExactly(first, second);
    assertThat(policy.endOfStep(view))
        .containsExactly(
            new Action.Release(first, Reason.COLLECTED, 0),
            new Action.Release(second, Reason.COLLECTED, 0));
    assertThat(policy.endOfStep(view)).isEmpty();
    assertThat(policy.victims(view).around()).isEmpty();
  }

  @Test
  void released_slowDeviceNearlyFull_isFreed() {
    LruPlacement policy = policy(Mode.L);
    MemObject first = known(policy, 0);
    MemObject second = known(policy, 40);
    policy.released(first, view);
    view.slowOccupied = 800;
    assertThat(policy.released(second, view)).hasSize(2);
    assertThat(policy.makeSpace(FORTY, view)).isEmpty();
  }

  @Test
  void endOfStep_scatteredAndFelt_compacts() {
    LruPlacement policy = policy(Mode.LM);
    view.fast(30, 40);
    assertThat(policy.endOfStep(view)).isEmpty();
    view.forced(1);
    assertThat(policy.endOfStep(view))
        .containsExactly(new Action.Compact(Reason.FRAGMENTED, view.times().copyWithin(40)));
    assertThat(policy.endOfStep(view)).isEmpty();
  }
}
