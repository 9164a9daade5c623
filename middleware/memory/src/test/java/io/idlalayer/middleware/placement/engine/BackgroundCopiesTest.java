package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackgroundCopiesTest {
  private static final long EXPECTED_NANOS = 5;

  static Stream<MemoryClock> clocks() {
    return Stream.of(new VirtualClock(), new RealClock());
  }

  /** Copies of a memory, with what counts them. */
  private record Scene(BackgroundCopies copies, PlacementMeter meter, ActionRunner runner) {
    static Scene of(TieredMemory memory) {
      PolicyEnvironment devices = PolicyEnvironment.of(memory);
      PlacementMeter meter = new PlacementMeter(devices.fast(), devices.slow());
      BackgroundCopies copies = new BackgroundCopies(memory, devices, meter);
      LateArguments late = new LateArguments(copies);
      return new Scene(copies, meter, new ActionRunner(memory, devices, meter, copies, late));
    }

    ActionCost cost(TieredMemory memory) {
      return meter.stats(memory).actions().getOrDefault(Reason.WRITE_AHEAD, ActionCost.NONE);
    }
  }

  private static Action.WriteBack ahead(MemObject object) {
    return new Action.WriteBack(object, Reason.WRITE_AHEAD, EXPECTED_NANOS);
  }

  private static Action.Fetch prefetch(MemObject object) {
    return new Action.Fetch(object, Room.FREE, true, Reason.PREFETCH, EXPECTED_NANOS);
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void whatIsWrittenAhead_isFreeToBeUsedOnceItIsCopied(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      Tiers.fill(memory, object, 1);
      Scene scene = Scene.of(memory);
      BackgroundCopies copies = scene.copies();
      copies.writeBack(ahead(object));
      assertThat(copies.contains(object)).isTrue();
      // The policy is not called in the meantime: the move must end by itself.
      await().atMost(Tiers.PATIENCE).until(() -> object.linked(SLOW).isPresent());
      Tiers.fill(memory, object, 2);
      assertThat(object.dirty()).isTrue();
      copies.finish(object);
      assertThat(copies.contains(object)).isFalse();
      assertThat(scene.meter().policy().writtenBackBytes()).isEqualTo(40);
      ActionCost cost = scene.cost(memory);
      assertThat(cost.done()).isOne();
      assertThat(cost.expectedNanos()).isEqualTo(EXPECTED_NANOS);
      assertThat(cost.nanos()).isPositive();
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      // Written since, so it is worth writing again, over the same twin.
      copies.writeBack(ahead(object));
      assertThat(copies.finishAll()).isTrue();
      assertThat(object.dirty()).isFalse();
      scene.runner().run(new Action.Evict(object, Reason.OFFLOAD, 0));
      assertThat(scene.meter().policy().cleanEvictions()).isOne();
      assertThat(Tiers.read(memory, object)).containsOnly(2);
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void whatIsRetiredBehindItsBack_leavesNothing(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      BackgroundCopies copies = Scene.of(memory).copies();
      copies.writeBack(ahead(object));
      memory.retire(object);
      copies.finishAll();
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(memory.use(FAST).occupiedBytes()).isZero();
      assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    }
  }

  @Test
  void retiringAtTheMomentThatACopyEnds_freesEveryRegionOnce() throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, new RealClock())) {
      Scene scene = Scene.of(memory);
      BackgroundCopies copies = scene.copies();
      for (int i = 0; i < 2_000; i++) {
        MemObject object = Tiers.make(memory, FAST, 40);
        copies.writeBack(ahead(object));
        memory.retire(object);
        copies.finishAll();
      }
      assertThat(scene.meter().policy().writtenBackBytes()).isPositive();
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void aFullSlowDevice_isLeftAlone(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 30, clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      BackgroundCopies copies = Scene.of(memory).copies();
      copies.writeBack(ahead(object));
      assertThat(copies.contains(object)).isFalse();
      Tiers.fill(memory, object, 3);
      memory.retire(object);
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void fetched_inTheBackground_isFastOnceItIsCopied(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, clock)) {
      MemObject object = Tiers.make(memory, SLOW, 40);
      Tiers.fill(memory, object, 5);
      Scene scene = Scene.of(memory);
      assertThat(scene.copies().fetch(prefetch(object), memory.allocate(FAST, 40).orElseThrow()))
          .isTrue();
      assertThat(scene.copies().contains(object)).isTrue();
      await().atMost(Tiers.PATIENCE).until(() -> object.in(FAST));
      scene.copies().finish(object);
      assertThat(scene.meter().policy().prefetches()).isOne();
      assertThat(object.linked(SLOW)).isPresent();
      assertThat(Tiers.read(memory, object)).containsOnly(5);
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void fetchedInTheBackground_pinned_staysWhereItIs(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, clock)) {
      MemObject object = Tiers.make(memory, SLOW, 40);
      Tiers.fill(memory, object, 5);
      Scene scene = Scene.of(memory);
      memory.pin(object);
      assertThat(scene.copies().fetch(prefetch(object), memory.allocate(FAST, 40).orElseThrow()))
          .isFalse();
      memory.unpin(object);
      assertThat(memory.use(FAST).occupiedBytes()).isZero();
      assertThat(Tiers.read(memory, object)).containsOnly(5);
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void copyAheadThatFails_isCountedAndHarmless(MemoryClock clock) throws Exception {
    FaultyArena slow = new FaultyArena(Tiers.slow(1000));
    try (TieredMemory memory =
        new TieredMemory(
            List.of(Tiers.tier(Tiers.fast(100)), new TieredMemory.Tier(Tiers.slow(1000), slow)),
            Tiers.SETTINGS,
            clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      Tiers.fill(memory, object, 6);
      Scene scene = Scene.of(memory);
      slow.failAfter(0, FaultyArena.Fault.BROKEN);
      scene.copies().writeBack(ahead(object));
      scene.copies().finish(object);
      assertThat(scene.meter().policy().failedCopiesAhead()).isOne();
      assertThat(scene.cost(memory)).isEqualTo(new ActionCost(0, 1, 0, 0));
      slow.fault = FaultyArena.Fault.NONE;
      assertThat(Tiers.read(memory, object)).containsOnly(6);
      assertThat(memory.use(SLOW).occupiedBytes()).isZero();
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      Tiers.fill(memory, object, 7);
      assertThat(scene.copies().writeBack(ahead(object))).isTrue();
      assertThat(scene.copies().finishAll()).isTrue();
      assertThat(object.dirty()).isFalse();
    }
  }
}
