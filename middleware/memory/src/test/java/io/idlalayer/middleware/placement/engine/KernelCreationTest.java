package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ObjectAccess;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Kernels that create objects while they run, under the policies of the product. */
final class KernelCreationTest extends KernelCreationContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  private static PlacedMemory placed(PlacementName name, MemoryClock clock) {
    return PlacedTiers.of(PolicyCase.of(name).create(), FAST_BYTES, SLOW_BYTES, clock);
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
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS, clock)) {
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
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS, new VirtualClock())) {
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

  @Test
  void aKernelThatItsCallerRuns_isTheSameKernel() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS, new VirtualClock())) {
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
