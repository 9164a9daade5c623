package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.MemoryView;
import org.junit.jupiter.api.Test;

class VictimsTest {
  private static final long SOON = 10;

  private final FakeView view = new FakeView(10);
  private final MemObject dead = view.fast(1, 2);
  private final MemObject passing = view.fast(3, 3);
  private final MemObject unused = view.fast(6, 4);
  private final Victims victims = new Victims(view, SOON);

  /** The example of the specification: 10 MB with a dead, a passing and an unused tensor. */
  @Test
  void example_takesTheDeadThenTheUnusedAndSpillsTheLast() {
    view.nextUses.put(dead, MemoryView.NEVER);
    view.nextUses.put(passing, 1L);
    view.nextUses.put(unused, SOON + 1);
    assertThat(victims.leaving(3)).containsExactly(dead);
    view.evict(dead);
    MemObject placed = view.fast(0, 3);
    view.nextUses.put(placed, 1L);
    assertThat(victims.leaving(4)).containsExactly(unused);
    view.evict(unused);
    MemObject next = view.fast(6, 4);
    view.nextUses.put(next, 1L);
    assertThat(victims.leaving(2)).isEmpty();
    assertThat(view.inFast(passing)).isTrue();
  }

  @Test
  void longLivedObject_thatIsUsedSoon_stays() {
    view.nextUses.put(unused, SOON);
    view.nextUses.put(dead, 1L);
    assertThat(victims.leaving(3)).isEmpty();
  }

  @Test
  void objectThatIsInUse_stays() {
    view.nextUses.put(dead, MemoryView.NEVER);
    view.busy.add(dead);
    assertThat(victims.leaving(3)).isEmpty();
  }

  @Test
  void unknownNextUse_staysToo() {
    assertThat(victims.leaving(3)).isEmpty();
  }
}
