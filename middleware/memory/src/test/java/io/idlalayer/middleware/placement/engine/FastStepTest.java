package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ObjectAccess;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Steps that run as a whole on the fast device. */
class FastStepTest {
  private static final long FAST_BYTES = 1 << 12;
  private static final long TENSOR_BYTES = 1 << 10;

  private final PlanDesk desk = PlanDesk.on(Runnable::run, null, () -> 0);

  @AfterEach
  void close() {
    desk.close();
  }

  private PlacedMemory memory(PlacementName policy, MemoryClock clock) {
    return PlacedTiers.of(policy.create(desk), FAST_BYTES, clock);
  }

  private PlacedMemory memory() {
    return memory(PlacementName.AUTO, new RealClock());
  }

  private static MemObject lasting(PlacedMemory memory, Hint hint) throws InterruptedException {
    MemObject made = memory.create(new AllocationRequest(TENSOR_BYTES, hint));
    Tiers.fill(memory.memory(), made, 1);
    return made;
  }

  private static KernelEvent step(MemObject read, MemObject written) {
    return new KernelEvent(0, "step", List.of(read), List.of(written));
  }

  private static long fastOccupied(PlacedMemory memory) {
    return memory.memory().use(FAST).occupiedBytes();
  }

  @Test
  void startFast_everythingFits_runsAndCounts() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject read = lasting(memory, Hint.FAST);
      MemObject written = lasting(memory, Hint.FAST);
      PlacementStats before = memory.stats();
      try (FastStep step = memory.startFast(step(read, written), TENSOR_BYTES)) {
        assertThat(step).isNotNull();
        assertThat(step.bytes(read).isReadOnly()).isTrue();
        step.bytes(written).put(0, (byte) 7);
        step.bytes(step.block()).put(0, (byte) 8);
        assertThat(written.access()).isEqualTo(ObjectAccess.READ_WRITE);
        assertThat(read.access()).isEqualTo(ObjectAccess.READ_ONLY);
        assertThat(fastOccupied(memory)).isEqualTo(3 * TENSOR_BYTES);
        step.finish(5, 13);
      }
      PlacementStats after = memory.stats();
      assertThat(after.kernels() - before.kernels()).isEqualTo(5);
      assertThat(after.fastUses() - before.fastUses()).isEqualTo(13);
      assertThat(after.slowUses()).isEqualTo(before.slowUses());
      assertThat(after.computeNanos()).isGreaterThan(before.computeNanos());
      assertThat(after.fast().highWaterBytes()).isEqualTo(3 * TENSOR_BYTES);
      assertThat(fastOccupied(memory)).isEqualTo(2 * TENSOR_BYTES);
      assertThat(Tiers.read(memory.memory(), written)[0]).isEqualTo((byte) 7);
      assertThat(written.access()).isEqualTo(ObjectAccess.NOT_BUSY);
      assertThat(written.pinned()).isFalse();
      assertSound(memory.memory());
    }
  }

  private static void assertSound(TieredMemory memory) {
    assertThat(memory.verify(true).problems()).isEmpty();
    assertThat(memory.verify().regionsInFlight()).isZero();
    assertThat(memory.verify().quarantined()).isZero();
  }

  /** What was written makes an older slow copy stale, so that it is not lost when it leaves. */
  @Test
  void startFast_aWrittenObjectWithASlowCopy_makesTheCopyStale() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject read = lasting(memory, Hint.FAST);
      MemObject written = lasting(memory, Hint.SLOW);
      assertThat(Tiers.promote(memory.memory(), written)).isTrue();
      assertThat(written.dirty()).isFalse();
      try (FastStep step = memory.startFast(step(read, written), TENSOR_BYTES)) {
        assertThat(step).isNotNull();
        step.bytes(written).put(0, (byte) 7);
        step.finish(1, 2);
      }
      assertThat(written.dirty()).isTrue();
      // Three kilobytes more make at least one of the two leave.
      for (int i = 0; i < 3; i++) {
        lasting(memory, Hint.FAST);
      }
      assertThat(Tiers.read(memory.memory(), written)[0]).isEqualTo((byte) 7);
      assertSound(memory.memory());
    }
  }

  @Test
  void startFast_aSlowObject_isRefusedAndChangesNothing() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject fast = lasting(memory, Hint.FAST);
      MemObject slow = lasting(memory, Hint.SLOW);
      assertThat(memory.startFast(step(slow, fast), TENSOR_BYTES)).isNull();
      assertThat(memory.startFast(step(fast, slow), TENSOR_BYTES)).isNull();
      assertThat(fastOccupied(memory)).isEqualTo(TENSOR_BYTES);
      assertThat(fast.pinned()).isFalse();
    }
  }

  @Test
  void startFast_noFreeSpace_evictsNothing() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject read = lasting(memory, Hint.FAST);
      MemObject written = lasting(memory, Hint.FAST);
      MemObject other = lasting(memory, Hint.FAST);
      KernelEvent step = step(read, written);
      assertThat(memory.startFast(step, TENSOR_BYTES + 1)).isNull();
      memory.memory().setBudget(FAST, 4 * TENSOR_BYTES - 1);
      assertThat(memory.startFast(step, TENSOR_BYTES)).isNull();
      assertThat(memory.startFast(step, Long.MAX_VALUE / 2)).isNull();
      assertThat(other.in(FAST)).isTrue();
      assertThat(memory.stats().policy().evictions()).isZero();
      memory.memory().setBudget(FAST, 4 * TENSOR_BYTES);
      try (FastStep whole = memory.startFast(step, TENSOR_BYTES)) {
        assertThat(whole).isNotNull();
      }
    }
  }

  @Test
  void startFast_closedWithoutFinish_countsNothingAndLeavesNothing() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject read = lasting(memory, Hint.FAST);
      MemObject written = lasting(memory, Hint.FAST);
      long kernels = memory.stats().kernels();
      try (FastStep step = memory.startFast(step(read, written), TENSOR_BYTES)) {
        assertThat(step).isNotNull();
      }
      assertThat(memory.stats().kernels()).isEqualTo(kernels);
      assertThat(fastOccupied(memory)).isEqualTo(2 * TENSOR_BYTES);
      assertThat(memory.memory().objects()).containsExactlyInAnyOrder(read, written);
      assertSound(memory.memory());
    }
  }

  /** Only policies that would do nothing; and never in virtual time, which kernels advance. */
  @Test
  void startFast_policiesThatAct_areAsked() throws Exception {
    Set<PlacementName> acting = EnumSet.of(PlacementName.ALL_SLOW, PlacementName.REDL_PAPER);
    for (PlacementName name : PlacementName.values()) {
      try (PlacedMemory memory = memory(name, new RealClock());
          PlacedMemory virtual = memory(name, new VirtualClock())) {
        assertThat(starts(memory)).as(name.key()).isEqualTo(!acting.contains(name));
        assertThat(starts(virtual)).as(name.key()).isFalse();
      }
    }
  }

  private static boolean starts(PlacedMemory memory) throws InterruptedException {
    MemObject read = Tiers.make(memory.memory(), FAST, TENSOR_BYTES);
    MemObject written = Tiers.make(memory.memory(), FAST, TENSOR_BYTES);
    try (FastStep step = memory.startFast(step(read, written), TENSOR_BYTES)) {
      return step != null;
    }
  }
}
