package io.idlalayer.benchmarks.placement;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.benchmarks.emulation.InjectClock;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.copy.Traffic;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacedTiers;
import io.idlalayer.middleware.placement.engine.PlacementContract;
import io.idlalayer.middleware.placement.engine.ToyNet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RivalContractTest extends PlacementContract {
  @Override
  protected List<PolicyCase> policies() {
    return Rivals.all();
  }

  private static long train(PlacedMemory memory) throws InterruptedException {
    try (ToyNet net = new ToyNet(memory, 64, 448, 320, 512, 192, 128)) {
      for (int i = 0; i < 5; i++) {
        net.step();
      }
      return net.digest();
    }
  }

  @Test
  void bytesMoved_doNotDependOnTheClock() throws Exception {
    List<PolicyStats> policies = new ArrayList<>();
    List<Traffic> traffic = new ArrayList<>();
    List<Long> digests = new ArrayList<>();
    for (MemoryClock clock : List.of(new VirtualClock(), new RealClock(), new InjectClock())) {
      try (PlacedMemory memory =
          PlacedTiers.of(ComparedPolicy.CACHED_ARRAYS_LMP.create(), 2048, clock)) {
        digests.add(train(memory));
        policies.add(memory.stats().policy());
        traffic.add(memory.stats().traffic());
        assertThat(memory.stats().computeNanos()).isPositive();
        assertThat(memory.stats().stallNanos()).isPositive();
      }
    }
    assertThat(Set.copyOf(policies)).hasSize(1);
    assertThat(Set.copyOf(traffic)).hasSize(1);
    assertThat(Set.copyOf(digests)).hasSize(1);
    assertThat(traffic.get(0).bytes(FAST, SLOW)).isPositive();
  }

  @Test
  void interleave_spreadsBytes() throws Exception {
    try (PlacedMemory memory = PlacedTiers.of(new Interleave(), 4096, new VirtualClock())) {
      for (int i = 0; i < 40; i++) {
        memory.create(new AllocationRequest(64 + i, Hint.AUTO));
      }
      long fast = memory.memory().use(FAST).occupiedBytes();
      long slow = memory.memory().use(SLOW).occupiedBytes();
      assertThat((double) fast / (fast + slow)).isBetween(0.48, 0.52);
    }
  }

  @Test
  void of_everyKey_namesItsPolicy() {
    for (ComparedPolicy name : ComparedPolicy.values()) {
      assertThat(ComparedPolicy.of(name.key())).isEqualTo(name);
      assertThat(name.create().name()).isEqualTo(name.key());
    }
    assertThatThrownBy(() -> ComparedPolicy.of("lru"))
        .hasMessageContaining("lru")
        .hasMessageContaining("cached-arrays-lm");
  }
}
