package io.idlalayer.middleware.placement.policies.improved;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is decided, without a memory. Bytes leave the slow device at 0.27 GB/s, reach it at 0.1. */
class ImprovedPolicyTest {
  private static final long LONG_NANOS = 1_000_000;

  private final FakeView view = new FakeView(1000);
  private final ImprovedPolicy policy = new ImprovedPolicy("cost");

  private MemObject known(long offset, long bytes) {
    MemObject object = view.fast(offset, bytes);
    policy.placed(object, new AllocationRequest(bytes, Hint.AUTO), null, view);
    return object;
  }

  private static KernelEvent kernel(List<MemObject> reads, List<MemObject> writes) {
    return new KernelEvent(0, "k", reads, writes);
  }

  private Room roomFor(long bytes) {
    return policy.place(new AllocationRequest(bytes, Hint.AUTO), view).places().get(0).room();
  }

  @Test
  void place_full_namesTheLeastRecentlyUsedFirst() {
    MemObject first = known(0, 500);
    MemObject second = known(500, 500);
    assertThat(roomFor(400).around()).containsExactly(first, second);
    policy.before(kernel(List.of(first), List.of()), view);
    assertThat(roomFor(400).around()).containsExactly(second, first);
    policy.softEvicted(first, view);
    assertThat(roomFor(400).around()).containsExactly(first, second);
  }

  @Test
  void before_argumentsThatAreUsedOnce_areReadWhereTheyAre() {
    MemObject once = view.slow(100);
    MemObject soon = view.slow(100);
    MemObject changed = view.slow(100);
    view.nextUses.put(once, 8L);
    view.nextUses.put(soon, 7L);
    view.nextUses.put(changed, MemoryView.NEVER);
    KernelEvent kernel = kernel(List.of(once, soon, changed), List.of(changed));
    assertThat(policy.before(kernel, view))
        .extracting(action -> ((Action.Fetch) action).object())
        .containsExactly(soon, changed);
  }

  /** The kernel creates 300 bytes where 500 are held, in the middle. */
  private List<Action> beforeLargeOutput(MemObject argument, MemObject... others) {
    KernelEvent first = kernel(List.of(argument), List.of());
    policy.before(first, view);
    MemObject output = view.slow(300);
    policy.placed(output, new AllocationRequest(300, Hint.AUTO), first, view);
    policy.after(first, LONG_NANOS, view);
    for (MemObject other : others) {
      view.nextUses.put(other, 30L);
    }
    return policy.before(kernel(List.of(argument), List.of()), view);
  }

  @Test
  void before_outputsWithoutSpace_emptiesTheCheapestSpanBesideTheArguments() {
    MemObject clean = known(0, 350);
    MemObject argument = known(350, 300);
    MemObject dirty = known(650, 350);
    view.clean.add(clean);
    assertThat(beforeLargeOutput(argument, clean, dirty))
        .containsExactly(new Action.Evict(clean, Reason.OUTPUT_SPACE, 0));
    view.clean.remove(clean);
    view.clean.add(dirty);
    assertThat(beforeLargeOutput(argument, clean, dirty))
        .containsExactly(new Action.Evict(dirty, Reason.OUTPUT_SPACE, 0));
  }

  /** An argument between two objects, each too small for what its kernel creates. */
  private final class Divided {
    final MemObject left = known(0, 200);
    final MemObject argument = known(200, 600);
    final MemObject right = known(800, 200);

    List<Action> beforeLargeOutput() {
      return ImprovedPolicyTest.this.beforeLargeOutput(argument, left, right);
    }
  }

  @Test
  void before_outputsWithoutSpan_evictsSomeAndPutsTheirRoomTogether() {
    Divided device = new Divided();
    view.clean.add(device.left);
    view.busy.add(device.right);
    view.copying.add(device.right);
    // What is being copied could not be moved.
    assertThat(device.beforeLargeOutput())
        .containsExactly(
            new Action.Evict(device.right, Reason.OUTPUT_SPACE, view.times().copyOut(200)),
            new Action.Evict(device.left, Reason.OUTPUT_SPACE, 0),
            new Action.Compact(Reason.OUTPUT_SPACE, view.times().copyWithin(600)));
  }

  @Test
  void before_outputsWithoutSpan_waitsForTheCopyOfAnArgument() {
    Divided device = new Divided();
    view.clean.add(device.left);
    view.clean.add(device.right);
    view.busy.add(device.argument);
    view.copying.add(device.argument);
    long copied = view.times().copyOut(600);
    assertThat(device.beforeLargeOutput())
        .contains(
            new Action.Fetch(device.argument, Room.FREE, false, Reason.OUTPUT_SPACE, copied),
            new Action.Compact(Reason.OUTPUT_SPACE, view.times().copyWithin(600)));
  }

  @Test
  void before_outputsThatVictimsLeaveNoRoomFor_evictsNothing() {
    Divided device = new Divided();
    view.clean.add(device.left);
    view.busy.add(device.right);
    assertThat(device.beforeLargeOutput()).isEmpty();
  }

  @Test
  void place_largeObjects_takeTheOtherEnd() {
    assertThat(roomFor(125).end()).isEqualTo(Room.End.HIGH);
    assertThat(roomFor(124)).isEqualTo(Room.FREE);
  }

  @Test
  void before_freeSpace_isUsedWithoutDisplacingAnything() {
    known(0, 300);
    MemObject slow = view.slow(100);
    MemObject large = view.slow(200);
    assertThat(policy.before(kernel(List.of(slow, large), List.of()), view))
        .containsExactly(
            new Action.Fetch(slow, Room.FREE, false, Reason.ARGUMENT, view.times().copyIn(100)),
            new Action.Fetch(
                large,
                new Room(Room.End.HIGH, List.of()),
                false,
                Reason.ARGUMENT,
                view.times().copyIn(200)));
  }

  @Test
  void before_outputsWithoutSpace_sendsReadOnlyArgumentsAway() {
    MemObject read = known(0, 600);
    MemObject changed = known(600, 100);
    List<MemObject> reads = List.of(read, changed);
    KernelEvent first = kernel(reads, List.of(changed));
    assertThat(policy.before(first, view)).isEmpty();
    MemObject output = view.slow(600);
    policy.placed(output, new AllocationRequest(600, Hint.AUTO), first, view);
    policy.after(first, LONG_NANOS, view);
    assertThat(policy.before(kernel(reads, List.of(changed)), view))
        .containsExactly(new Action.Evict(read, Reason.OUTPUT_SPACE, view.times().copyOut(600)));
    view.busy.add(read);
    assertThat(policy.before(kernel(reads, List.of(changed)), view)).isEmpty();
  }

  @Test
  void before_divisibleKernel_streamsWhatLeavesNoSpaceForBuffers() {
    MemObject small = view.slow(100);
    MemObject large = view.slow(900);
    KernelEvent kernel = kernel(List.of(small), List.of(large)).inPieces();
    assertThat(policy.before(kernel, view))
        .containsExactly(
            new Action.Fetch(small, Room.FREE, false, Reason.ARGUMENT, view.times().copyIn(100)),
            new Action.Stream(kernel, Reason.STREAMED, view.times().copyIn(900)));
  }

  @Test
  void after_underPressure_writesAheadWhatIsUsedLate() {
    MemObject soon = known(0, 100);
    MemObject late = known(100, 100);
    MemObject clean = known(200, 100);
    MemObject dead = known(300, 100);
    view.nextUses.put(soon, 7L);
    view.nextUses.put(late, 8L);
    view.nextUses.put(clean, 30L);
    view.nextUses.put(dead, MemoryView.NEVER);
    view.clean.add(clean);
    KernelEvent kernel = kernel(List.of(), List.of());
    policy.before(kernel, view);
    assertThat(policy.after(kernel, LONG_NANOS, view)).isEmpty();
    view.forced(1);
    policy.before(kernel, view);
    assertThat(policy.after(kernel, LONG_NANOS, view))
        .containsExactly(new Action.WriteBack(late, Reason.WRITE_AHEAD, view.times().copyOut(100)));
    // No more than a kernel like this one hides.
    policy.before(kernel, view);
    assertThat(policy.after(kernel, 999, view)).isEmpty();
    view.copies = 2;
    policy.before(kernel, view);
    assertThat(policy.after(kernel, LONG_NANOS, view)).isEmpty();
  }

  /** What a kernel hides is what copies have been seen to move meanwhile. */
  @Test
  void after_slowDeviceBelowItsSpecification_writesLessAhead() {
    MemObject late = known(0, 100);
    view.nextUses.put(late, 8L);
    KernelEvent kernel = kernel(List.of(), List.of());
    view.forced(1);
    policy.before(kernel, view);
    view.slowdown = 2000;
    assertThat(policy.after(kernel, LONG_NANOS, view)).isEmpty();
    policy.before(kernel, view);
    view.slowdown = 500;
    assertThat(policy.after(kernel, LONG_NANOS, view))
        .containsExactly(new Action.WriteBack(late, Reason.WRITE_AHEAD, view.times().copyOut(100)));
  }

  @Test
  void released_isFreedAtOnce() {
    MemObject object = known(0, 10);
    assertThat(policy.released(object, view))
        .containsExactly(new Action.Release(object, Reason.RETIRED, 0));
    assertThat(roomFor(1000).around()).doesNotContain(object);
  }
}
