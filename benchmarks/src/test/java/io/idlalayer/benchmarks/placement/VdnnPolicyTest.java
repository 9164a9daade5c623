package io.idlalayer.benchmarks.placement;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VdnnPolicyTest {
  private final VirtualClock clock = new VirtualClock();

  private PlacedMemory placed(ComparedPolicy name, long fastBytes) {
    DeviceSpec fast =
        new DeviceSpec("fast", DeviceKind.FAST, fastBytes, 64, DeviceSpeed.symmetric(1e15, 0));
    DeviceSpec slow =
        new DeviceSpec("slow", DeviceKind.SLOW, 1L << 30, 64, DeviceSpeed.symmetric(16e9, 0));
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, new HollowArena(fast)),
                new TieredMemory.Tier(slow, new HollowArena(slow))),
            MemorySettings.DEFAULT,
            clock);
    return new PlacedMemory(memory, name.create(), PolicyEnvironment.of(memory));
  }

  private static TaskGraph convolutions(int layers) {
    String[] operations = new String[layers];
    Arrays.fill(operations, "conv");
    return VdnnPlannerTest.chain(operations);
  }

  /**
   * Layers of 1 ms forward, 2 ms backward and 30 MB of input, 16 GB/s between the devices: the
   * overlay pays 0.875 ms for each offloaded layer, and nothing in the backward pass.
   */
  @ParameterizedTest
  @CsvSource({
    "VDNN_ALL, 2, 6875000",
    "VDNN_ALL, 4, 14625000",
    "VDNN_CONV, 4, 14625000",
    "VDNN_DYN, 4, 12000000",
    "ALL_FAST, 4, 12000000"
  })
  void toyNetworks_takeThePapersTime(ComparedPolicy name, int layers, long nanos)
      throws InterruptedException {
    TaskGraph graph = convolutions(layers);
    try (PlacedMemory memory = placed(name, 1L << 28);
        TraceReplay replay = new TraceReplay(graph, memory, false, true)) {
      for (int step = 0; step < 2; step++) {
        long start = clock.nanos();
        replay.step();
        assertThat(clock.nanos() - start).isEqualTo(nanos);
      }
      long moved = name == ComparedPolicy.VDNN_ALL ? (layers - 1) * 30_000_000L * 2 : -1;
      if (moved >= 0) {
        assertThat(memory.memory().traffic().bytes(FAST, SLOW)).isEqualTo(moved);
        assertThat(memory.memory().traffic().bytes(SLOW, FAST)).isEqualTo(moved);
      }
      assertThat(memory.stats().policy().planMismatches()).isZero();
      assertThat(memory.stats().policy().failedCopiesAhead()).isZero();
    }
  }

  @Test
  void otherKernelsThanPlanned_areCountedAndRunUnplanned() throws InterruptedException {
    TaskGraph graph = convolutions(3);
    try (PlacedMemory memory = placed(ComparedPolicy.VDNN_ALL, 1L << 28)) {
      memory.beginStep(graph);
      MemObject x = memory.create(new AllocationRequest(30_000_000, Hint.AUTO, 0, "x0"));
      memory.run(new KernelEvent(0, "other", List.of(x), List.of()), arguments -> {});
      memory.run(new KernelEvent(1, "conv", List.of(x), List.of()), arguments -> {});
      assertThat(x.in(FAST)).isTrue();
      assertThat(memory.stats().policy().planMismatches()).isOne();
      memory.retire(x);
      memory.endOfStep();
      try (TraceReplay replay = new TraceReplay(graph, memory, false, true)) {
        replay.step();
      }
      assertThat(memory.stats().policy().planMismatches()).isOne();
      assertThat(memory.memory().traffic().bytes(FAST, SLOW)).isEqualTo(2 * 30_000_000L);
    }
  }
}
