package io.idlalayer.middleware.placement;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.PinnedException;
import io.idlalayer.middleware.memory.ReadLease;
import io.idlalayer.middleware.memory.RegionState;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.Traffic;
import io.idlalayer.middleware.memory.WriteLease;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Acceptance vectors of the specification, and what the modes change. */
class CachedArraysTest {
  private final TieredMemory memory = Tiers.of(100, 1000);

  private PlacementPolicy policy(PlacementName name) {
    PlacementPolicy policy = name.create();
    policy.attach(memory, PolicyEnvironment.of(memory, new SplittableRandom(1)));
    return policy;
  }

  private static MemObject make(PlacementPolicy policy, long bytes) throws InterruptedException {
    return policy.allocate(new AllocationRequest(bytes, Hint.AUTO));
  }

  private long up() {
    return memory.traffic().bytes(SLOW, FAST);
  }

  private long down() {
    return memory.traffic().bytes(FAST, SLOW);
  }

  @AfterEach
  void theBooksHold() {
    assertThat(memory.verify(true).problems()).isEmpty();
    assertThat(memory.verify().regionsInFlight()).isZero();
  }

  /** An object on the fast device with a twin on the slow one. */
  private MemObject twin(PlacementPolicy policy, boolean dirty) throws InterruptedException {
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    assertThat(policy.prefetch(object, false)).isTrue();
    if (dirty) {
      Tiers.fill(memory, object, 7);
    }
    return object;
  }

  @Test
  @DisplayName("1.6.2: order X, Y: 0 bytes copied")
  void aCleanVictim_isNotCopied() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject x = twin(policy, false);
    MemObject y = twin(policy, true);
    MemObject z = make(policy, 40);
    assertThat(z.in(FAST)).isTrue();
    assertThat(x.in(SLOW)).isTrue();
    assertThat(y.in(FAST)).isTrue();
    assertThat(down()).isZero();
    assertThat(policy.stats().forcedEvictions()).isEqualTo(1);
    assertThat(policy.stats().cleanEvictions()).isEqualTo(1);
  }

  @Test
  @DisplayName("1.6.2: order Y, X: 40 bytes copied")
  void aDirtyVictim_isCopiedOnce() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject x = twin(policy, false);
    MemObject y = twin(policy, true);
    policy.readUse(x);
    MemObject z = make(policy, 40);
    assertThat(z.in(FAST)).isTrue();
    assertThat(y.in(SLOW)).isTrue();
    assertThat(y.linked(FAST)).isEmpty();
    assertThat(x.in(FAST)).isTrue();
    assertThat(down()).isEqualTo(40);
    assertThat(policy.stats().writtenBackBytes()).isEqualTo(40);
    assertThat(Tiers.read(memory, y)).containsOnly(7);
  }

  @Test
  void whatIsSoftlyEvicted_leavesFirst() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject x = twin(policy, false);
    MemObject y = twin(policy, false);
    policy.softEvict(y);
    assertThat(up()).isEqualTo(80);
    make(policy, 40);
    assertThat(y.in(SLOW)).isTrue();
    assertThat(x.in(FAST)).isTrue();
  }

  @Test
  void whatIsUsedAgain_isNotSoftlyEvictedAnyMore() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject x = twin(policy, false);
    MemObject y = twin(policy, false);
    policy.softEvict(y);
    policy.readUse(y);
    make(policy, 40);
    assertThat(y.in(FAST)).isTrue();
    assertThat(x.in(SLOW)).isTrue();
  }

  @Test
  @DisplayName("1.6.3: prefetch with room")
  void prefetchWithRoom_copies() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    Tiers.fill(memory, object, 3);
    assertThat(policy.prefetch(object, false)).isTrue();
    assertThat(object.in(FAST)).isTrue();
    assertThat(object.linked(SLOW)).isPresent();
    assertThat(up()).isEqualTo(40);
    assertThat(Tiers.read(memory, object)).containsOnly(3);
  }

  @Test
  @DisplayName("1.6.3: prefetch without room")
  void prefetchWithoutRoom_changesNothing() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    MemObject full = make(policy, 100);
    Traffic before = memory.traffic();
    assertThat(policy.prefetch(object, false)).isFalse();
    assertThat(memory.traffic()).isEqualTo(before);
    assertThat(full.in(FAST)).isTrue();
    assertThat(policy.prefetch(object, true)).isTrue();
    assertThat(full.in(SLOW)).isTrue();
  }

  @Test
  void whatIsBeingWritten_isNotFetched() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LMP);
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    try (WriteLease writing = memory.write(object)) {
      assertThat(policy.prefetch(object, true)).isFalse();
      assertThat(writing.region().in(SLOW)).isTrue();
    }
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThat(policy.prefetch(object, true)).isTrue();
  }

  @Test
  @DisplayName("1.6.4: retiring a dirty object")
  void retiringADirtyObject_writesNothing() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject object = twin(policy, true);
    assertThat(policy.retire(object)).isTrue();
    assertThat(policy.retire(object)).isFalse();
    assertThat(down()).isZero();
    assertThat(policy.stats().avoidedWriteBackBytes()).isEqualTo(40);
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThat(memory.use(SLOW).occupiedBytes()).isZero();
  }

  @Test
  @DisplayName("1.6.5: a temporary, L off")
  void aTemporary_costsSlowTrafficOnlyWithoutLocalAllocation() throws InterruptedException {
    PlacementPolicy none = policy(PlacementName.CACHED_ARRAYS_0);
    temporary(none);
    // The compulsory miss, then the write-back of what nobody needs; the large one misses as well.
    assertThat(up()).isEqualTo(10 + 100);
    assertThat(down()).isEqualTo(10);
    assertThat(none.stats().deadWriteBackBytes()).isEqualTo(10);
  }

  @Test
  @DisplayName("1.6.5: a temporary, L on")
  void aTemporary_costsNothingWithLocalAllocationAndRetirement() throws InterruptedException {
    temporary(policy(PlacementName.CACHED_ARRAYS_LM));
    assertThat(up()).isZero();
    assertThat(down()).isZero();
  }

  private void temporary(PlacementPolicy policy) throws InterruptedException {
    MemObject temporary = make(policy, 10);
    Tiers.fill(memory, temporary, 1);
    policy.retire(temporary);
    make(policy, 100);
  }

  @Test
  void withoutRetirement_aCollectionFindsTheDead() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_L);
    for (int i = 0; i < 100; i++) {
      policy.retire(make(policy, 90));
    }
    assertThat(memory.use(SLOW).occupiedBytes()).isLessThanOrEqualTo(900);
    assertThat(policy.stats().deadWriteBackBytes()).isPositive();
  }

  @Test
  void whatDoesNotFitFast_isMadeSlow() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LMP);
    MemObject pinned = make(policy, 30);
    memory.pin(pinned);
    MemObject large = make(policy, 90);
    assertThat(large.in(SLOW)).isTrue();
    assertThat(policy.stats().fallbacks()).isEqualTo(1);
    assertThat(policy.prefetch(large, true)).isFalse();
    assertThatThrownBy(() -> policy.evict(pinned)).isInstanceOf(PinnedException.class);
    assertThatThrownBy(() -> make(policy, 2000)).isInstanceOf(DeviceFullException.class);
    memory.unpin(pinned);
    assertThat(policy.prefetch(large, true)).isTrue();
    assertThat(pinned.in(SLOW)).isTrue();
  }

  @Test
  void aFullSlowDevice_letsTheFastOneKeepItsObjects() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LMP);
    MemObject fast = make(policy, 100);
    policy.allocate(new AllocationRequest(1000, Hint.SLOW));
    assertThatThrownBy(() -> make(policy, 50)).isInstanceOf(DeviceFullException.class);
    assertThat(fast.in(FAST)).isTrue();
  }

  @Test
  void aKernelsArguments_doNotDisplaceEachOther() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LMP);
    MemObject a = policy.allocate(new AllocationRequest(50, Hint.SLOW));
    MemObject b = policy.allocate(new AllocationRequest(50, Hint.SLOW));
    MemObject c = make(policy, 60);
    policy.beforeKernel(new KernelEvent(0, "add", List.of(a), List.of(b)));
    assertThat(a.in(FAST)).isTrue();
    assertThat(b.in(FAST)).isTrue();
    assertThat(c.in(SLOW)).isTrue();
    MemObject large = policy.allocate(new AllocationRequest(90, Hint.SLOW));
    policy.beforeKernel(new KernelEvent(0, "add", List.of(a), List.of(large)));
    assertThat(a.in(FAST)).isTrue();
    assertThat(large.in(SLOW)).isTrue();
  }

  private CachedArrays withoutTwins() {
    CachedArrays policy =
        new CachedArrays(
            new CachedArrays.Options(
                "tight",
                true,
                true,
                CachedArrays.Prefetch.FORCED,
                CachedArrays.Victims.OLDEST,
                false,
                false,
                true));
    policy.attach(memory, PolicyEnvironment.of(memory, new SplittableRandom(1)));
    return policy;
  }

  @Test
  void droppingTheTwin_savesSlowBytes() throws InterruptedException {
    CachedArrays policy = withoutTwins();
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    Tiers.fill(memory, object, 5);
    policy.prefetch(object, true);
    assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    policy.evict(object);
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(5);
  }

  @Test
  void aTwinThatIsRead_goesWithItsLastReader() throws InterruptedException {
    CachedArrays policy = withoutTwins();
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    Tiers.fill(memory, object, 5);
    try (ReadLease reading = memory.read(object)) {
      assertThat(policy.prefetch(object, true)).isTrue();
      assertThat(object.unlinked()).isTrue();
      assertThat(reading.region().state()).isEqualTo(RegionState.QUARANTINE);
      assertThat(reading.bytes().get(39)).isEqualTo((byte) 5);
      assertThat(memory.use(SLOW).occupiedBytes()).isEqualTo(40);
    }
    assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(5);
  }

  @Test
  void withoutATwin_aFullSlowDeviceKeepsTheObjectFast() throws InterruptedException {
    CachedArrays policy = withoutTwins();
    MemObject object = policy.allocate(new AllocationRequest(40, Hint.SLOW));
    Tiers.fill(memory, object, 5);
    policy.prefetch(object, true);
    MemObject rest = policy.allocate(new AllocationRequest(1000, Hint.SLOW));
    assertThatThrownBy(() -> policy.evict(object)).isInstanceOf(DeviceFullException.class);
    assertThat(object.in(FAST)).isTrue();
    assertThat(Tiers.read(memory, object)).containsOnly(5);
    policy.retire(rest);
    policy.evict(object);
    assertThat(object.in(SLOW)).isTrue();
    // What is fast already, somebody else has moved: the region that was meant for it is freed.
    Tiers.promote(memory, object);
    assertThat(policy.prefetch(object, true)).isTrue();
    assertThat(object.linked(SLOW)).isPresent();
  }

  @Test
  void atTheEndOfAStep_freeRoomIsPutTogetherIfItWasMissed() throws InterruptedException {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LM);
    MemObject[] objects = new MemObject[10];
    for (int i = 0; i < objects.length; i++) {
      objects[i] = make(policy, 10);
      Tiers.fill(memory, objects[i], i);
    }
    for (int i = 0; i < objects.length; i += 2) {
      policy.retire(objects[i]);
    }
    assertThat(memory.use(FAST).fragmentation()).isGreaterThan(0.7);
    policy.endOfStep();
    assertThat(memory.traffic().bytes(FAST, FAST)).isZero();
    MemObject large = make(policy, 20);
    assertThat(policy.stats().forcedEvictions()).isEqualTo(1);
    policy.retire(large);
    policy.endOfStep();
    assertThat(memory.use(FAST).fragmentation()).isZero();
    assertThat(memory.traffic().bytes(FAST, FAST)).isPositive();
    long moved = memory.traffic().bytes(FAST, FAST);
    policy.endOfStep();
    assertThat(memory.traffic().bytes(FAST, FAST)).isEqualTo(moved);
    for (int i = 1; i < objects.length; i += 2) {
      assertThat(Tiers.read(memory, objects[i])).containsOnly(i);
    }
  }

  @Test
  @DisplayName("1.6.8: a budget below the largest tensor")
  void aBudgetBelowTheLargestObject_isNoHarm() throws InterruptedException {
    memory.setBudget(FAST, 50);
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS_LMP);
    MemObject small = make(policy, 30);
    MemObject large = make(policy, 60);
    assertThat(large.in(SLOW)).isTrue();
    assertThat(small.in(FAST)).isTrue();
    policy.beforeKernel(new KernelEvent(0, "add", List.of(small), List.of(large)));
    assertThat(large.in(SLOW)).isTrue();
    PlacementPolicy fastOnly = policy(PlacementName.ALL_FAST);
    assertThatThrownBy(() -> make(fastOnly, 60))
        .isInstanceOfSatisfying(
            DeviceFullException.class, full -> assertThat(full.requestedBytes()).isEqualTo(60));
  }

  @Test
  void attach_twice_isRefused() {
    PlacementPolicy policy = policy(PlacementName.CACHED_ARRAYS);
    assertThatThrownBy(
            () -> policy.attach(memory, PolicyEnvironment.of(memory, new SplittableRandom(1))))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> make(PlacementName.ALL_FAST.create(), 1))
        .isInstanceOf(IllegalStateException.class);
  }
}
