package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads that create, lease, move, evict, defragment and retire the same objects, in a memory that
 * holds only some of them. Every object holds one byte value, which its writers change as a whole.
 */
class TieredMemoryStressTest {
  private static final int SLOTS = 12;
  private static final int ROUNDS = 4_000;
  private static final int STRESS_ROUNDS = 40_000;
  private static final long WAIT_NANOS = Tiers.PATIENCE.toNanos();

  private final FaultyArena fastArena = new FaultyArena(Tiers.fast(600));
  private final FaultyArena slowArena = new FaultyArena(Tiers.slow(1500));
  private final TieredMemory memory =
      new TieredMemory(
          List.of(
              new TieredMemory.Tier(Tiers.fast(600), fastArena),
              new TieredMemory.Tier(Tiers.slow(1500), slowArena)),
          new MemorySettings(2, 32, WAIT_NANOS, true),
          new RealClock());
  private final AtomicReferenceArray<MemObject> slots = new AtomicReferenceArray<>(SLOTS);
  private final AtomicLong puts = new AtomicLong();
  private boolean faulty;

  /** One thread's share. Objects that others retire meanwhile are nothing wrong. */
  private void run(long seed, int rounds) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < rounds; i++) {
      int slot = random.nextInt(SLOTS);
      MemObject object = slots.get(slot);
      try {
        if (object == null) {
          create(slot, random);
        } else {
          use(object, slot, random);
        }
      } catch (RetiredObjectException | PinnedException | DeviceFullException e) {
        // Another thread was faster, or there is no space now.
        Thread.onSpinWait();
      } catch (DeviceFailureException e) {
        assertThat(faulty).isTrue();
      } catch (AbortedEvictionException e) {
        assertThat(e.getCause() instanceof LeaseTimeoutException).isFalse();
      }
    }
  }

  private void create(int slot, SplittableRandom random) throws InterruptedException {
    long bytes = 40L + random.nextInt(160);
    Region region = memory.allocate(random.nextBoolean() ? FAST : SLOW, bytes).orElse(null);
    if (region == null) {
      return;
    }
    MemObject made = memory.adopt(region, bytes);
    fill(made, random.nextInt(100));
    if (!slots.compareAndSet(slot, null, made)) {
      memory.retire(made);
    }
  }

  private void fill(MemObject object, int value) throws InterruptedException {
    try (WriteLease lease = memory.write(object)) {
      ByteBuffer bytes = lease.bytes();
      while (bytes.hasRemaining()) {
        bytes.put((byte) value);
      }
    }
  }

  private void check(MemObject object) throws InterruptedException {
    try (ReadLease lease = memory.read(object)) {
      ByteBuffer bytes = lease.bytes();
      byte first = bytes.get(0);
      while (bytes.hasRemaining()) {
        assertThat(bytes.get()).isEqualTo(first);
      }
      assertThat(first).isBetween((byte) 0, (byte) 99);
    }
  }

  private void use(MemObject object, int slot, SplittableRandom random)
      throws InterruptedException {
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> check(object);
      case 3, 4 -> fill(object, random.nextInt(100));
      case 5, 6 -> Tiers.promote(memory, object);
      case 7, 8 -> Tiers.demote(memory, object);
      case 9 -> {
        if (slots.compareAndSet(slot, object, null)) {
          retire(object);
        }
      }
      case 10 -> pinned(object);
      case 11 -> evict(random);
      case 12 -> background(object);
      default -> memory.defragment(random.nextInt(3) == 0 ? SLOW : FAST);
    }
  }

  private void retire(MemObject object) throws InterruptedException {
    while (true) {
      try {
        assertThat(memory.retire(object)).isTrue();
        return;
      } catch (PinnedException e) {
        Thread.onSpinWait();
      }
    }
  }

  private void pinned(MemObject object) throws InterruptedException {
    memory.pin(object);
    try {
      Region there = object.primary();
      check(object);
      assertThat(object.primary()).isSameAs(there);
    } finally {
      memory.unpin(object);
    }
  }

  private void evict(SplittableRandom random) throws InterruptedException {
    List<Region> regions = memory.regions(FAST);
    Region start = regions.get(random.nextInt(regions.size()));
    memory.evictFrom(
        FAST,
        List.of(start),
        1L + random.nextInt(200),
        region -> {
          MemObject object = region.parent();
          if (object != null && !Tiers.demote(memory, object)) {
            throw memory.full(SLOW, object.bytes());
          }
        });
  }

  /** Writes to the other device while others go on. */
  private void background(MemObject object) throws InterruptedException {
    try (Move move = memory.move(object)) {
      if (!object.in(FAST)) {
        return;
      }
      Region target = move.linked(SLOW).orElse(null);
      if (target == null) {
        target = memory.allocate(SLOW, object.bytes()).orElse(null);
      }
      if (target == null) {
        return;
      }
      try {
        memory.await(move.copyInBackground(target));
        if (target.parent() == null) {
          move.link(target);
        }
      } finally {
        if (target.parent() == null) {
          memory.free(target);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void nothingTears_nothingIsLost_andNobodyWaitsForEver(long seed) throws Exception {
    stress(seed, ROUNDS);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  @Tag("stress")
  void nothingTears_forLong(long seed) throws Exception {
    stress(seed, STRESS_ROUNDS);
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  @Tag("stress")
  void devicesThatFail_forLong(long seed) throws Exception {
    stressWithFailures(seed, STRESS_ROUNDS);
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void devicesThatFailNowAndThen_changeNothingOfThat(long seed) throws Exception {
    stressWithFailures(seed, ROUNDS);
  }

  private void stressWithFailures(long seed, int rounds) throws Exception {
    faulty = true;
    fastArena.fault = FaultyArena.Fault.SHORT;
    slowArena.fault = FaultyArena.Fault.SHORT;
    fastArena.beforePut = this::failNowAndThen;
    slowArena.beforePut = this::failNowAndThen;
    stress(seed, rounds);
  }

  private void failNowAndThen() {
    if (puts.incrementAndGet() % 97 == 0) {
      throw new DeviceFailureException("the medium broke", null);
    }
  }

  private void stress(long seed, int rounds) throws Exception {
    int count = 2 + (int) (seed % 3);
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < count; thread++) {
        long own = 31 * seed + thread;
        running.add(
            threads.submit(
                () -> {
                  run(own, rounds);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    assertThat(memory.traffic().copies(FAST, SLOW)).isPositive();
    assertThat(memory.traffic().copies(SLOW, FAST)).isPositive();
    for (int slot = 0; slot < SLOTS; slot++) {
      MemObject object = slots.get(slot);
      if (object != null) {
        check(object);
        memory.retire(object);
      }
    }
    assertThat(memory.objects()).isEmpty();
    assertThat(memory.verify()).isEqualTo(new VerifyReport(List.of(), 0, 0));
    assertThat(memory.use(FAST).occupiedBytes() + memory.use(SLOW).occupiedBytes()).isZero();
    assertThat(memory.regions(FAST)).hasSize(1);
    memory.close();
  }
}
