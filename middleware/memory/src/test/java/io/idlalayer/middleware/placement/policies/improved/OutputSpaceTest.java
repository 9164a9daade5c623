package io.idlalayer.middleware.placement.policies.improved;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.WriteLease;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacedTiers;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A fast device of 1,024 bytes, one a nanosecond; the slow one reads one in 3.7 and writes one in
 * 10, kernels store one in 30.
 */
class OutputSpaceTest {
  private static final long LONG_NANOS = 100_000;

  private static PlacedMemory memory() {
    return PlacedTiers.of(PlacementName.CACHED_ARRAYS.unplanned(), 1024, new VirtualClock());
  }

  private static MemObject lasting(PlacedMemory memory, long bytes) throws InterruptedException {
    MemObject made = memory.create(new AllocationRequest(bytes, Hint.AUTO));
    try (WriteLease lease = memory.memory().write(made)) {
      lease.bytes().put(0, (byte) 7);
    }
    return made;
  }

  /** A kernel whose output ends with its step; whether that was fast. */
  private static boolean step(
      PlacedMemory memory, List<MemObject> reads, List<MemObject> writes, long bytes, long nanos)
      throws InterruptedException {
    MemObject[] made = new MemObject[1];
    memory.run(
        new KernelEvent(0, "k", reads, writes, nanos),
        arguments -> made[0] = arguments.create(new AllocationRequest(bytes, Hint.AUTO, 0)));
    boolean fast = made[0].in(FAST);
    memory.retire(made[0]);
    memory.endOfStep();
    assertThat(memory.memory().verify(true).problems()).isEmpty();
    return fast;
  }

  private static int fastOutputs(
      PlacedMemory memory, List<MemObject> reads, List<MemObject> writes, long bytes, long nanos)
      throws InterruptedException {
    int fast = 0;
    for (int i = 0; i < 50; i++) {
      fast += step(memory, reads, writes, bytes, nanos) ? 1 : 0;
    }
    return fast;
  }

  @Test
  void anArgumentThatIsOnlyRead_leavesForTheOutput() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject weights = lasting(memory, 600);
      assertThat(step(memory, List.of(weights), List.of(), 600, LONG_NANOS)).isFalse();
      assertThat(weights.in(FAST)).isTrue();
      assertThat(step(memory, List.of(weights), List.of(), 600, LONG_NANOS)).isTrue();
      assertThat(weights.in(FAST)).isFalse();
      // But for some trials of the learner.
      assertThat(fastOutputs(memory, List.of(weights), List.of(), 600, LONG_NANOS))
          .isGreaterThan(45);
    }
  }

  @Test
  void anArgumentThatIsWritten_stays() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject weights = lasting(memory, 600);
      List<MemObject> both = List.of(weights);
      assertThat(fastOutputs(memory, both, both, 600, LONG_NANOS)).isZero();
      assertThat(weights.in(FAST)).isTrue();
    }
  }

  @Test
  void whatWouldTakeLonger_isNotDone() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject weights = lasting(memory, 900);
      // 130 bytes are stored in 3,900 ns; 900 copied in 9,000 and read in 3,300.
      assertThat(fastOutputs(memory, List.of(weights), List.of(), 130, 1)).isZero();
      assertThat(weights.in(FAST)).isTrue();
    }
  }

  @Test
  void outputNeedsTheSpaceOfOneArgument_onlyOneLeaves() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject first = lasting(memory, 300);
      MemObject second = lasting(memory, 300);
      List<MemObject> reads = List.of(first, second);
      assertThat(step(memory, reads, List.of(), 600, LONG_NANOS)).isFalse();
      assertThat(step(memory, reads, List.of(), 600, LONG_NANOS)).isTrue();
      assertThat(first.in(FAST)).isNotEqualTo(second.in(FAST));
    }
  }

  @Test
  void anArgumentThatOthersUse_stays() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject weights = lasting(memory, 600);
      memory.memory().pin(weights);
      assertThat(fastOutputs(memory, List.of(weights), List.of(), 600, LONG_NANOS)).isZero();
      memory.memory().unpin(weights);
      assertThat(step(memory, List.of(weights), List.of(), 600, LONG_NANOS)).isTrue();
    }
  }

  @Test
  void whereTheSlowDeviceIsFull_theArgumentStays() throws Exception {
    try (PlacedMemory memory =
        PlacedTiers.of(PlacementName.CACHED_ARRAYS.unplanned(), 1024, 1200, new VirtualClock())) {
      MemObject weights = lasting(memory, 600);
      MemObject filling = memory.create(new AllocationRequest(600, Hint.SLOW));
      assertThat(step(memory, List.of(weights), List.of(), 600, LONG_NANOS)).isFalse();
      MemObject more = memory.create(new AllocationRequest(600, Hint.SLOW));
      List<MemObject> reads = List.of(weights);
      memory.run(new KernelEvent(0, "k", reads, List.of(), LONG_NANOS), arguments -> {});
      assertThat(weights.in(FAST)).isTrue();
      memory.retire(filling);
      memory.retire(more);
    }
  }

  @Test
  void freeRoomThatArgumentsScatter_isPutTogether() throws Exception {
    try (PlacedMemory memory = memory()) {
      MemObject before = lasting(memory, 100);
      MemObject between = lasting(memory, 100);
      MemObject argument = lasting(memory, 100);
      memory.retire(before);
      memory.retire(between);
      // 724 bytes lie together, 824 would.
      assertThat(memory.memory().use(FAST).largestFreeBytes()).isEqualTo(724);
      assertThat(step(memory, List.of(argument), List.of(), 800, LONG_NANOS)).isFalse();
      assertThat(fastOutputs(memory, List.of(argument), List.of(), 800, LONG_NANOS)).isEqualTo(50);
      assertThat(argument.in(FAST)).isTrue();
    }
  }
}
