package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ReadBufferTest {
  private static final int RING = 3;
  private static final int SLOTS = 10;
  private static final long ONE = 17;
  private static final long OTHER = 25;

  private record Hit(int slot, int reader, int weight) {}

  /** Keeps what it is handed. */
  private static final class FakeListener implements ReadBuffer.HitListener {
    final List<Hit> received = new ArrayList<>();

    @Override
    public void hit(int slot, int reader, int weight) {
      received.add(new Hit(slot, reader, weight));
    }

    long hits() {
      return received.stream().mapToLong(Hit::weight).sum();
    }

    long hits(int slot) {
      return received.stream().filter(hit -> hit.slot() == slot).mapToLong(Hit::weight).sum();
    }
  }

  private final ReadBuffer buffer = new ReadBuffer();
  private final FakeListener listener = new FakeListener();

  /** Hits of slots 0 to 9 in turn, full rings received by one thread, or by two in turn. */
  private void hit(int hits, long... threads) {
    int rings = 0;
    for (int i = 0; i < hits; i++) {
      if (buffer.add(RING, i % SLOTS, 1)) {
        buffer.drainFull(RING, threads[rings++ % threads.length], listener);
      }
    }
  }

  private void fill(int slot, int reader) {
    int added = 0;
    while (!buffer.add(RING, slot, reader)) {
      assertThat(added++).isLessThan(100_000);
    }
  }

  @Property(tries = 200)
  void oneThread_everyHitIsDrainedOnce_inOrder(
      @ForAll @Size(max = 500) List<@IntRange(min = -1, max = 1_000_000) Integer> steps) {
    ReadBuffer alone = new ReadBuffer();
    FakeListener received = new FakeListener();
    List<Hit> expected = new ArrayList<>();
    for (int step : steps) {
      if (step < 0) {
        alone.drainAll(received);
        assertThat(received.received).isEqualTo(expected);
      } else {
        expected.add(new Hit(step, step & 0xFFFF, 1));
        if (alone.add(RING, step, step & 0xFFFF)) {
          alone.drainFull(RING, received);
          assertThat(received.received).isEqualTo(expected);
        }
      }
    }
    alone.drainAll(received);
    assertThat(received.received).isEqualTo(expected);
    assertThat(alone.weight()).isEqualTo(1);
  }

  @Test
  void oneThread_acrossManyFullRings_losesNothing() {
    hit(100 * ReadBuffer.LENGTH + 7, ONE);
    assertThat(listener.received).hasSize(100 * ReadBuffer.LENGTH);
    buffer.drainAll(listener);

    assertThat(listener.received).hasSize(100 * ReadBuffer.LENGTH + 7);
    assertThat(listener.received).allMatch(hit -> hit.weight() == 1);
    for (int i = 0; i < listener.received.size(); i++) {
      assertThat(listener.received.get(i).slot()).isEqualTo(i % SLOTS);
    }
  }

  @Test
  void largestSlotAndReader_fit_withTheLargestWeight() {
    for (int i = 0; i < 10; i++) {
      buffer.sampleFewer();
    }
    assertThat(buffer.weight()).isEqualTo(ReadBuffer.WEIGHT_MAX);
    fill(Integer.MAX_VALUE, 0xFFFF);
    buffer.drainAll(listener);

    assertThat(listener.received)
        .hasSize(ReadBuffer.LENGTH)
        .allMatch(new Hit(Integer.MAX_VALUE, 0xFFFF, 16)::equals);
  }

  @Test
  void ringsOfOthers_areApart_andDrainAllDrainsThem() {
    buffer.add(0, 1, 10);
    buffer.add(7, 2, 20);
    buffer.drainFull(0, ONE, listener);
    assertThat(listener.received).containsExactly(new Hit(1, 10, 1));
    buffer.drainAll(listener);
    buffer.drainAll(listener);

    assertThat(listener.received).containsExactly(new Hit(1, 10, 1), new Hit(2, 20, 1));
    assertThat(ReadBuffer.own()).isBetween(0, 7);
  }

  @Test
  void drainedByTurns_samplesStepByStep_downToOneOfSixteen() {
    List<Integer> weights = new ArrayList<>();
    for (int ring = 0; ring < 8; ring++) {
      weights.add(buffer.weight());
      fill(1, 1);
      buffer.drainFull(RING, ring % 2 == 0 ? ONE : OTHER, listener);
    }

    assertThat(weights).containsExactly(1, 1, 2, 4, 8, 16, 16, 16);
  }

  @Test
  void turns_weightsAddUpToTheHits_forEverySlot() {
    int hits = 1_000_000;
    hit(hits, ONE, OTHER);

    assertThat(buffer.weight()).isEqualTo(16);
    assertThat(listener.received).hasSizeBetween(hits / 18, hits / 14);
    // Five standard deviations of a draw of one in sixteen: 16 * sqrt(n * 1/16 * 15/16).
    assertThat(listener.hits()).isCloseTo(hits, within(20_000L));
    for (int slot = 0; slot < SLOTS; slot++) {
      assertThat(listener.hits(slot)).isCloseTo(hits / SLOTS, within(6_200L));
    }
  }

  @Test
  void drainsByOneThread_goBackToEveryHit() {
    hit(100_000, ONE, OTHER);
    assertThat(buffer.weight()).isEqualTo(16);
    hit(4 * ReadBuffer.ALONE_DRAINS * ReadBuffer.LENGTH * 16, ONE);
    assertThat(buffer.weight()).isEqualTo(1);
    buffer.drainAll(listener);
    listener.received.clear();
    hit(10 * ReadBuffer.LENGTH, ONE);

    assertThat(listener.received)
        .hasSize(10 * ReadBuffer.LENGTH)
        .allMatch(hit -> hit.weight() == 1);
  }

  @Test
  void drainAll_countsAsADrainByOneThread_butOneTurnBreaksTheRow() {
    hit(100_000, ONE, OTHER);
    IntStream.range(0, ReadBuffer.ALONE_DRAINS - 1).forEach(i -> buffer.drainAll(listener));
    assertThat(buffer.weight()).isEqualTo(16);
    buffer.drainAll(listener);
    assertThat(buffer.weight()).isEqualTo(8);
    IntStream.range(0, ReadBuffer.ALONE_DRAINS - 1).forEach(i -> buffer.drainAll(listener));
    buffer.drainFull(RING, 99, listener);
    assertThat(buffer.weight()).isEqualTo(16);
    IntStream.range(0, 4 * ReadBuffer.ALONE_DRAINS).forEach(i -> buffer.drainAll(listener));
    assertThat(buffer.weight()).isEqualTo(1);
    IntStream.range(0, 4 * ReadBuffer.ALONE_DRAINS).forEach(i -> buffer.drainAll(listener));
    assertThat(buffer.weight()).isEqualTo(1);
  }

  @Test
  void fullRing_notDrained_waitsForTheNextWriter() {
    fill(5, 1);
    buffer.sampleFewer();
    buffer.drainAll(listener);

    assertThat(listener.received).hasSize(ReadBuffer.LENGTH);
  }

  @Test
  void fullRing_notDrained_isLostWithTheNextHit() {
    fill(5, 1);
    buffer.sampleFewer();
    assertThat(buffer.weight()).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      buffer.add(RING, 9, 1);
    }
    buffer.drainAll(listener);

    assertThat(listener.received).hasSizeBetween(2, 19).allMatch(hit -> hit.slot() == 9);
    listener.received.clear();
    buffer.drainAll(listener);
    assertThat(listener.received).isEmpty();
  }

  /** Records may be lost or repeated, but each drained hit was recorded by a thread. */
  @Test
  void manyThreads_drainOnlyWhatWasRecorded() throws Exception {
    int threads = 12;
    ReentrantLock lock = new ReentrantLock();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int reader = 1 + t;
        running.add(pool.submit(() -> write(reader, lock)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
    buffer.drainAll(listener);

    assertThat(listener.received).isNotEmpty();
    for (Hit hit : listener.received) {
      // A ring that was written out of order may show a place before anybody wrote there.
      assertThat(hit.reader() == 0 ? 0 : hit.slot() % 100).isEqualTo(hit.reader());
      assertThat(hit.weight()).isIn(1, 2, 4, 8, 16);
    }
  }

  private void write(int reader, ReentrantLock lock) {
    int ring = ReadBuffer.own();
    for (int i = 0; i < 200_000; i++) {
      if (buffer.add(ring, i % 1000 * 100 + reader, reader)) {
        if (lock.tryLock()) {
          try {
            buffer.drainFull(ring, listener);
            if (listener.received.size() > 100_000) {
              listener.received.subList(0, 90_000).clear();
            }
          } finally {
            lock.unlock();
          }
        } else {
          buffer.sampleFewer();
        }
      }
    }
  }
}
