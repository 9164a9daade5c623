package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.RetiredObjectException;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What every policy must keep to, whatever it decides. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PlacementContract {
  private static final int[] WIDTHS = {64, 448, 320, 512, 192, 128};
  private static final int STEPS = 20;
  private static final int PIECE = 128;

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  private List<PolicyCase> moderate() {
    return policies().stream().filter(policy -> !policy.allFast()).toList();
  }

  /** The devices to try them on. */
  protected TieredMemory tiers(long fastBytes, long slowBytes, MemoryClock clock) {
    return Tiers.of(fastBytes, slowBytes, clock);
  }

  private PlacedMemory placed(PolicyCase policy, long fastBytes) {
    TieredMemory memory =
        tiers((fastBytes + 63) / 64 * 64, PlacedTiers.SLOW_BYTES, new VirtualClock());
    return new PlacedMemory(memory, policy.create(), PolicyEnvironment.of(memory));
  }

  private static void sound(PlacedMemory memory) {
    assertThat(memory.memory().verify(true).problems()).isEmpty();
  }

  private static long train(PlacedMemory memory, int steps) throws InterruptedException {
    try (ToyNet net = new ToyNet(memory, WIDTHS)) {
      for (int i = 0; i < steps; i++) {
        net.step();
        sound(memory);
      }
      return net.digest();
    }
  }

  private List<Arguments> budgets() {
    long peak = ToyNet.peak(WIDTHS);
    List<Arguments> all = new ArrayList<>();
    for (PolicyCase policy : policies()) {
      for (long fast : new long[] {ToyNet.largestKernel(WIDTHS), peak / 4, peak / 2, peak}) {
        if (!policy.allFast() || fast == peak) {
          all.add(Arguments.of(policy, fast));
        }
      }
    }
    return all;
  }

  private static long fastBytes(PolicyCase policy) {
    return policy.allFast() ? ToyNet.peak(WIDTHS) : 2048;
  }

  @ParameterizedTest
  @MethodSource("budgets")
  void training_underEveryPolicy_givesTheSameBytes(PolicyCase policy, long fastBytes)
      throws Exception {
    long expected;
    try (PlacedMemory all =
        PlacedTiers.of(
            PlacementName.ALL_FAST.unplanned(), ToyNet.peak(WIDTHS), new VirtualClock())) {
      expected = train(all, STEPS);
    }
    try (PlacedMemory memory = placed(policy, fastBytes)) {
      assertThat(train(memory, STEPS)).isEqualTo(expected);
      DeviceUse fast = memory.stats().fast();
      assertThat(fast.highWaterBytes()).isLessThanOrEqualTo(fast.budgetBytes());
      assertThat(memory.stats().kernels()).isPositive();
      assertThat(memory.stats().fastUses() + memory.stats().slowUses()).isPositive();
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void training_repeated_givesTheSameStatsAndTimes(PolicyCase policy) throws Exception {
    List<PlacementStats> stats = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      VirtualClock clock = new VirtualClock();
      try (PlacedMemory memory = PlacedTiers.of(policy.create(), fastBytes(policy), clock);
          ToyNet net = new ToyNet(memory, WIDTHS)) {
        for (int step = 0; step < STEPS; step++) {
          net.step();
        }
        stats.add(memory.stats());
        times.add(clock.nanos());
      }
    }
    assertThat(stats.get(1)).isEqualTo(stats.get(0));
    assertThat(times.get(1)).isEqualTo(times.get(0));
    assertThat(times.get(0)).isPositive();
  }

  @ParameterizedTest
  @MethodSource("moderate")
  void aKernelThatDies_leavesAMemoryThatWorks(PolicyCase policy) throws Exception {
    try (PlacedMemory memory = placed(policy, 2048)) {
      ToyNet dying = new ToyNet(memory, WIDTHS);
      dying.step();
      dying.failAtKernel = 9;
      assertThatThrownBy(dying::step).hasMessage("kernel died");
      sound(memory);
      assertThat(memory.memory().objects().stream().anyMatch(MemObject::pinned)).isFalse();
      dying.step();
      dying.close();
      long after = train(memory, 3);
      try (PlacedMemory fresh = placed(policy, 2048)) {
        assertThat(train(fresh, 3)).isEqualTo(after);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void networksOpenedAndClosed_leaveNothingInFlight(PolicyCase policy) throws Exception {
    try (PlacedMemory memory = placed(policy, fastBytes(policy))) {
      for (int i = 0; i < 500; i++) {
        try (ToyNet net = new ToyNet(memory, 64, 448, 320)) {
          net.step();
        }
      }
      sound(memory);
      VerifyReport report = memory.memory().verify();
      assertThat(report.regionsInFlight()).isZero();
      assertThat(report.quarantined()).isZero();
      if (!policy.collects()) {
        assertThat(memory.memory().objects()).isEmpty();
        assertThat(memory.memory().use(FAST).occupiedBytes()).isZero();
        assertThat(memory.memory().use(SLOW).occupiedBytes()).isZero();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void retiringTwice_isHarmless(PolicyCase policy) throws Exception {
    try (PlacedMemory memory = placed(policy, 2048)) {
      MemObject object = memory.create(new AllocationRequest(100, Hint.AUTO));
      assertThat(memory.retire(object)).isTrue();
      assertThat(memory.retire(object)).isFalse();
      if (object.retired()) {
        assertThatThrownBy(
                () ->
                    memory.run(
                        new KernelEvent(0, "dead", List.of(object), List.of()), arguments -> {}))
            .isInstanceOf(RetiredObjectException.class);
      }
      assertThatThrownBy(
              () -> memory.create(new AllocationRequest(2 * PlacedTiers.SLOW_BYTES, Hint.AUTO)))
          .isInstanceOf(DeviceFullException.class)
          .hasMessageContaining("131,072");
      sound(memory);
    }
  }

  @ParameterizedTest
  @MethodSource("moderate")
  void twoThreads_giveTheSameBytes(PolicyCase policy) throws Exception {
    long expected;
    try (PlacedMemory alone = placed(policy, 2048)) {
      expected = train(alone, STEPS);
    }
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (PlacedMemory memory =
        PlacedTiers.of(policy.create(), 2048, 4 * PlacedTiers.SLOW_BYTES, new RealClock())) {
      List<Future<Long>> digests = new ArrayList<>();
      for (int thread = 0; thread < 2; thread++) {
        digests.add(
            threads.submit(
                () -> {
                  try (ToyNet net = new ToyNet(memory, WIDTHS)) {
                    for (int i = 0; i < STEPS; i++) {
                      net.step();
                    }
                    return net.digest();
                  }
                }));
      }
      for (Future<Long> digest : digests) {
        assertThat(digest.get()).isEqualTo(expected);
      }
      sound(memory);
      assertThat(memory.memory().verify().regionsInFlight()).isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Piece> pieces(MemObject object, Piece.Use use) {
    List<Piece> pieces = new ArrayList<>();
    for (long at = 0; at < object.bytes(); at += PIECE) {
      long bytes = Math.min(PIECE, object.bytes() - at);
      pieces.add(new Piece(List.of(new Piece.Range(object, at, bytes, use))));
    }
    return pieces;
  }

  /** Policies that do not stream, and buffers that find no room. */
  @ParameterizedTest
  @MethodSource("policies")
  void aKernelInPieces_withoutBuffers_isAnOrdinaryKernel(PolicyCase policy) throws Exception {
    long[] nanos = new long[2];
    List<PlacementStats> stats = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      VirtualClock clock = new VirtualClock();
      long fast = policy.allFast() ? 1 << 14 : PIECE / 2;
      try (PlacedMemory memory = PlacedTiers.of(policy.create(), fast, clock)) {
        MemObject read = memory.create(new AllocationRequest(1000, Hint.AUTO));
        MemObject changed = memory.create(new AllocationRequest(1000, Hint.AUTO));
        KernelEvent event = new KernelEvent(0, "k", List.of(read, changed), List.of(changed), 300);
        long start = clock.nanos();
        if (i == 0) {
          memory.run(event, arguments -> {});
        } else {
          List<Piece> all = new ArrayList<>(pieces(read, Piece.Use.READS));
          all.addAll(pieces(changed, Piece.Use.CHANGES));
          memory.runPieces(event, all, (piece, places, arguments) -> {});
        }
        nanos[i] = clock.nanos() - start;
        stats.add(memory.stats());
        assertThat(memory.memory().objects()).containsExactlyInAnyOrder(read, changed);
        sound(memory);
      }
    }
    assertThat(nanos[1]).isEqualTo(nanos[0]);
    assertThat(stats.get(1).slowReadBytes()).isEqualTo(stats.get(0).slowReadBytes());
    assertThat(stats.get(1).slowWrittenBytes()).isEqualTo(stats.get(0).slowWrittenBytes());
    assertThat(stats.get(1).slowUses()).isEqualTo(stats.get(0).slowUses());
    assertThat(stats.get(1).fastUses()).isEqualTo(stats.get(0).fastUses());
    assertThat(stats.get(1).computeNanos()).isEqualTo(stats.get(0).computeNanos());
  }
}
