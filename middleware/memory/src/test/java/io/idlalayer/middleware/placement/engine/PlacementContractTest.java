package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.InjectClock;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.MemoryClock;
import io.idlalayer.middleware.memory.PinnedException;
import io.idlalayer.middleware.memory.RealClock;
import io.idlalayer.middleware.memory.RetiredObjectException;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.Traffic;
import io.idlalayer.middleware.memory.VerifyReport;
import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PolicyStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every policy must keep to, whatever it decides. */
public class PlacementContractTest {
  private static final int[] WIDTHS = {64, 448, 320, 512, 192, 128};
  private static final int STEPS = 20;
  private static final long SLOW_BYTES = 64 * 1024;

  public static PlacedMemory placed(PlacementName name, long fastBytes, MemoryClock clock) {
    return placed(name, fastBytes, SLOW_BYTES, clock);
  }

  public static PlacedMemory placed(
      PlacementName name, long fastBytes, long slowBytes, MemoryClock clock) {
    TieredMemory memory = Tiers.of((fastBytes + 63) / 64 * 64, slowBytes, clock);
    return new PlacedMemory(memory, name.create(), PolicyEnvironment.of(memory));
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

  static Stream<Arguments> budgets() {
    long peak = ToyNet.peak(WIDTHS);
    List<Arguments> all = new ArrayList<>();
    for (PlacementName name : PlacementName.values()) {
      for (long fast : new long[] {ToyNet.largestKernel(WIDTHS), peak / 4, peak / 2, peak}) {
        if (name != PlacementName.ALL_FAST || fast == peak) {
          all.add(Arguments.of(name, fast));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("budgets")
  void training_underEveryPolicy_givesTheSameBytes(PlacementName name, long fastBytes)
      throws Exception {
    long expected;
    try (PlacedMemory all =
        placed(PlacementName.ALL_FAST, ToyNet.peak(WIDTHS), new VirtualClock())) {
      expected = train(all, STEPS);
    }
    try (PlacedMemory memory = placed(name, fastBytes, new VirtualClock())) {
      assertThat(train(memory, STEPS)).isEqualTo(expected);
      DeviceUse fast = memory.stats().fast();
      assertThat(fast.highWaterBytes()).isLessThanOrEqualTo(fast.budgetBytes());
      assertThat(memory.stats().kernels()).isPositive();
      assertThat(memory.stats().fastUses() + memory.stats().slowUses()).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void training_repeated_givesTheSameStatsAndTimes(PlacementName name) throws Exception {
    List<PlacementStats> stats = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      VirtualClock clock = new VirtualClock();
      long fast = name == PlacementName.ALL_FAST ? ToyNet.peak(WIDTHS) : 2048;
      try (PlacedMemory memory = placed(name, fast, clock);
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
  @EnumSource(
      value = PlacementName.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ALL_FAST"})
  void aKernelThatDies_leavesAMemoryThatWorks(PlacementName name) throws Exception {
    try (PlacedMemory memory = placed(name, 2048, new VirtualClock())) {
      ToyNet dying = new ToyNet(memory, WIDTHS);
      dying.step();
      dying.failAtKernel = 9;
      assertThatThrownBy(dying::step).hasMessage("kernel died");
      sound(memory);
      assertThat(memory.memory().objects().stream().anyMatch(MemObject::pinned)).isFalse();
      dying.step();
      dying.close();
      long after = train(memory, 3);
      try (PlacedMemory fresh = placed(name, 2048, new VirtualClock())) {
        assertThat(train(fresh, 3)).isEqualTo(after);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void networksOpenedAndClosed_leaveNothingInFlight(PlacementName name) throws Exception {
    long fast = name == PlacementName.ALL_FAST ? ToyNet.peak(WIDTHS) : 2048;
    try (PlacedMemory memory = placed(name, fast, new VirtualClock())) {
      for (int i = 0; i < 500; i++) {
        try (ToyNet net = new ToyNet(memory, 64, 448, 320)) {
          net.step();
        }
      }
      sound(memory);
      VerifyReport report = memory.memory().verify();
      assertThat(report.regionsInFlight()).isZero();
      assertThat(report.quarantined()).isZero();
      if (!List.of(
              PlacementName.CACHED_ARRAYS_0,
              PlacementName.CACHED_ARRAYS_L,
              PlacementName.TWO_LEVEL_MEMORY)
          .contains(name)) {
        assertThat(memory.memory().objects()).isEmpty();
        assertThat(memory.memory().use(FAST).occupiedBytes()).isZero();
        assertThat(memory.memory().use(SLOW).occupiedBytes()).isZero();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void retiringTwice_isHarmless(PlacementName name) throws Exception {
    try (PlacedMemory memory = placed(name, 2048, new VirtualClock())) {
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
      assertThatThrownBy(() -> memory.create(new AllocationRequest(2 * SLOW_BYTES, Hint.AUTO)))
          .isInstanceOf(DeviceFullException.class)
          .hasMessageContaining("131,072");
      sound(memory);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ALL_FAST"})
  void twoThreads_giveTheSameBytes(PlacementName name) throws Exception {
    long expected;
    try (PlacedMemory alone = placed(name, 2048, new VirtualClock())) {
      expected = train(alone, STEPS);
    }
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (PlacedMemory memory = placed(name, 2048, 4 * SLOW_BYTES, new RealClock())) {
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

  @Test
  void aKernelThatWaits_keepsItsArgumentsInPlace() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS_LM, 2048, new RealClock())) {
      MemObject written = memory.create(new AllocationRequest(100, Hint.AUTO));
      MemObject read = memory.create(new AllocationRequest(100, Hint.AUTO));
      List<Boolean> placedFast = new ArrayList<>();
      Thread waiting =
          new Thread(
              () -> {
                try {
                  memory.run(
                      new KernelEvent(1, "second", List.of(written, read), List.of()),
                      arguments -> placedFast.add(arguments.region(read).in(FAST)));
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      memory.run(
          new KernelEvent(0, "first", List.of(), List.of(written)),
          arguments -> {
            waiting.start();
            await().atMost(Tiers.PATIENCE).until(read::pinned);
            assertThatThrownBy(() -> Tiers.demote(memory.memory(), read))
                .isInstanceOf(PinnedException.class);
          });
      waiting.join();
      assertThat(placedFast).containsExactly(true);
      assertThat(read.pinned()).isFalse();
      Tiers.demote(memory.memory(), read);
      assertThat(read.in(SLOW)).isTrue();
    }
  }

  @Test
  void bytesMoved_doNotDependOnTheClock() throws Exception {
    List<PolicyStats> policies = new ArrayList<>();
    List<Traffic> traffic = new ArrayList<>();
    List<Long> digests = new ArrayList<>();
    for (MemoryClock clock : List.of(new VirtualClock(), new RealClock(), new InjectClock())) {
      try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS_LMP, 2048, clock)) {
        digests.add(train(memory, 5));
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
  void steps_manyThousand_holdTheirBytes() throws Exception {
    assertBytesHold(4_000);
  }

  @Test
  @Tag("stress")
  void steps_aHundredThousand_holdTheirBytes() throws Exception {
    assertBytesHold(100_000);
  }

  private static void assertBytesHold(int steps) throws Exception {
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS, 64, new VirtualClock());
        ToyNet net = new ToyNet(memory, 8, 16)) {
      for (int i = 0; i < 100; i++) {
        net.step();
      }
      long after = bytes(memory);
      int objects = memory.memory().objects().size();
      for (int i = 0; i < steps; i++) {
        net.step();
      }
      assertThat((double) bytes(memory)).isBetween(0.99 * after, 1.01 * after);
      assertThat(memory.memory().objects()).hasSize(objects);
      assertThat(memory.memory().verify().regionsInFlight()).isZero();
      sound(memory);
    }
  }

  private static long bytes(PlacedMemory memory) {
    return memory.memory().use(FAST).occupiedBytes() + memory.memory().use(SLOW).occupiedBytes();
  }

  @Test
  void of_everyKey_namesItsPolicy() {
    for (PlacementName name : PlacementName.values()) {
      assertThat(PlacementName.of(name.key())).isEqualTo(name);
      assertThat(name.create().name()).isEqualTo(name.key());
    }
    assertThatThrownBy(() -> PlacementName.of("lru"))
        .hasMessageContaining("lru")
        .hasMessageContaining("cached-arrays-lm");
  }

  @Test
  void firstTouch_staysWhereItWasPut() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.FIRST_TOUCH, 10, new VirtualClock())) {
      memory.memory().setBudget(FAST, 10);
      MemObject first = memory.create(new AllocationRequest(6, Hint.AUTO));
      MemObject second = memory.create(new AllocationRequest(6, Hint.AUTO));
      MemObject third = memory.create(new AllocationRequest(4, Hint.AUTO));
      memory.retire(first);
      MemObject fourth = memory.create(new AllocationRequest(6, Hint.AUTO));
      assertThat(Stream.of(second, third, fourth).map(object -> object.in(FAST)))
          .containsExactly(false, true, true);
      memory.retire(fourth);
      memory.run(new KernelEvent(0, "use", List.of(second), List.of(third)), arguments -> {});
      memory.endOfStep();
      assertThat(second.in(FAST)).isFalse();
      assertThat(third.in(FAST)).isTrue();
    }
  }

  @Test
  void interleave_spreadsBytes() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.INTERLEAVE, 4096, new VirtualClock())) {
      for (int i = 0; i < 40; i++) {
        memory.create(new AllocationRequest(64 + i, Hint.AUTO));
      }
      long fast = memory.memory().use(FAST).occupiedBytes();
      long slow = memory.memory().use(SLOW).occupiedBytes();
      assertThat((double) fast / (fast + slow)).isBetween(0.48, 0.52);
    }
  }
}
