package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.Gate;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ObjectAccess;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that read an argument where it is while its copy to the fast device goes on. */
class UseInPlaceTest {
  private static final int BYTES = 300;
  private static final long KERNEL_NANOS = 100;

  /** Fetches an object in the background after the first kernel, and does what a test says. */
  private static class Scripted implements PlacementPolicy {
    final List<Long> asked = new ArrayList<>();
    final List<Boolean> seenFast = new ArrayList<>();
    @Nullable MemObject fetched;
    @Nullable MemObject used;

    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public Placement place(AllocationRequest request, MemoryView view) {
      return Placement.of(Placement.SLOW);
    }

    @Override
    public List<Action.UseInPlace> arriving(
        KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
      arrivals.forEach(arrival -> asked.add(arrival.remainingNanos()));
      MemObject now = used;
      return now == null ? List.of() : List.of(new Action.UseInPlace(now, Reason.LATE, 0));
    }

    @Override
    public List<Action> before(KernelEvent kernel, MemoryView view) {
      kernel.arguments().forEach(object -> seenFast.add(view.inFast(object)));
      return List.of();
    }

    @Override
    public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
      MemObject now = fetched;
      fetched = null;
      return now == null
          ? List.of()
          : List.of(new Action.Fetch(now, Room.FREE, true, Reason.PREFETCH, 0));
    }
  }

  /** A slow object on its way to the fast device. */
  private static final class Scene implements AutoCloseable {
    final FaultyArena fast = new FaultyArena(Tiers.fast(640));
    final Gate gate = new Gate();
    final Scripted policy = new Scripted();
    final MemoryClock clock;
    final PlacedMemory memory;
    final MemObject object;

    Scene(boolean virtual) throws InterruptedException {
      clock = virtual ? new VirtualClock() : new RealClock();
      TieredMemory tiers =
          new TieredMemory(
              List.of(
                  new TieredMemory.Tier(Tiers.fast(640), fast), Tiers.tier(Tiers.slow(1 << 12))),
              Tiers.SETTINGS,
              clock);
      memory = new PlacedMemory(tiers, policy, PolicyEnvironment.of(tiers));
      object = memory.create(new AllocationRequest(BYTES, Hint.AUTO));
      Tiers.fill(tiers, object, 7);
      if (!virtual) {
        fast.beforePut = gate;
      }
    }

    void fetch() throws InterruptedException {
      policy.fetched = object;
      run(List.of(), List.of(), arguments -> {});
      if (clock instanceof RealClock) {
        gate.awaitReached();
      }
    }

    void run(List<MemObject> reads, List<MemObject> writes, Kernel kernel)
        throws InterruptedException {
      memory.run(new KernelEvent(0, "k", reads, writes, KERNEL_NANOS), kernel);
    }

    void read() throws InterruptedException {
      run(List.of(object), List.of(), arguments -> checkBytes(arguments, 7));
    }

    void checkBytes(KernelArguments arguments, int value) {
      byte[] bytes = new byte[BYTES];
      arguments.bytes(object).get(bytes);
      assertThat(bytes).containsOnly(value);
    }

    ActionCost late() {
      return memory.stats().actions().getOrDefault(Reason.LATE, ActionCost.NONE);
    }

    /** Lets the copy end, in real time or by the clock. */
    void arrive() throws InterruptedException {
      gate.open();
      clock.elapseTo(1_000_000);
      await().atMost(Tiers.PATIENCE).until(() -> object.in(FAST));
      run(List.of(), List.of(), arguments -> {});
      assertThat(memory.stats().policy().prefetches()).isOne();
    }

    void sound() throws InterruptedException {
      assertThat(memory.memory().verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(object.access()).isEqualTo(ObjectAccess.NOT_BUSY);
      assertThat(object.pinned()).isFalse();
    }

    @Override
    public void close() throws InterruptedException {
      gate.open();
      memory.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lateArgument_isReadWhereItIsWhileItsCopyGoesOn(boolean virtual) throws Exception {
    try (Scene scene = new Scene(virtual)) {
      scene.fetch();
      scene.policy.used = scene.object;
      long start = scene.clock.nanos();
      scene.read();
      assertThat(scene.policy.asked).hasSize(1);
      assertThat(scene.policy.seenFast).containsExactly(false);
      assertThat(scene.late().done()).isOne();
      assertThat(scene.memory.stats().slowUses()).isOne();
      assertThat(scene.memory.stats().slowReadBytes()).isEqualTo(BYTES);
      if (virtual) {
        // 300 bytes at 30/110 of 1 GB/s, and the kernel has not waited for the copy.
        assertThat(scene.clock.nanos() - start).isEqualTo(1_100);
      } else {
        assertThat(scene.object.in(SLOW)).isTrue();
        assertThat(scene.memory.stats().policy().prefetches()).isZero();
      }
      scene.arrive();
      scene.read();
      assertThat(scene.memory.stats().fastUses()).isOne();
      assertThat(scene.object.linked(SLOW)).isPresent();
      scene.sound();
    }
  }

  @Test
  void lateArgument_whichIsNotUsedInPlace_isWaitedFor() throws Exception {
    try (Scene scene = new Scene(true)) {
      scene.fetch();
      long start = scene.clock.nanos();
      scene.read();
      long remaining = scene.policy.asked.get(0);
      assertThat(remaining).isPositive();
      assertThat(scene.clock.nanos() - start).isEqualTo(remaining + KERNEL_NANOS);
      assertThat(scene.policy.seenFast).containsExactly(true);
      assertThat(scene.late()).isEqualTo(ActionCost.NONE);
      assertThat(scene.memory.stats().fastUses()).isOne();
      scene.sound();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void copyThatFailsMeanwhile_leavesTheObjectWhereItIs(boolean virtual) throws Exception {
    try (Scene scene = new Scene(virtual)) {
      scene.fast.failAfter(0, FaultyArena.Fault.BROKEN);
      scene.fetch();
      scene.policy.used = scene.object;
      scene.run(
          List.of(scene.object),
          List.of(),
          arguments -> {
            scene.gate.open();
            scene.checkBytes(arguments, 7);
          });
      await()
          .atMost(Tiers.PATIENCE)
          .until(() -> scene.memory.memory().use(FAST).occupiedBytes() == 0);
      scene.read();
      assertThat(scene.memory.stats().policy().failedCopiesAhead()).isOne();
      assertThat(scene.memory.stats().policy().prefetches()).isZero();
      assertThat(scene.object.in(SLOW)).isTrue();
      scene.sound();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void objectReleasedMeanwhile_isFreedAfterTheKernel(boolean virtual) throws Exception {
    try (Scene scene = new Scene(virtual)) {
      scene.fetch();
      scene.policy.used = scene.object;
      scene.run(
          List.of(scene.object),
          List.of(),
          arguments -> {
            scene.gate.open();
            assertThat(scene.memory.retire(scene.object)).isTrue();
            scene.checkBytes(arguments, 7);
          });
      assertThat(scene.object.retired()).isTrue();
      assertThat(scene.memory.memory().objects()).isEmpty();
      assertThat(scene.memory.memory().use(FAST).occupiedBytes()).isZero();
      assertThat(scene.memory.memory().use(SLOW).occupiedBytes()).isZero();
      assertThat(scene.memory.memory().verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void twoKernelsInARow_mayBothReadInPlace(boolean virtual) throws Exception {
    try (Scene scene = new Scene(virtual)) {
      scene.fetch();
      scene.policy.used = scene.object;
      scene.read();
      scene.read();
      assertThat(scene.memory.stats().slowUses()).isEqualTo(virtual ? 1 : 2);
      if (virtual) {
        // The copy takes as long as the first kernel, which reads the object at the same speed.
        assertThat(scene.policy.asked).hasSize(1);
      } else {
        assertThat(scene.policy.asked).hasSize(2);
      }
      scene.arrive();
      scene.sound();
    }
  }

  @Test
  void kernelThatWrites_waitsForTheCopy() throws Exception {
    try (Scene scene = new Scene(true)) {
      scene.fetch();
      scene.policy.used = scene.object;
      scene.run(
          List.of(scene.object),
          List.of(scene.object),
          arguments -> arguments.bytes(scene.object).put(new byte[BYTES]));
      assertThat(scene.policy.asked).isEmpty();
      assertThat(scene.policy.seenFast).containsExactly(true);
      assertThat(scene.object.in(FAST)).isTrue();
      assertThat(scene.object.dirty()).isTrue();
      assertThat(Tiers.read(scene.memory.memory(), scene.object)).containsOnly(0);
      scene.sound();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void objectWrittenAfterwards_keepsWhatWasWritten(boolean virtual) throws Exception {
    try (Scene scene = new Scene(virtual)) {
      scene.fetch();
      scene.policy.used = scene.object;
      scene.read();
      scene.gate.open();
      scene.run(
          List.of(),
          List.of(scene.object),
          arguments -> arguments.bytes(scene.object).put(0, (byte) 9));
      assertThat(scene.object.in(FAST)).isTrue();
      assertThat(Tiers.read(scene.memory.memory(), scene.object)).startsWith(9, 7);
      scene.sound();
    }
  }

  @Test
  void objectThatDoesNotArrive_isRefused() throws Exception {
    try (Scene scene = new Scene(true)) {
      MemObject other = scene.memory.create(new AllocationRequest(64, Hint.AUTO));
      scene.fetch();
      scene.policy.used = other;
      scene.run(List.of(scene.object, other), List.of(), arguments -> {});
      assertThat(scene.late()).isEqualTo(new ActionCost(0, 1, 0, 0));
      assertThat(scene.policy.seenFast).containsExactly(true, false);
    }
  }

  @Test
  void divisibleKernel_waitsForTheCopy() throws Exception {
    try (Scene scene = new Scene(true)) {
      scene.fetch();
      scene.policy.used = scene.object;
      List<Piece> pieces =
          List.of(new Piece(List.of(new Piece.Range(scene.object, 0, BYTES, Piece.Use.READS))));
      scene.memory.runPieces(
          new KernelEvent(0, "pieces", List.of(scene.object), List.of(), KERNEL_NANOS),
          pieces,
          (piece, places, arguments) -> scene.checkBytes(arguments, 7));
      assertThat(scene.policy.asked).isEmpty();
      assertThat(scene.policy.seenFast).containsExactly(true);
      scene.sound();
    }
  }

  @Test
  void objectThatArrivesWhileItIsRead_countsAsReadSlow() throws Exception {
    try (Scene scene = new Scene(false)) {
      scene.fetch();
      scene.policy.used = scene.object;
      CountDownLatch arrived = new CountDownLatch(1);
      scene.run(
          List.of(scene.object),
          List.of(),
          arguments -> {
            scene.gate.open();
            await().atMost(Tiers.PATIENCE).until(() -> scene.object.in(FAST));
            arrived.countDown();
            scene.checkBytes(arguments, 7);
            assertThat(arguments.region(scene.object).in(SLOW)).isTrue();
          });
      assertThat(arrived.getCount()).isZero();
      assertThat(scene.memory.stats().slowUses()).isOne();
      scene.sound();
    }
  }

  /**
   * Real copy threads, objects that come and go, and kernels that never wait for what they read.
   */
  @Test
  void manyKernels_besideTheirCopies_loseNothing() throws Exception {
    SplittableRandom random = new SplittableRandom(43);
    Scripted policy =
        new Scripted() {
          @Override
          public List<Action.UseInPlace> arriving(
              KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
            return arrivals.stream()
                .map(arrival -> new Action.UseInPlace(arrival.object(), Reason.LATE, 0))
                .toList();
          }
        };
    TieredMemory tiers = Tiers.of(1 << 12, 1 << 14, new RealClock());
    try (PlacedMemory memory = new PlacedMemory(tiers, policy, PolicyEnvironment.of(tiers))) {
      for (int round = 0; round < 2_000; round++) {
        MemObject object = memory.create(new AllocationRequest(1_000, Hint.AUTO));
        int value = round % 100;
        Tiers.fill(tiers, object, value);
        policy.fetched = object;
        memory.run(new KernelEvent(0, "before", List.of(), List.of()), arguments -> {});
        for (int reader = random.nextInt(3); reader >= 0; reader--) {
          memory.run(
              new KernelEvent(0, "read", List.of(object), List.of()),
              arguments -> {
                byte[] bytes = new byte[1_000];
                arguments.bytes(object).get(bytes);
                assertThat(bytes).containsOnly(value);
              });
        }
        if (random.nextBoolean()) {
          Tiers.fill(tiers, object, value + 1);
          assertThat(Tiers.read(tiers, object)).containsOnly(value + 1);
        }
        memory.retire(object);
      }
      assertThat(memory.stats().policy().failedCopiesAhead()).isZero();
      assertThat(tiers.objects()).isEmpty();
      assertThat(tiers.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(tiers.use(FAST).occupiedBytes()).isZero();
      assertThat(tiers.use(SLOW).occupiedBytes()).isZero();
    }
  }
}
