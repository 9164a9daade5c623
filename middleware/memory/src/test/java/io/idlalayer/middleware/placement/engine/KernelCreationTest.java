package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.MemoryClock;
import io.idlalayer.middleware.memory.ObjectAccess;
import io.idlalayer.middleware.memory.PinnedException;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.policies.twolevel.TwoLevelCache;
import io.idlalayer.middleware.placement.policies.twolevel.TwoLevelMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels that create objects while they run, and kernels that their callers run. */
class KernelCreationTest {
  private static final long FAST_BYTES = 4096;

  private static PlacedMemory placed(PlacementName name) {
    return placed(name, new VirtualClock());
  }

  private static PlacedMemory placed(PlacementName name, MemoryClock clock) {
    long fast = name == PlacementName.ALL_FAST ? 1 << 16 : FAST_BYTES;
    return PlacementContractTest.placed(name, fast, 1 << 18, clock);
  }

  private static AllocationRequest request(int bytes) {
    return new AllocationRequest(bytes, Hint.AUTO);
  }

  private static void sound(PlacedMemory memory) {
    assertThat(memory.memory().verify(true).problems()).isEmpty();
    assertThat(memory.memory().verify().regionsInFlight()).isZero();
    assertThat(memory.memory().verify().quarantined()).isZero();
  }

  /** A chain of kernels, each of which reads the last ones' objects and creates its own. */
  private static long chain(PlacedMemory memory) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(5);
    List<MemObject> alive = new ArrayList<>();
    CRC32 digest = new CRC32();
    for (int step = 0; step < 60; step++) {
      int bytes = 100 + random.nextInt(900);
      int fill = step;
      List<MemObject> made = new ArrayList<>();
      List<MemObject> reads = List.copyOf(alive);
      memory.run(
          new KernelEvent(step % 6, "link", reads, List.of()),
          arguments -> {
            for (int i = 0; i < 2; i++) {
              MemObject object = arguments.create(request(bytes));
              made.add(object);
              ByteBuffer out = arguments.bytes(object);
              for (int at = 0; at < bytes; at++) {
                out.put(at, (byte) (at * 31 + fill + i));
              }
              for (MemObject read : reads) {
                out.put(0, (byte) (7 * out.get(0) + arguments.bytes(read).get(bytes % 100)));
              }
            }
            reads.forEach(read -> digest.update(arguments.bytes(read)));
          });
      alive.add(made.get(0));
      memory.retire(made.get(1));
      memory.softEvict(made.get(0));
      if (alive.size() > 4) {
        memory.retire(alive.remove(random.nextInt(4)));
      }
      sound(memory);
    }
    for (MemObject object : alive) {
      memory.retire(object);
    }
    return digest.getValue();
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void bytesAreTheSame_whateverMoves(PlacementName name) throws Exception {
    long expected;
    try (PlacedMemory memory = placed(PlacementName.ALL_FAST)) {
      expected = chain(memory);
    }
    try (PlacedMemory memory = placed(name)) {
      assertThat(chain(memory)).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void aCreatedObject_isCountedAsWritten_andStaysWhileTheKernelRuns(PlacementName name)
      throws Exception {
    try (PlacedMemory memory = placed(name)) {
      PlacementStats before = memory.stats();
      List<MemObject> made = new ArrayList<>();
      memory.run(
          new KernelEvent(0, "make", List.of(), List.of()),
          arguments -> {
            MemObject object = arguments.create(request(512));
            made.add(object);
            assertThat(object.access()).isEqualTo(ObjectAccess.READ_WRITE);
            assertThat(arguments.bytes(object).isReadOnly()).isFalse();
            if (object.in(FAST)) {
              assertThatThrownBy(() -> memory.memory().move(object).close())
                  .isInstanceOf(PinnedException.class);
            }
          });
      MemObject object = made.get(0);
      assertThat(object.access()).isEqualTo(ObjectAccess.NOT_BUSY);
      assertThat(object.pinned()).isFalse();
      PlacementStats after = memory.stats();
      boolean fast = object.in(FAST);
      assertThat(after.fastUses() - before.fastUses()).isEqualTo(fast ? 1 : 0);
      assertThat(after.slowUses() - before.slowUses()).isEqualTo(fast ? 0 : 1);
      assertThat(after.slowWrittenBytes() - before.slowWrittenBytes()).isEqualTo(fast ? 0 : 512);
      memory.retire(object);
      sound(memory);
    }
  }

  @Test
  void aHardwareCache_seesTheWrites() throws Exception {
    TwoLevelMemory policy = new TwoLevelMemory("cache", true, TwoLevelCache.Options.DEFAULT);
    TieredMemory devices = Tiers.of(FAST_BYTES, 1 << 16);
    try (PlacedMemory memory = new PlacedMemory(devices, policy, PolicyEnvironment.of(devices))) {
      memory.run(
          new KernelEvent(0, "make", List.of(), List.of()),
          arguments -> arguments.create(request(640)));
      // Ordinary stores read their lines first.
      assertThat(policy.tags().demands()).isEqualTo(2 * 10);
    }
  }

  @Test
  void slowWritesCost_andAllocationsDoNot() throws Exception {
    VirtualClock clock = new VirtualClock();
    try (PlacedMemory memory = placed(PlacementName.ALL_SLOW, clock)) {
      long start = clock.nanos();
      memory.run(
          new KernelEvent(0, "make", List.of(), List.of(), 1000),
          arguments -> arguments.create(request(100_000)));
      assertThat(clock.nanos() - start).isGreaterThan(1000);
      assertThat(memory.stats().computeNanos()).isEqualTo(clock.nanos() - start);
    }
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS_LM, clock)) {
      MemObject old = memory.create(request(3000));
      memory.run(new KernelEvent(0, "fill", List.of(), List.of(old), 1000), arguments -> {});
      PlacementStats before = memory.stats();
      memory.run(
          new KernelEvent(1, "make", List.of(), List.of(), 1000),
          arguments -> arguments.create(request(3000)));
      assertThat(memory.stats().policy().forcedEvictions()).isOne();
      assertThat(memory.stats().computeNanos() - before.computeNanos()).isEqualTo(1000);
      assertThat(memory.stats().stallNanos()).isGreaterThan(before.stallNanos());
    }
  }

  @Test
  void theKernelsOwnArguments_areNotDisplaced() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS_LMP)) {
      MemObject argument = memory.create(request(3000));
      List<MemObject> made = new ArrayList<>();
      memory.run(
          new KernelEvent(0, "full", List.of(argument), List.of()),
          arguments -> {
            made.add(arguments.create(request(3000)));
            assertThat(arguments.region(argument).in(FAST)).isTrue();
            assertThat(argument.in(FAST)).isTrue();
          });
      assertThat(made.get(0).in(FAST)).isFalse();
      assertThat(memory.stats().policy().fallbacks()).isOne();
    }
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void aFailureInside_leavesTheObjectsToTheCaller(PlacementName name) throws Exception {
    try (PlacedMemory memory = placed(name)) {
      List<MemObject> made = new ArrayList<>();
      assertThatThrownBy(
              () ->
                  memory.run(
                      new KernelEvent(0, "dies", List.of(), List.of()),
                      arguments -> {
                        made.add(arguments.create(request(100)));
                        made.add(arguments.create(request(1 << 20)));
                      }))
          .isInstanceOf(DeviceFullException.class);
      assertThat(made).hasSize(1);
      assertThat(made.get(0).access()).isEqualTo(ObjectAccess.NOT_BUSY);
      assertThat(memory.retire(made.get(0))).isTrue();
      sound(memory);
    }
  }

  @Test
  void aKernelThatItsCallerRuns_isTheSameKernel() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS)) {
      MemObject object = memory.create(request(100));
      RunningKernel running = memory.start(new KernelEvent(0, "begun", List.of(), List.of(object)));
      KernelArguments arguments = running.arguments();
      arguments.bytes(object).put(0, (byte) 3);
      MemObject made = arguments.create(request(50));
      running.finish();
      running.close();
      assertThat(memory.stats().kernels()).isOne();
      assertThat(memory.stats().fastUses() + memory.stats().slowUses()).isEqualTo(2);
      assertThatThrownBy(running::finish).hasMessageContaining("begun");
      assertThatThrownBy(() -> arguments.create(request(50))).hasMessageContaining("ended");
      memory.run(
          new KernelEvent(1, "look", List.of(object, made), List.of()),
          later -> assertThat(later.bytes(object).get(0)).isEqualTo((byte) 3));
      memory.start(new KernelEvent(2, "dropped", List.of(), List.of(object))).close();
      assertThat(object.access()).isEqualTo(ObjectAccess.NOT_BUSY);
      sound(memory);
    }
  }
}
