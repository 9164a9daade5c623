package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.device.FaultyArena.Fault;
import io.idlalayer.middleware.memory.device.MappedArena;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Devices that fail in the middle of moves. */
class FaultTest {
  private final FaultyArena fastArena = new FaultyArena(Tiers.fast(400));
  private final FaultyArena slowArena = new FaultyArena(Tiers.slow(1000));
  private final TieredMemory memory =
      new TieredMemory(
          List.of(
              new TieredMemory.Tier(Tiers.fast(400), fastArena),
              new TieredMemory.Tier(Tiers.slow(1000), slowArena)),
          Tiers.SETTINGS,
          new RealClock());

  @AfterEach
  void theBooksHold() {
    assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    memory.close();
  }

  private MemObject object(DeviceId device) throws InterruptedException {
    MemObject object = Tiers.make(memory, device, 200);
    Tiers.fill(memory, object, 9);
    return object;
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"FULL", "BROKEN"})
  void aDeviceThatFailsWhileAnObjectLeaves_costsNothing(Fault fault) throws InterruptedException {
    MemObject object = object(FAST);
    slowArena.failAfter(2, fault);
    assertThatThrownBy(() -> Tiers.demote(memory, object))
        .isInstanceOf(DeviceFailureException.class);
    assertThat(object.in(FAST)).isTrue();
    assertThat(object.linked(SLOW)).isEmpty();
    assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(9);

    slowArena.fault = Fault.NONE;
    assertThat(Tiers.demote(memory, object)).isTrue();
    assertThat(Tiers.read(memory, object)).containsOnly(9);
  }

  /** A memory that waits 20 ms for a copy, which hangs at a gate. */
  private static TieredMemory impatient(Gate gate, int copyQueue) {
    FaultyArena hanging = new FaultyArena(Tiers.slow(1000));
    hanging.beforePut = gate;
    return new TieredMemory(
        List.of(Tiers.tier(Tiers.fast(400)), new TieredMemory.Tier(Tiers.slow(1000), hanging)),
        new MemorySettings(copyQueue, 64, 20_000_000, true),
        new RealClock());
  }

  @Test
  void copyInBackground_deviceThatHangsAndAFullQueue_fails() throws Exception {
    Gate gate = new Gate();
    try (TieredMemory impatient = impatient(gate, 1)) {
      MemObject object = Tiers.make(impatient, FAST, 100);
      Region target = impatient.allocate(SLOW, 100).orElseThrow();
      try (Move move = impatient.move(object)) {
        CompletableFuture<MoveReceipt> hangs = move.copyInBackground(target);
        gate.awaitReached();
        CompletableFuture<MoveReceipt> waits = move.copyInBackground(target);
        CompletableFuture<MoveReceipt> finds = move.copyInBackground(target);
        assertThat(finds)
            .failsWithin(Tiers.PATIENCE)
            .withThrowableThat()
            .withMessageContaining("no copy has made progress for 20 ms");
        gate.open();
        hangs.join();
        waits.join();
        // Its place in the queue is free again.
        assertThat(move.copyInBackground(target).join().bytes()).isEqualTo(100);
        impatient.free(target);
      }
    }
  }

  @Test
  void await_deviceThatHangs_endsWithAFailure() throws Exception {
    Gate gate = new Gate();
    try (TieredMemory impatient = impatient(gate, 4)) {
      MemObject object = Tiers.make(impatient, FAST, 200);
      Region target = impatient.allocate(SLOW, 200).orElseThrow();
      try (Move move = impatient.move(object)) {
        CompletableFuture<MoveReceipt> copy = move.copyInBackground(target);
        gate.awaitReached();
        assertThatThrownBy(() -> impatient.await(copy))
            .isInstanceOf(DeviceFailureException.class)
            .hasMessageContaining("no copy has made progress for 20 ms");
        gate.open();
        copy.join();
        assertThat(impatient.await(copy).bytes()).isEqualTo(200);
      }
      impatient.free(target);
    }
  }

  @Test
  void aTwinThatWasHalfWritten_isStale() throws InterruptedException {
    MemObject object = object(SLOW);
    Tiers.promote(memory, object);
    Tiers.fill(memory, object, 4);
    slowArena.failAfter(1, Fault.BROKEN);
    assertThatThrownBy(() -> Tiers.demote(memory, object))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("broke");
    assertThat(object.dirty()).isTrue();
    assertThat(object.in(FAST)).isTrue();
    slowArena.fault = Fault.NONE;
    Tiers.demote(memory, object);
    assertThat(Tiers.read(memory, object)).containsOnly(4);
  }

  @Test
  void aTwinThatWasCleanAndIsHalfOverwritten_isStale() throws InterruptedException {
    MemObject object = object(SLOW);
    Tiers.promote(memory, object);
    assertThat(object.dirty()).isFalse();
    slowArena.failAfter(1, Fault.BROKEN);
    try (Move move = memory.move(object)) {
      Region twin = move.linked(SLOW).orElseThrow();
      assertThatThrownBy(() -> move.copyTo(twin)).isInstanceOf(DeviceFailureException.class);
      assertThatThrownBy(() -> move.setPrimary(twin)).isInstanceOf(LinkConflictException.class);
      assertThatThrownBy(() -> memory.await(move.copyInBackground(twin)))
          .isInstanceOf(DeviceFailureException.class);
      assertThat(object.dirty()).isTrue();
      slowArena.fault = Fault.NONE;
      memory.await(move.copyInBackground(twin));
    }
    assertThat(object.dirty()).isFalse();
  }

  @Test
  void shortWrites_areContinued() throws InterruptedException {
    MemObject object = object(FAST);
    slowArena.fault = Fault.SHORT;
    assertThat(Tiers.demote(memory, object)).isTrue();
    assertThat(Tiers.read(memory, object)).containsOnly(9);
    assertThat(memory.traffic().bytes(FAST, SLOW)).isEqualTo(200);
  }

  @Test
  void aFetchThatFails_leavesTheSlowObject() throws InterruptedException {
    MemObject object = object(SLOW);
    fastArena.fault = Fault.BROKEN;
    assertThatThrownBy(() -> Tiers.promote(memory, object))
        .isInstanceOf(DeviceFailureException.class);
    assertThat(object.in(SLOW)).isTrue();
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(9);
  }

  @Test
  void anEvictionFromABrokenDevice_isAborted() throws InterruptedException {
    MemObject first = object(FAST);
    MemObject second = object(FAST);
    slowArena.failAfter(4, Fault.BROKEN);
    assertThatThrownBy(
            () ->
                memory.evictFrom(
                    FAST,
                    List.of(first.primary()),
                    400,
                    region -> Tiers.demote(memory, region.parent())))
        .isInstanceOf(AbortedEvictionException.class)
        .hasCauseInstanceOf(DeviceFailureException.class);
    assertThat(first.in(SLOW)).isTrue();
    assertThat(second.in(FAST)).isTrue();
    assertThat(Tiers.read(memory, first)).containsOnly(9);
    assertThat(Tiers.read(memory, second)).containsOnly(9);
  }

  @Test
  void aSlowDevice_letsReadersGoOnAndWritersWait() throws Exception {
    MemObject object = object(FAST);
    Gate copying = new Gate();
    slowArena.beforePut = copying;
    Thread mover =
        new Thread(
            () -> {
              try {
                Tiers.demote(memory, object);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    mover.start();
    copying.awaitReached();
    ReadLease lease = memory.read(object);
    assertThat(lease.region().in(FAST)).isTrue();
    Thread writer = new Thread(() -> write(object));
    writer.start();
    copying.open();
    mover.join();
    // The move ended under the reader: the old region stays, in quarantine.
    assertThat(object.in(SLOW)).isTrue();
    assertThat(lease.region().state()).isEqualTo(RegionState.QUARANTINE);
    assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(200);
    byte[] seen = new byte[200];
    lease.bytes().get(seen);
    assertThat(seen).containsOnly(9);
    assertThat(object.version()).isEqualTo(1);
    lease.close();
    writer.join();
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(5);
  }

  private void write(MemObject object) {
    try {
      Tiers.fill(memory, object, 5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void anInterruptedCopy_leavesTheObject() throws InterruptedException {
    MemObject object = object(FAST);
    slowArena.beforePut = () -> Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Tiers.demote(memory, object)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(object.in(FAST)).isTrue();
    slowArena.beforePut = () -> {};
    assertThat(Tiers.read(memory, object)).containsOnly(9);
  }

  @Test
  void backgroundCopies_failToWhoWaitsForThem() throws InterruptedException {
    MemObject object = object(FAST);
    Region target = memory.allocate(SLOW, 200).orElseThrow();
    slowArena.fault = Fault.FULL;
    try (Move move = memory.move(object)) {
      var failing = move.copyInBackground(target);
      assertThatThrownBy(() -> memory.await(failing))
          .isInstanceOf(DeviceFailureException.class)
          .hasMessageContaining("takes no more bytes");
      slowArena.fault = Fault.NONE;
      MoveReceipt receipt = memory.await(move.copyInBackground(target));
      assertThat(receipt.bytes()).isEqualTo(200);
      assertThat(receipt.endNanos()).isGreaterThanOrEqualTo(receipt.startNanos());
      move.link(target);
    }
    assertThat(object.dirty()).isFalse();
    assertThat(object.unlinked()).isFalse();
  }

  @Test
  void whoGivesUpOnABackgroundCopy_leavesItsBytesAlone() throws Exception {
    MemObject object = object(FAST);
    Gate copying = new Gate();
    slowArena.beforePut = copying;
    Region target = memory.allocate(SLOW, 200).orElseThrow();
    CompletableFuture<MoveReceipt> copy;
    try (Move move = memory.move(object)) {
      copy = move.copyInBackground(target);
      copying.awaitReached();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> memory.await(copy)).isInstanceOf(InterruptedException.class);
      memory.free(target);
    }
    // The copy continues, so its target may not be allocated, and its source may not be written.
    assertThat(target.state()).isEqualTo(RegionState.QUARANTINE);
    assertThat(memory.use(SLOW).occupiedBytes()).isEqualTo(200);
    AtomicInteger written = new AtomicInteger();
    Thread writer =
        new Thread(
            () -> {
              write(object);
              written.incrementAndGet();
            });
    writer.start();
    await().atMost(Tiers.PATIENCE).until(() -> writer.getState() == Thread.State.TIMED_WAITING);
    assertThat(written).hasValue(0);
    copying.open();
    assertThat(memory.await(copy).bytes()).isEqualTo(200);
    writer.join();
    assertThat(target.state()).isEqualTo(RegionState.GONE);
    assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(5);
  }

  @Test
  void aFullQueue_holdsUpWhoWantsMore() throws Exception {
    List<MemObject> objects = new ArrayList<>();
    List<Region> targets = new ArrayList<>();
    for (int i = 0; i < Tiers.SETTINGS.copyQueue() + 2; i++) {
      objects.add(Tiers.make(memory, FAST, 10));
      targets.add(memory.allocate(SLOW, 10).orElseThrow());
    }
    Gate copying = new Gate();
    slowArena.beforePut = copying;
    AtomicInteger queued = new AtomicInteger();
    List<Move> moves = new CopyOnWriteArrayList<>();
    List<CompletableFuture<MoveReceipt>> copies = new CopyOnWriteArrayList<>();
    Thread submitter =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < objects.size(); i++) {
                  moves.add(memory.move(objects.get(i)));
                  copies.add(moves.get(i).copyInBackground(targets.get(i)));
                  queued.incrementAndGet();
                  copying.awaitReached();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    submitter.start();
    // One is being made, the queue is full, and the last one waits.
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () ->
                queued.get() == objects.size() - 1
                    && submitter.getState() == Thread.State.TIMED_WAITING);
    copying.open();
    submitter.join();
    for (CompletableFuture<MoveReceipt> copy : copies) {
      assertThat(memory.await(copy).bytes()).isEqualTo(10);
    }
    assertThat(queued.get()).isEqualTo(objects.size());
    moves.forEach(Move::close);
    targets.forEach(memory::free);
  }

  @Test
  void aFileThatCannotBeMapped_saysWhy(@TempDir Path directory) {
    DeviceSpec spec = new DeviceSpec("pmem", DeviceKind.SLOW, 1 << 20, Tiers.FAST_SPEED);
    assertThatThrownBy(
            () -> new MappedArena(spec, directory.resolve("absent"), MappedArena.Options.DEFAULT))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("device pmem")
        .hasMessageContaining("absent");
    DeviceSpec huge = new DeviceSpec("pmem", DeviceKind.SLOW, 1L << 52, Tiers.FAST_SPEED);
    assertThatThrownBy(() -> new MappedArena(huge, directory, MappedArena.Options.DEFAULT))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("room");
  }

  @Test
  void aMappingBeyondTwoGibibytes_holdsItsBytes(@TempDir Path directory) throws Exception {
    long capacity = (5L << 30) / 2;
    DeviceSpec slow = new DeviceSpec("slow", DeviceKind.SLOW, capacity, Tiers.FAST_SPEED);
    DeviceSpec fast = new DeviceSpec("fast", DeviceKind.FAST, 1 << 16, Tiers.FAST_SPEED);
    MappedArena arena = new MappedArena(slow, directory, new MappedArena.Options(1 << 30, false));
    try (var files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
    assertThat(arena.description()).contains("mapped in");
    try (TieredMemory mapped =
        new TieredMemory(
            List.of(Tiers.tier(fast), new TieredMemory.Tier(slow, arena)),
            MemorySettings.DEFAULT,
            new RealClock())) {
      DeviceId at = new DeviceId(1);
      // A free region never joins one of the next mapping.
      assertThat(mapped.regions(at)).hasSize(3);
      assertThat(mapped.allocate(at, (1L << 30) + 1)).isEmpty();
      MemObject first = mapped.adopt(mapped.allocate(at, (1L << 29) - 64).orElseThrow(), 1);
      MemObject second = mapped.adopt(mapped.allocate(at, 1L << 30).orElseThrow(), 1);
      MemObject third = mapped.adopt(mapped.allocate(at, (1L << 30) - 128).orElseThrow(), 1);
      MemObject last = mapped.adopt(mapped.allocate(at, 128).orElseThrow(), 128);
      assertThat(last.primary().offset()).isEqualTo((2L << 30) - 128);
      Tiers.fill(mapped, last, 11);
      assertThat(Tiers.promote(mapped, last)).isTrue();
      Tiers.fill(mapped, last, 12);
      assertThat(Tiers.demote(mapped, last)).isTrue();
      assertThat(Tiers.read(mapped, last)).containsOnly(12);
      for (MemObject object : List.of(second, last, first, third)) {
        mapped.retire(object);
      }
      assertThat(mapped.verify().problems()).isEmpty();
      assertThat(mapped.regions(at)).hasSize(3);
    }
  }
}
