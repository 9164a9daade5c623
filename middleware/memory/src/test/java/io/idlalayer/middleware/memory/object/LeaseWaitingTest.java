package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits that must not strike programs which do nothing wrong. */
class LeaseWaitingTest {
  private static final long MILLI = 1_000_000;

  private FaultyArena slowArena = new FaultyArena(Tiers.slow(1000));
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private TieredMemory memory = memory(Tiers.PATIENCE.toNanos());

  private TieredMemory memory(long waitNanos) {
    slowArena = new FaultyArena(Tiers.slow(1000));
    return new TieredMemory(
        List.of(Tiers.tier(Tiers.fast(400)), new TieredMemory.Tier(Tiers.slow(1000), slowArena)),
        new MemorySettings(4, 10, waitNanos, true),
        new RealClock());
  }

  @AfterEach
  void theBooksHold() {
    threads.shutdownNow();
    assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    memory.close();
  }

  private Future<Long> versionWhenRead(MemObject object, AtomicReference<Thread> thread) {
    return threads.submit(
        () -> {
          thread.set(Thread.currentThread());
          try (ReadLease lease = memory.read(object)) {
            return lease.region().in(FAST) ? object.version() : -1;
          }
        });
  }

  private Future<?> write(MemObject object, AtomicReference<Thread> thread) {
    return threads.submit(
        () -> {
          thread.set(Thread.currentThread());
          Tiers.fill(memory, object, 3);
          return null;
        });
  }

  private static void awaitWaiting(AtomicReference<Thread> thread) {
    await()
        .atMost(Tiers.PATIENCE)
        .until(() -> thread.get() != null && thread.get().getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void readersThatOverlap_doNotKeepAWriterOut() throws Exception {
    MemObject object = Tiers.make(memory, FAST, 100);
    AtomicReference<Thread> writer = new AtomicReference<>();
    AtomicReference<Thread> late = new AtomicReference<>();
    ReadLease first = memory.read(object);
    Future<?> written = write(object, writer);
    awaitWaiting(writer);
    Future<Long> read = versionWhenRead(object, late);
    awaitWaiting(late);
    // Who reads already may do so again, or it would wait for itself.
    memory.read(object).close();
    first.close();
    written.get();
    assertThat(read.get()).isEqualTo(1);
  }

  @Test
  void aWriterThatGivesUp_letsReadersGoOn() throws Exception {
    MemObject object = Tiers.make(memory, FAST, 100);
    AtomicReference<Thread> writer = new AtomicReference<>();
    AtomicReference<Thread> late = new AtomicReference<>();
    try (ReadLease first = memory.read(object)) {
      Future<?> given = write(object, writer);
      awaitWaiting(writer);
      Future<Long> read = versionWhenRead(object, late);
      awaitWaiting(late);
      writer.get().interrupt();
      assertThat(read.get()).isZero();
      assertThatThrownBy(given::get).hasCauseInstanceOf(InterruptedException.class);
      assertThat(first.bytes().capacity()).isEqualTo(100);
    }
  }

  @Test
  void readersThatWaitForEachOthersWriters_goOn() throws Exception {
    memory.close();
    memory = memory(16_000 * MILLI);
    MemObject a = Tiers.make(memory, FAST, 100);
    MemObject b = Tiers.make(memory, FAST, 100);
    AtomicReference<Thread> writerOfA = new AtomicReference<>();
    AtomicReference<Thread> writerOfB = new AtomicReference<>();
    AtomicReference<Thread> other = new AtomicReference<>();
    List<Future<?>> writes;
    try (ReadLease mine = memory.read(a)) {
      Future<Long> theirs =
          threads.submit(
              () -> {
                try (ReadLease lease = memory.read(b)) {
                  other.set(Thread.currentThread());
                  await()
                      .atMost(Tiers.PATIENCE)
                      .until(() -> writerOfA.get() != null && writerOfB.get() != null);
                  awaitWaiting(writerOfA);
                  awaitWaiting(writerOfB);
                  return (long) Tiers.read(memory, a).length + lease.bytes().position();
                }
              });
      await().atMost(Tiers.PATIENCE).until(() -> other.get() != null);
      writes = List.of(write(a, writerOfA), write(b, writerOfB));
      awaitWaiting(writerOfA);
      awaitWaiting(writerOfB);
      assertThat(Tiers.read(memory, b)).hasSize(100);
      assertThat(theirs.get()).isEqualTo(100);
      assertThat(mine.region().in(FAST)).isTrue();
    }
    for (Future<?> write : writes) {
      write.get();
    }
    assertThat(a.version() + b.version()).isEqualTo(2);
  }

  @Test
  void aCopyThatIsSlow_isWaitedFor() throws Exception {
    memory.close();
    memory = memory(2_000 * MILLI);
    MemObject object = Tiers.make(memory, FAST, 100);
    Tiers.fill(memory, object, 1);
    // Ten chunks of 250 ms each: together longer than anybody waits.
    Gate copying = new Gate();
    copying.open();
    slowArena.beforePut =
        () -> {
          copying.run();
          LockSupport.parkNanos(250 * MILLI);
        };
    Future<?> moved = threads.submit(() -> Tiers.demote(memory, object));
    copying.awaitReached();
    Tiers.fill(memory, object, 2);
    moved.get();
    assertThat(Tiers.read(memory, object)).containsOnly(2);
    assertThat(object.in(SLOW)).isTrue();
  }

  @Test
  void aPin_stopsAMoveUnderWay() throws Exception {
    MemObject object = Tiers.make(memory, FAST, 100);
    Tiers.fill(memory, object, 1);
    slowArena.beforePut = () -> pinOnce(object);
    assertThatThrownBy(() -> Tiers.demote(memory, object)).isInstanceOf(PinnedException.class);
    assertThat(object.in(FAST)).isTrue();
    slowArena.beforePut = () -> {};
    memory.unpin(object);
    assertThat(memory.verify(true).sound()).isTrue();
    Tiers.demote(memory, object);
    memory.retire(object);
    MemObject up = Tiers.make(memory, SLOW, 100);
    try (Move move = memory.move(up)) {
      Region target = memory.allocate(FAST, 100).orElseThrow();
      move.copyTo(target);
      memory.pin(up);
      assertThatThrownBy(() -> move.install(target)).isInstanceOf(PinnedException.class);
      memory.free(target);
    }
    assertThat(up.in(SLOW)).isTrue();
    memory.unpin(up);
  }

  private void pinOnce(MemObject object) {
    if (!object.pinned()) {
      memory.pin(object);
    }
  }

  @Test
  void aMoveThatNobodyEnds_isNotWaitedForLong() throws Exception {
    memory.close();
    memory = memory(50 * MILLI);
    MemObject object = Tiers.make(memory, FAST, 100);
    try (Move forgotten = memory.move(object)) {
      assertThatThrownBy(() -> memory.write(object)).isInstanceOf(LeaseTimeoutException.class);
      assertThat(forgotten.primary().in(FAST)).isTrue();
    }
  }

  @Test
  void anInterruptedBackgroundCopy_interruptsWhoWaits() throws Exception {
    TieredMemory virtual = Tiers.of(400, 1000);
    MemObject object = Tiers.make(virtual, FAST, 100);
    Region target = virtual.allocate(SLOW, 100).orElseThrow();
    try (Move move = virtual.move(object)) {
      Thread.currentThread().interrupt();
      var copy = move.copyInBackground(target);
      assertThatThrownBy(() -> virtual.await(copy)).isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
    }
    virtual.free(target);
    assertThat(virtual.verify(true).sound()).isTrue();
  }
}
