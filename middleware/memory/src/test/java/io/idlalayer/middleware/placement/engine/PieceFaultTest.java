package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.Gate;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ObjectAccess;
import io.idlalayer.middleware.memory.object.TieredMemory;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels in pieces that fail or are interrupted, at every place where they can. */
class PieceFaultTest {
  private static final int LARGE = 900;
  private static final int PIECE = 120;
  private static final int PIECES = 7;
  private static final long FAST_BYTES = 640;

  /** Two large slow objects, and small ones that fill the fast device and must leave. */
  private static final class Scene implements AutoCloseable {
    final FaultyArena fast = new FaultyArena(Tiers.fast(FAST_BYTES));
    final FaultyArena slow = new FaultyArena(Tiers.slow(1 << 13));
    final PlacedMemory memory;
    final MemObject read;
    final MemObject changed;
    final List<MemObject> small = new ArrayList<>();

    Scene(MemoryClock clock) throws InterruptedException {
      TieredMemory tiers =
          new TieredMemory(
              List.of(
                  new TieredMemory.Tier(Tiers.fast(FAST_BYTES), fast),
                  new TieredMemory.Tier(Tiers.slow(1 << 13), slow)),
              Tiers.SETTINGS,
              clock);
      memory =
          new PlacedMemory(
              tiers, PlacementName.CACHED_ARRAYS.unplanned(), PolicyEnvironment.of(tiers));
      read = made(LARGE, Hint.SLOW);
      changed = made(LARGE, Hint.SLOW);
      for (int i = 0; i < 5; i++) {
        small.add(made(128, Hint.FAST));
      }
    }

    private MemObject made(int bytes, Hint hint) throws InterruptedException {
      MemObject object = memory.create(new AllocationRequest(bytes, hint));
      Tiers.fill(memory.memory(), object, 3);
      return object;
    }

    long run(PieceKernel kernel) throws InterruptedException {
      List<Piece> pieces = new ArrayList<>();
      for (int i = 0; i < PIECES; i++) {
        long at = (long) i * PIECE;
        // The part of the other argument that completes a buffer of 192 bytes.
        pieces.add(
            new Piece(
                List.of(
                    new Range(changed, at, PIECE, Use.CHANGES),
                    new Range(read, at, 60, Use.READS))));
      }
      return memory.runPieces(
          new KernelEvent(0, "pieces", List.of(read), List.of(changed)), pieces, kernel);
    }

    /** Adds what was read. */
    static void add(int piece, List<PieceKernel.Place> places, KernelArguments arguments) {
      PieceKernel.Place to = places.get(0);
      PieceKernel.Place from = places.get(1);
      byte more = arguments.bytes(from.holder()).get((int) from.offset());
      for (int i = 0; i < PIECE; i++) {
        int at = (int) to.offset() + i;
        byte old = arguments.bytes(to.holder()).get(at);
        arguments.bytes(to.holder()).put(at, (byte) (old + more));
      }
    }

    /** Nothing is lost, held or left over, and all goes on. */
    void check() throws InterruptedException {
      List<MemObject> all = new ArrayList<>(small);
      all.add(read);
      all.add(changed);
      assertThat(memory.memory().objects()).containsExactlyInAnyOrderElementsOf(all);
      assertThat(memory.memory().verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      for (MemObject object : all) {
        assertThat(object.access()).isEqualTo(ObjectAccess.NOT_BUSY);
        assertThat(object.pinned()).isFalse();
        if (object != changed) {
          assertThat(Tiers.read(memory.memory(), object)).containsOnly(3);
        }
        Tiers.fill(memory.memory(), object, 3);
        Tiers.demote(memory.memory(), object);
        assertThat(object.in(SLOW)).isTrue();
        Tiers.promote(memory.memory(), object);
      }
      run(Scene::add);
      byte[] after = Tiers.read(memory.memory(), changed);
      for (int i = 0; i < LARGE; i++) {
        assertThat(after[i]).isEqualTo((byte) (i < PIECES * PIECE ? 6 : 3));
      }
      assertThat(memory.memory().use(FAST).highWaterBytes()).isLessThanOrEqualTo(FAST_BYTES);
    }

    @Override
    public void close() throws InterruptedException {
      memory.close();
    }
  }

  private static MemoryClock clock(ClockKind kind) {
    return kind == ClockKind.VIRTUAL ? new VirtualClock() : new RealClock();
  }

  @ParameterizedTest
  @EnumSource(
      value = ClockKind.class,
      names = {"VIRTUAL", "REAL"})
  void aKernelThatFailsInAPiece_endsItAll(ClockKind kind) throws Exception {
    for (int bad = 0; bad < PIECES; bad++) {
      int at = bad;
      try (Scene scene = new Scene(clock(kind))) {
        PlacementStats before = scene.memory.stats();
        assertThatThrownBy(
                () ->
                    scene.run(
                        (piece, places, arguments) -> {
                          assertThat(places.get(0).holder()).isNotSameAs(scene.changed);
                          Scene.add(piece, places, arguments);
                          if (piece == at) {
                            throw new IllegalStateException("piece " + piece);
                          }
                        }))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("piece " + at);
        assertThat(scene.memory.stats().computeNanos()).isEqualTo(before.computeNanos());
        byte[] changed = Tiers.read(scene.memory.memory(), scene.changed);
        for (int i = 0; i < LARGE; i++) {
          assertThat(changed[i]).isEqualTo((byte) (i < at * PIECE ? 6 : 3));
        }
        scene.check();
      }
    }
  }

  private interface Trouble {
    void prepare(Scene scene, int put);
  }

  /** Lets something happen at one put after the other, until there are no more. */
  private static int sweep(ClockKind kind, Class<? extends Exception> expected, Trouble trouble)
      throws Exception {
    int failures = 0;
    for (int put = 0; ; put++) {
      try (Scene scene = new Scene(clock(kind))) {
        AtomicInteger pieces = new AtomicInteger();
        trouble.prepare(scene, put);
        boolean failed = false;
        try {
          scene.run(
              (piece, places, arguments) -> {
                pieces.incrementAndGet();
                Scene.add(piece, places, arguments);
              });
        } catch (Exception e) {
          assertThat(e).isInstanceOf(expected);
          failed = true;
          failures++;
        }
        Thread.interrupted();
        boolean struck = scene.fast.healthyPuts.get() < 0 || scene.slow.healthyPuts.get() < 0;
        for (FaultyArena arena : List.of(scene.fast, scene.slow)) {
          arena.fault = FaultyArena.Fault.NONE;
          arena.beforePut = () -> {};
        }
        if (!failed) {
          assertThat(pieces).hasValue(PIECES);
        }
        scene.check();
        if (!struck) {
          return failures;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ClockKind.class,
      names = {"VIRTUAL", "REAL"})
  void aCopyInThatFails_isSaid(ClockKind kind) throws Exception {
    int failures =
        sweep(
            kind,
            DeviceFailureException.class,
            (scene, put) -> scene.fast.failAfter(put, FaultyArena.Fault.BROKEN));
    // Chunks of 64 bytes.
    assertThat(failures).isEqualTo(PIECES * 3);
  }

  @ParameterizedTest
  @EnumSource(
      value = ClockKind.class,
      names = {"VIRTUAL", "REAL"})
  void aCopyOutThatFails_isSaid(ClockKind kind) throws Exception {
    int failures =
        sweep(
            kind,
            DeviceFailureException.class,
            (scene, put) -> scene.slow.failAfter(put, FaultyArena.Fault.BROKEN));
    // What leaves for three buffers, and what changes.
    assertThat(failures).isGreaterThan(PIECES * 2);
  }

  /** Under a virtual clock all copies are the caller's: it is interrupted at each in turn. */
  @ParameterizedTest
  @EnumSource(
      value = ClockKind.class,
      names = {"VIRTUAL", "REAL"})
  void anInterruptAtAnyChunk_endsIt(ClockKind kind) throws Exception {
    int[] failures = new int[2];
    for (int device = 0; device < 2; device++) {
      boolean fast = device == 0;
      failures[device] =
          sweep(
              kind,
              InterruptedException.class,
              (scene, put) -> {
                Thread caller = Thread.currentThread();
                FaultyArena arena = fast ? scene.fast : scene.slow;
                arena.healthyPuts.set(put);
                arena.beforePut =
                    () -> {
                      if (arena.healthyPuts.getAndDecrement() == 0) {
                        caller.interrupt();
                      }
                    };
              });
    }
    if (kind == ClockKind.VIRTUAL) {
      // An interrupt in the last chunk is noticed by the next copy; after the last there is none.
      assertThat(failures[0]).isGreaterThan(PIECES * 2);
      assertThat(failures[1]).isGreaterThan(PIECES);
    }
  }

  @Test
  void anInterruptWhileACopyIsWaitedFor_waitsForItsEndOnly() throws Exception {
    try (Scene scene = new Scene(new RealClock())) {
      Gate copying = new Gate();
      AtomicReference<Exception> failure = new AtomicReference<>();
      AtomicInteger pieces = new AtomicInteger();
      scene.fast.beforePut = copying;
      Thread worker =
          new Thread(
              () -> {
                try {
                  scene.run((piece, places, arguments) -> pieces.incrementAndGet());
                } catch (InterruptedException e) {
                  failure.set(e);
                }
              });
      worker.start();
      copying.awaitReached();
      await().atMost(Tiers.PATIENCE).until(() -> worker.getState() == Thread.State.TIMED_WAITING);
      worker.interrupt();
      // Its leases last as long as the copy.
      assertThat(scene.changed.access()).isEqualTo(ObjectAccess.READ_WRITE);
      copying.open();
      worker.join();
      scene.fast.beforePut = () -> {};
      assertThat(failure.get()).isInstanceOf(InterruptedException.class);
      assertThat(pieces).hasValue(0);
      scene.check();
    }
  }
}
