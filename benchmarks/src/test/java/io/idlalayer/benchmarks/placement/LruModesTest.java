package io.idlalayer.benchmarks.placement;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Acceptance vectors of the specification on a memory, and what the modes change. */
class LruModesTest {
  private final TieredMemory memory = Tiers.of(100, 1000);

  private PlacedMemory placed(ComparedPolicy name) {
    return new PlacedMemory(memory, name.create(), PolicyEnvironment.of(memory));
  }

  private static MemObject make(PlacedMemory placed, long bytes) throws InterruptedException {
    return placed.create(new AllocationRequest(bytes, Hint.AUTO));
  }

  private static MemObject slow(PlacedMemory placed, long bytes) throws InterruptedException {
    return placed.create(new AllocationRequest(bytes, Hint.SLOW));
  }

  private static void read(PlacedMemory placed, MemObject... objects) throws InterruptedException {
    placed.run(new KernelEvent(0, "read", List.of(objects), List.of()), arguments -> {});
  }

  private static PolicyStats stats(PlacedMemory placed) {
    return placed.stats().policy();
  }

  private long up() {
    return memory.traffic().bytes(SLOW, FAST);
  }

  private long down() {
    return memory.traffic().bytes(FAST, SLOW);
  }

  @AfterEach
  void memory_isSound() {
    assertThat(memory.verify(true).problems()).isEmpty();
    assertThat(memory.verify().regionsInFlight()).isZero();
  }

  /** An object on the fast device with a twin on the slow one. */
  private MemObject twin(PlacedMemory placed, boolean dirty) throws InterruptedException {
    MemObject object = slow(placed, 40);
    assertThat(Tiers.promote(memory, object)).isTrue();
    read(placed, object);
    if (dirty) {
      Tiers.fill(memory, object, 7);
    }
    return object;
  }

  @Test
  @DisplayName("1.6.2: order X, Y: 0 bytes copied")
  void cleanVictim_isNotCopied() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    MemObject x = twin(placed, false);
    MemObject y = twin(placed, true);
    MemObject z = make(placed, 40);
    assertThat(z.in(FAST)).isTrue();
    assertThat(x.in(SLOW)).isTrue();
    assertThat(y.in(FAST)).isTrue();
    assertThat(down()).isZero();
    assertThat(stats(placed).forcedEvictions()).isEqualTo(1);
    assertThat(stats(placed).cleanEvictions()).isEqualTo(1);
  }

  @Test
  @DisplayName("1.6.2: order Y, X: 40 bytes copied")
  void dirtyVictim_isCopiedOnce() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    MemObject x = twin(placed, false);
    MemObject y = twin(placed, true);
    read(placed, x);
    MemObject z = make(placed, 40);
    assertThat(z.in(FAST)).isTrue();
    assertThat(y.in(SLOW)).isTrue();
    assertThat(y.linked(FAST)).isEmpty();
    assertThat(x.in(FAST)).isTrue();
    assertThat(down()).isEqualTo(40);
    assertThat(stats(placed).writtenBackBytes()).isEqualTo(40);
    assertThat(Tiers.read(memory, y)).containsOnly(7);
  }

  @Test
  void softlyEvicted_leavesFirst() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    MemObject x = twin(placed, false);
    MemObject y = twin(placed, false);
    placed.softEvict(y);
    make(placed, 40);
    assertThat(y.in(SLOW)).isTrue();
    assertThat(x.in(FAST)).isTrue();
  }

  @Test
  void usedAgain_isNotSoftlyEvictedAnyMore() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    MemObject x = twin(placed, false);
    MemObject y = twin(placed, false);
    placed.softEvict(y);
    read(placed, y);
    make(placed, 40);
    assertThat(y.in(FAST)).isTrue();
    assertThat(x.in(SLOW)).isTrue();
  }

  @Test
  @DisplayName("1.6.3: prefetch with space")
  void fetch_withSpace_copies() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LMP);
    MemObject object = slow(placed, 40);
    Tiers.fill(memory, object, 3);
    read(placed, object);
    assertThat(object.in(FAST)).isTrue();
    assertThat(object.linked(SLOW)).isPresent();
    assertThat(up()).isEqualTo(40);
    assertThat(stats(placed).prefetches()).isOne();
    assertThat(Tiers.read(memory, object)).containsOnly(3);
  }

  @Test
  void fetch_withoutSpace_displacesOthers() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LMP);
    MemObject object = slow(placed, 40);
    MemObject full = make(placed, 100);
    read(placed, object);
    assertThat(object.in(FAST)).isTrue();
    assertThat(full.in(SLOW)).isTrue();
  }

  @Test
  @DisplayName("0a: with P off nothing is prefetched, whatever space there is")
  void withoutP_nothingIsFetched() throws InterruptedException {
    for (ComparedPolicy name :
        List.of(
            ComparedPolicy.CACHED_ARRAYS_0,
            ComparedPolicy.CACHED_ARRAYS_L,
            ComparedPolicy.CACHED_ARRAYS_LM)) {
      PlacedMemory placed = placed(name);
      MemObject object = slow(placed, 40);
      read(placed, object);
      assertThat(object.in(SLOW)).isTrue();
      assertThat(up()).isZero();
      placed.retire(object);
      placed.endOfStep();
    }
  }

  @Test
  @DisplayName("1.6.4: retiring a dirty object")
  void retire_dirtyObject_writesNothing() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    MemObject object = twin(placed, true);
    assertThat(placed.retire(object)).isTrue();
    assertThat(placed.retire(object)).isFalse();
    assertThat(down()).isZero();
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThat(memory.use(SLOW).occupiedBytes()).isZero();
  }

  @Test
  void avoidedWriteBacks_countOnlyWhereSomethingHadToLeave() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    placed.retire(make(placed, 40));
    assertThat(stats(placed).avoidedWriteBackBytes()).isZero();
    MemObject old = make(placed, 80);
    MemObject dead = make(placed, 80);
    assertThat(old.in(SLOW)).isTrue();
    placed.retire(dead);
    assertThat(stats(placed).avoidedWriteBackBytes()).isEqualTo(80);
    placed.endOfStep();
    placed.retire(make(placed, 40));
    assertThat(stats(placed).avoidedWriteBackBytes()).isEqualTo(80);
  }

  @Test
  @DisplayName("1.6.5: a temporary, L off")
  void temporary_withoutLocalAllocation_costsSlowTraffic() throws InterruptedException {
    PlacedMemory none = placed(ComparedPolicy.CACHED_ARRAYS_0);
    temporary(none);
    // The compulsory miss, then the write-back of unneeded data; the large one misses as well.
    assertThat(up()).isEqualTo(10 + 100);
    assertThat(down()).isEqualTo(10);
    assertThat(stats(none).deadWriteBackBytes()).isEqualTo(10);
  }

  @Test
  @DisplayName("1.6.5: a temporary, L on")
  void temporary_withLocalAllocationAndRetirement_costsNothing() throws InterruptedException {
    temporary(placed(ComparedPolicy.CACHED_ARRAYS_LM));
    assertThat(up()).isZero();
    assertThat(down()).isZero();
  }

  private void temporary(PlacedMemory placed) throws InterruptedException {
    MemObject temporary = make(placed, 10);
    Tiers.fill(memory, temporary, 1);
    placed.retire(temporary);
    make(placed, 100);
  }

  @Test
  void withoutRetirement_aCollectionFindsTheDead() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_L);
    for (int i = 0; i < 100; i++) {
      placed.retire(make(placed, 90));
    }
    assertThat(memory.use(SLOW).occupiedBytes()).isLessThanOrEqualTo(900);
    assertThat(stats(placed).deadWriteBackBytes()).isPositive();
  }

  @Test
  @DisplayName("0a: in modes 0 and L garbage is collected after each iteration")
  void withoutRetirement_theEndOfAStepFreesTheDead() throws InterruptedException {
    for (ComparedPolicy name :
        List.of(ComparedPolicy.CACHED_ARRAYS_0, ComparedPolicy.CACHED_ARRAYS_L)) {
      PlacedMemory placed = placed(name);
      MemObject object = make(placed, 40);
      assertThat(placed.retire(object)).isTrue();
      assertThat(placed.retire(object)).isFalse();
      assertThat(memory.objects()).hasSize(1);
      placed.endOfStep();
      assertThat(memory.objects()).isEmpty();
      assertThat(placed.retire(object)).isFalse();
      assertThat(stats(placed).avoidedWriteBackBytes()).isZero();
    }
  }

  @Test
  void tooLargeForWhatMayLeave_isMadeSlow() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LMP);
    MemObject pinned = make(placed, 30);
    memory.pin(pinned);
    MemObject large = make(placed, 90);
    assertThat(large.in(SLOW)).isTrue();
    assertThat(stats(placed).fallbacks()).isEqualTo(1);
    read(placed, large);
    assertThat(large.in(SLOW)).isTrue();
    assertThatThrownBy(() -> make(placed, 2000)).isInstanceOf(DeviceFullException.class);
    memory.unpin(pinned);
    read(placed, large);
    assertThat(large.in(FAST)).isTrue();
    assertThat(pinned.in(SLOW)).isTrue();
  }

  @Test
  void fullSlowDevice_letsTheFastOneKeepItsObjects() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LMP);
    MemObject fast = make(placed, 100);
    slow(placed, 1000);
    assertThatThrownBy(() -> make(placed, 50)).isInstanceOf(DeviceFullException.class);
    assertThat(fast.in(FAST)).isTrue();
  }

  @Test
  void fullSlowDevice_withoutM_isCollectedForTheRequest() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_L);
    MemObject dead = make(placed, 60);
    placed.retire(dead);
    MemObject rest = slow(placed, 790);
    MemObject filling = slow(placed, 210);
    MemObject wanted = make(placed, 60);
    assertThat(wanted.in(FAST)).isTrue();
    assertThat(dead.retired()).isTrue();
    assertThat(rest.retired() || filling.retired()).isFalse();
  }

  @Test
  void aKernelsArguments_doNotDisplaceEachOther() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LMP);
    MemObject a = slow(placed, 50);
    MemObject b = slow(placed, 50);
    MemObject c = make(placed, 60);
    placed.run(new KernelEvent(0, "add", List.of(a), List.of(b)), arguments -> {});
    assertThat(a.in(FAST)).isTrue();
    assertThat(b.in(FAST)).isTrue();
    assertThat(c.in(SLOW)).isTrue();
    MemObject large = slow(placed, 90);
    placed.run(new KernelEvent(0, "add", List.of(a), List.of(large)), arguments -> {});
    assertThat(a.in(FAST)).isTrue();
    assertThat(large.in(SLOW)).isTrue();
  }

  @Test
  void endOfAStep_freeSpaceThatWasMissed_isPutTogether() throws InterruptedException {
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LM);
    MemObject[] objects = new MemObject[10];
    for (int i = 0; i < objects.length; i++) {
      objects[i] = make(placed, 10);
      Tiers.fill(memory, objects[i], i);
    }
    for (int i = 0; i < objects.length; i += 2) {
      placed.retire(objects[i]);
    }
    assertThat(memory.use(FAST).fragmentation()).isGreaterThan(0.7);
    placed.endOfStep();
    assertThat(memory.traffic().bytes(FAST, FAST)).isZero();
    MemObject large = make(placed, 20);
    assertThat(stats(placed).forcedEvictions()).isEqualTo(1);
    placed.retire(large);
    placed.endOfStep();
    assertThat(memory.use(FAST).fragmentation()).isZero();
    assertThat(memory.traffic().bytes(FAST, FAST)).isPositive();
    long moved = memory.traffic().bytes(FAST, FAST);
    placed.endOfStep();
    assertThat(memory.traffic().bytes(FAST, FAST)).isEqualTo(moved);
    for (int i = 1; i < objects.length; i += 2) {
      assertThat(Tiers.read(memory, objects[i])).containsOnly(i);
    }
  }

  @Test
  @DisplayName("1.6.8: a budget below the largest tensor")
  void budgetBelowTheLargestObject_isNoHarm() throws InterruptedException {
    memory.setBudget(FAST, 50);
    PlacedMemory placed = placed(ComparedPolicy.CACHED_ARRAYS_LMP);
    MemObject small = make(placed, 30);
    MemObject large = make(placed, 60);
    assertThat(large.in(SLOW)).isTrue();
    assertThat(small.in(FAST)).isTrue();
    placed.run(new KernelEvent(0, "add", List.of(small), List.of(large)), arguments -> {});
    assertThat(large.in(SLOW)).isTrue();
    PlacedMemory fastOnly = placed(ComparedPolicy.ALL_FAST);
    assertThatThrownBy(() -> make(fastOnly, 60))
        .isInstanceOfSatisfying(
            DeviceFullException.class, full -> assertThat(full.requestedBytes()).isEqualTo(60));
  }
}
