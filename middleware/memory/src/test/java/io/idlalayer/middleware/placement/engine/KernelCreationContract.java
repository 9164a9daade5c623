package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ObjectAccess;
import io.idlalayer.middleware.memory.object.PinnedException;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kernels that create objects while they run, and kernels that their callers run. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class KernelCreationContract {
  static final long FAST_BYTES = 4096;
  static final long SLOW_BYTES = 1 << 18;

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  private static PlacedMemory placed(PolicyCase policy) {
    long fast = policy.allFast() ? 1 << 16 : FAST_BYTES;
    return PlacedTiers.of(policy.create(), fast, SLOW_BYTES, new VirtualClock());
  }

  static AllocationRequest request(int bytes) {
    return new AllocationRequest(bytes, Hint.AUTO);
  }

  static void sound(PlacedMemory memory) {
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
  @MethodSource("policies")
  void bytesAreTheSame_whateverMoves(PolicyCase policy) throws Exception {
    long expected;
    try (PlacedMemory memory =
        PlacedTiers.of(
            PlacementName.ALL_FAST.unplanned(), 1 << 16, SLOW_BYTES, new VirtualClock())) {
      expected = chain(memory);
    }
    try (PlacedMemory memory = placed(policy)) {
      assertThat(chain(memory)).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void aCreatedObject_isCountedAsWritten_andStaysWhileTheKernelRuns(PolicyCase policy)
      throws Exception {
    try (PlacedMemory memory = placed(policy)) {
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

  @ParameterizedTest
  @MethodSource("policies")
  void aFailureInside_leavesTheObjectsToTheCaller(PolicyCase policy) throws Exception {
    try (PlacedMemory memory = placed(policy)) {
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
}
