package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.PinnedException;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.Piece.Range;
import io.idlalayer.middleware.placement.api.Piece.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two threads, each with a large object of its own, that read a third one together. */
class PieceStressTest {
  private static final int THREADS = 2;
  private static final int ROUNDS = 400;
  private static final int BYTES = 2100;

  private final AtomicInteger streamed = new AtomicInteger();

  private MemObject made(PlacedMemory memory, int value) throws InterruptedException {
    MemObject object = memory.create(new AllocationRequest(BYTES, Hint.SLOW));
    Tiers.fill(memory.memory(), object, value);
    return object;
  }

  /** Adds the shared object's ones to all bytes. */
  private void run(PlacedMemory memory, MemObject own, MemObject shared, long seed)
      throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    List<MemObject> small = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      int width = 100 + random.nextInt(500);
      List<Piece> pieces = new ArrayList<>();
      for (int at = 0; at < BYTES; at += width) {
        int bytes = Math.min(width, BYTES - at);
        pieces.add(
            new Piece(
                List.of(
                    new Range(own, at, bytes, Use.CHANGES),
                    new Range(shared, at, bytes, Use.READS))));
      }
      KernelEvent event =
          new KernelEvent(round % 8, "add " + seed, List.of(shared, own), List.of(own));
      memory.runPieces(
          event,
          pieces,
          (piece, places, arguments) -> {
            PieceKernel.Place to = places.get(0);
            PieceKernel.Place from = places.get(1);
            streamed.addAndGet(to.holder() == own ? 0 : 1);
            for (int i = 0; i < pieces.get(piece).ranges().get(0).bytes(); i++) {
              int at = (int) to.offset() + i;
              byte more = arguments.bytes(from.holder()).get((int) from.offset() + i);
              arguments
                  .bytes(to.holder())
                  .put(at, (byte) (arguments.bytes(to.holder()).get(at) + more));
            }
          });
      between(memory, own, small, random);
    }
    for (MemObject object : small) {
      assertThat(Tiers.read(memory.memory(), object)).containsOnly(7);
      memory.retire(object);
    }
  }

  private static void between(
      PlacedMemory memory, MemObject own, List<MemObject> small, SplittableRandom random)
      throws InterruptedException {
    try {
      switch (random.nextInt(6)) {
        case 0 -> memory.memory().defragment(FAST);
        case 1 -> Tiers.demote(memory.memory(), own);
        case 2 -> {
          MemObject object = memory.create(new AllocationRequest(150, Hint.AUTO));
          Tiers.fill(memory.memory(), object, 7);
          small.add(object);
        }
        case 3 -> {
          if (!small.isEmpty()) {
            memory.retire(small.remove(random.nextInt(small.size())));
          }
        }
        default -> memory.endOfStep();
      }
    } catch (PinnedException e) {
      // What was to move is in use.
      Thread.onSpinWait();
    }
  }

  @Test
  void kernelsBesideEachOther_loseNothing() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (PlacedMemory memory =
        PlacedTiers.of(PlacementName.CACHED_ARRAYS.unplanned(), 1920, 1 << 17, new RealClock())) {
      MemObject shared = made(memory, 1);
      List<MemObject> own = new ArrayList<>();
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        MemObject object = made(memory, 0);
        own.add(object);
        long seed = thread;
        running.add(
            threads.submit(
                () -> {
                  run(memory, object, shared, seed);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      for (MemObject object : own) {
        assertThat(Tiers.read(memory.memory(), object)).containsOnly(ROUNDS % 256);
        memory.retire(object);
      }
      assertThat(Tiers.read(memory.memory(), shared)).containsOnly(1);
      memory.retire(shared);
      assertThat(streamed).hasPositiveValue();
      assertThat(memory.memory().objects()).isEmpty();
      assertThat(memory.memory().verify()).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(memory.memory().use(FAST).occupiedBytes()).isZero();
      assertThat(memory.memory().use(SLOW).occupiedBytes()).isZero();
      assertThat(memory.memory().use(FAST).highWaterBytes()).isLessThanOrEqualTo(1920);
    } finally {
      threads.shutdownNow();
    }
  }
}
