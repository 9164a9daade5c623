package io.idlalayer.benchmarks.placement;

import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacedTiers;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.List;
import org.junit.jupiter.api.Test;

class TwoLevelMemoryTest {
  @Test
  void kernel_takesItsAccessesTime() throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    try (PlacedMemory memory =
        PlacedTiers.of(ComparedPolicy.TWO_LEVEL_MEMORY_M.create(), 640, clock)) {
      MemObject object = memory.create(new AllocationRequest(640, Hint.FAST));
      assertThat(object.in(SLOW)).isTrue();
      KernelEvent read = new KernelEvent(0, "read", List.of(object), List.of(), 1);
      memory.run(read, arguments -> {});
      // Ten clean misses: 20 accesses of DRAM, 10 of the slow device at 23/30 of its bandwidth.
      double slowNanos = 640 / (23.0 / 30 * 30 / 110 * 1e9) * 1e9;
      assertThat(clock.nanos()).isEqualTo(Math.round(Math.max(20 * 64, slowNanos)));
      assertThat(memory.stats().traffic().flows()).isEmpty();
      assertThat(memory.stats().slowUses()).isEqualTo(1);
      try {
        memory.create(new AllocationRequest(1 << 20, Hint.FAST));
        throw new AssertionError("a megabyte fitted");
      } catch (DeviceFullException full) {
        assertThat(full).hasMessageContaining("slow");
      }
    }
  }

  /** A load and a store of a line that is not there: one read of it, and the store. */
  @Test
  void argumentChangedInPlace_isReadOnce() throws InterruptedException {
    TwoLevelMemory policy = new TwoLevelMemory("cache", true, TwoLevelCache.Options.DEFAULT);
    TieredMemory devices = Tiers.of(1280, 1 << 16);
    try (PlacedMemory memory = new PlacedMemory(devices, policy, PolicyEnvironment.of(devices))) {
      MemObject object = memory.create(new AllocationRequest(640, Hint.AUTO));
      List<MemObject> one = List.of(object);
      memory.run(new KernelEvent(0, "change", one, one), arguments -> {});
      assertThat(policy.tags().slowReads()).isEqualTo(10);
      assertThat(policy.tags().demands()).isEqualTo(2 * 10);
      assertThat(policy.tags().ownedWrites()).isEqualTo(10);
    }
  }

  @Test
  void retired_withoutM_isFreedAtTheEndOfTheStep() throws InterruptedException {
    try (PlacedMemory memory =
        PlacedTiers.of(ComparedPolicy.TWO_LEVEL_MEMORY.create(), 640, new VirtualClock())) {
      MemObject object = memory.create(new AllocationRequest(640, Hint.AUTO));
      memory.retire(object);
      assertThat(memory.memory().use(SLOW).occupiedBytes()).isEqualTo(640);
      memory.endOfStep();
      assertThat(memory.memory().use(SLOW).occupiedBytes()).isZero();
      assertThat(object.retired()).isTrue();
    }
  }

  @Test
  void aHardwareCache_seesTheWrites() throws Exception {
    TwoLevelMemory policy = new TwoLevelMemory("cache", true, TwoLevelCache.Options.DEFAULT);
    TieredMemory devices = Tiers.of(4096, 1 << 16);
    try (PlacedMemory memory = new PlacedMemory(devices, policy, PolicyEnvironment.of(devices))) {
      memory.run(
          new KernelEvent(0, "make", List.of(), List.of()),
          arguments -> arguments.create(new AllocationRequest(640, Hint.AUTO)));
      // Ordinary stores read their lines first.
      assertThat(policy.tags().demands()).isEqualTo(2 * 10);
    }
  }
}
