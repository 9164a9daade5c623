package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.BlockFile;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Kernels whose slow arguments can only be copied. */
final class StagingTest {
  private static final long SLOW_BYTES = 1 << 14;

  private static PlacedMemory placed(PlacementPolicy policy, long fastBytes) {
    return placed(policy, fastBytes, new VirtualClock());
  }

  private static PlacedMemory placed(PlacementPolicy policy, long fastBytes, MemoryClock clock) {
    TieredMemory memory = Tiers.pastThePageCache(fastBytes, SLOW_BYTES, clock);
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
  }

  private static PlacementPolicy allSlow() {
    return PlacementName.ALL_SLOW.unplanned();
  }

  private static MemObject make(PlacedMemory memory, int bytes, int value)
      throws InterruptedException {
    MemObject object = memory.create(new AllocationRequest(bytes, Hint.AUTO));
    memory.run(
        new KernelEvent(0, "fill", List.of(), List.of(object)),
        arguments -> arguments.bytes(object).put(filled(bytes, value)));
    return object;
  }

  private static byte[] filled(int bytes, int value) {
    byte[] all = new byte[bytes];
    Arrays.fill(all, (byte) value);
    return all;
  }

  private static byte[] read(PlacedMemory memory, MemObject object) throws InterruptedException {
    return Tiers.read(memory.memory(), object);
  }

  @Test
  void aSlowArgument_isFastDuringItsKernelOnly() throws Exception {
    try (PlacedMemory memory = placed(allSlow(), 512)) {
      MemObject read = make(memory, 100, 1);
      MemObject changed = make(memory, 200, 2);
      long out = memory.memory().traffic().bytes(FAST, SLOW);
      long slowUses = memory.stats().slowUses();
      assertThat(read.in(SLOW)).isTrue();
      memory.run(
          new KernelEvent(0, "k", List.of(read), List.of(changed)),
          arguments -> {
            assertThat(arguments.region(read).in(FAST)).isTrue();
            assertThat(arguments.bytes(read).get(99)).isEqualTo((byte) 1);
            assertThat(arguments.bytes(changed).get(199)).isEqualTo((byte) 2);
            arguments.bytes(changed).put(7, (byte) 9);
          });
      assertThat(read.in(SLOW)).isTrue();
      assertThat(changed.in(SLOW)).isTrue();
      assertThat(memory.memory().use(FAST).occupiedBytes()).isZero();
      assertThat(memory.memory().traffic().bytes(FAST, SLOW) - out)
          .as("what was only read is not copied back")
          .isEqualTo(200);
      assertThat(read(memory, changed)[7]).isEqualTo((byte) 9);
      assertThat(memory.stats().slowUses() - slowUses).as("misses").isEqualTo(2);
      assertThat(memory.stats().slowReadBytes()).as("bytes read in place").isZero();
      assertThat(memory.stats().actions().get(Reason.STAGED).done()).isPositive();
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  @Test
  void anObjectThatAKernelCreates_leavesAfterIt() throws Exception {
    try (PlacedMemory memory = placed(allSlow(), 512)) {
      List<MemObject> made = new ArrayList<>();
      memory.run(
          new KernelEvent(0, "k", List.of(), List.of()),
          arguments -> {
            MemObject object = arguments.create(new AllocationRequest(300, Hint.AUTO));
            arguments.bytes(object).put(filled(300, 5));
            made.add(object);
          });
      assertThat(made.get(0).in(SLOW)).isTrue();
      assertThat(read(memory, made.get(0))).isEqualTo(filled(300, 5));
    }
  }

  @Test
  void arguments_thatDoNotFitTogether_areRefusedByTheFastDevice() throws Exception {
    try (PlacedMemory memory = placed(allSlow(), 512)) {
      MemObject one = make(memory, 300, 1);
      MemObject two = make(memory, 300, 2);
      assertThatThrownBy(
              () -> memory.run(new KernelEvent(0, "k", List.of(one, two), List.of()), any -> {}))
          .isInstanceOf(DeviceFullException.class)
          .hasMessageContaining("device fast has no room for 300 bytes");
      assertThat(read(memory, one)).isEqualTo(filled(300, 1));
      assertThat(read(memory, two)).isEqualTo(filled(300, 2));
      memory.run(new KernelEvent(0, "k", List.of(two), List.of()), any -> {});
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  @Test
  void objectsInTheWay_leaveForAnArgument_andThePolicyGoesOn() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.FIRST_TOUCH.unplanned(), 512)) {
      MemObject one = make(memory, 200, 1);
      MemObject two = make(memory, 200, 2);
      MemObject three = make(memory, 400, 3);
      assertThat(three.in(SLOW)).isTrue();
      memory.run(
          new KernelEvent(0, "k", List.of(three), List.of()),
          arguments -> assertThat(arguments.bytes(three).get(399)).isEqualTo((byte) 3));
      assertThat(read(memory, one)).isEqualTo(filled(200, 1));
      assertThat(read(memory, two)).isEqualTo(filled(200, 2));
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  @Test
  void scatteredArguments_moveTogetherForALargeOne() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.FIRST_TOUCH.unplanned(), 600)) {
      MemObject before = make(memory, 100, 1);
      MemObject between = make(memory, 200, 2);
      MemObject after = make(memory, 100, 3);
      MemObject large = make(memory, 400, 4);
      // 400 bytes fit beside the two small ones only when these lie together.
      for (MemObject object : List.of(before, between, after)) {
        assertThat(Tiers.promote(memory.memory(), object)).isTrue();
      }
      assertThat(after.primary().offset()).isEqualTo(300);
      long in = memory.memory().traffic().bytes(SLOW, FAST);
      memory.run(new KernelEvent(0, "k", List.of(before, after, large), List.of()), any -> {});
      assertThat(memory.memory().traffic().bytes(SLOW, FAST) - in)
          .as("the small ones did not leave")
          .isEqualTo(400);
      for (MemObject object : List.of(before, between, after, large)) {
        assertThat(read(memory, object)[0]).isPositive();
      }
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  /** The step is announced, so the engine knows what the kernel creates. */
  @Test
  void scatteredArguments_moveTogetherForAnObjectThatTheKernelCreates() throws Exception {
    TaskGraph graph =
        new TaskGraph(
            List.of(new TaskGraph.Kernel("k", List.of(0, 1), List.of(2), 1)),
            List.of(
                new TaskGraph.Tensor("a", 100, TaskGraph.TensorKind.PARAMETER, true),
                new TaskGraph.Tensor("b", 100, TaskGraph.TensorKind.PARAMETER, true),
                new TaskGraph.Tensor("c", 400, TaskGraph.TensorKind.INTERMEDIATE, false)));
    try (PlacedMemory memory = placed(PlacementName.FIRST_TOUCH.unplanned(), 640)) {
      MemObject a = memory.create(new AllocationRequest(100, Hint.AUTO, 0, "a"));
      MemObject between = make(memory, 200, 2);
      MemObject b = memory.create(new AllocationRequest(100, Hint.AUTO, 0, "b"));
      assertThat(b.primary().offset()).isEqualTo(300);
      memory.beginStep(graph);
      memory.run(
          new KernelEvent(0, "k", List.of(a, b), List.of()).named(List.of("a", "b")),
          arguments -> {
            MemObject made = arguments.create(new AllocationRequest(400, Hint.AUTO, 0, "c"));
            assertThat(arguments.region(made).in(FAST)).isTrue();
          });
      assertThat(read(memory, between)).isEqualTo(filled(200, 2));
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  /** The arguments are larger than the fast device, and no policy streams here. */
  @Test
  void aKernelInPieces_takesSlowArgumentsThroughBuffers() throws Exception {
    int bytes = 1000;
    try (PlacedMemory memory = placed(allSlow(), 768)) {
      MemObject read = big(memory, bytes, 3);
      MemObject changed = big(memory, bytes, 4);
      runPieces(memory, read, changed, bytes, 1);
      assertThat(read(memory, changed)).isEqualTo(filled(bytes, 7));
      assertThat(memory.memory().objects()).containsExactlyInAnyOrder(read, changed);
      assertThat(memory.memory().use(FAST).occupiedBytes()).isZero();
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  /** Adds the first object to the second one. */
  private static void runPieces(
      PlacedMemory memory, MemObject read, MemObject changed, int bytes, int factor)
      throws InterruptedException {
    int pieces = Math.toIntExact(memory.piecesOf(2L * bytes));
    int each = (bytes + pieces - 1) / pieces;
    List<Piece> all = new ArrayList<>();
    for (int at = 0; at < bytes; at += each) {
      int count = Math.min(each, bytes - at);
      all.add(
          new Piece(
              List.of(
                  new Piece.Range(read, at, count, Piece.Use.READS),
                  new Piece.Range(changed, at, count, Piece.Use.CHANGES))));
    }
    KernelEvent event = new KernelEvent(0, "add", List.of(read, changed), List.of(changed));
    memory.runPieces(
        event,
        all,
        (piece, places, arguments) -> {
          int from = Math.toIntExact(places.get(0).offset());
          int to = Math.toIntExact(places.get(1).offset());
          int count = Math.toIntExact(all.get(piece).ranges().get(0).bytes());
          var in = arguments.bytes(places.get(0).holder());
          var out = arguments.bytes(places.get(1).holder());
          for (int i = 0; i < count; i++) {
            out.put(to + i, (byte) (out.get(to + i) + factor * in.get(from + i)));
          }
        });
  }

  /** An object that does not fit the fast device, written in pieces. */
  private static MemObject big(PlacedMemory memory, int bytes, int value)
      throws InterruptedException {
    MemObject object = memory.create(new AllocationRequest(bytes, Hint.AUTO));
    assertThat(object.in(SLOW)).isTrue();
    List<Piece> all = new ArrayList<>();
    for (int at = 0; at < bytes; at += 20) {
      all.add(
          new Piece(
              List.of(new Piece.Range(object, at, Math.min(20, bytes - at), Piece.Use.CHANGES))));
    }
    memory.runPieces(
        new KernelEvent(0, "fill", List.of(), List.of(object)),
        all,
        (piece, places, arguments) -> {
          int at = Math.toIntExact(places.get(0).offset());
          int count = Math.toIntExact(all.get(piece).ranges().get(0).bytes());
          arguments.bytes(places.get(0).holder()).put(at, filled(count, value));
        });
    return object;
  }

  @Test
  void aKernelInPieces_whoseFastArgumentsFillTheDevice_getsBuffers() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.FIRST_TOUCH.unplanned(), 768)) {
      MemObject far = make(memory, 768, 4);
      assertThat(Tiers.demote(memory.memory(), far)).isTrue();
      MemObject near = make(memory, 768, 3);
      assertThat(near.in(FAST)).isTrue();
      runPieces(memory, near, far, 768, 1);
      assertThat(read(memory, far)).isEqualTo(filled(768, 7));
      assertThat(memory.memory().verify(true).problems()).isEmpty();
    }
  }

  @Test
  void aLease_onBytesThatCanOnlyBeCopied_saysSo() throws Exception {
    try (PlacedMemory memory = placed(allSlow(), 512)) {
      MemObject object = make(memory, 100, 1);
      assertThatThrownBy(() -> memory.memory().read(object))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("device slow, whose bytes can only be copied");
      assertThat(memory.memory().accessible(SLOW)).isFalse();
      assertThat(memory.memory().accessible(FAST)).isTrue();
    }
  }

  /** An interrupt would close the file if the copying thread itself read or wrote it. */
  @Test
  void anInterrupt_inTheMiddleOfACopy_endsItAndLeavesAFileThatWorks() throws Exception {
    BlockFile file = new BlockFile(Integer.MAX_VALUE);
    DeviceSpec slow = Tiers.slow(SLOW_BYTES);
    try (TieredMemory memory =
        new TieredMemory(
            List.of(Tiers.tier(Tiers.fast(2048)), new TieredMemory.Tier(slow, file.open(slow))),
            Tiers.SETTINGS,
            new RealClock())) {
      MemObject object = Tiers.make(memory, FAST, 2000);
      Tiers.fill(memory, object, 6);
      Region target = memory.allocate(SLOW, 2000).orElseThrow();
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      AtomicBoolean ended = new AtomicBoolean();
      file.before =
          () -> {
            begun.countDown();
            await(released);
          };
      Thread copier =
          new Thread(
              () -> {
                try (Move move = memory.move(object)) {
                  move.copyTo(target);
                } catch (InterruptedException e) {
                  ended.set(true);
                }
              });
      copier.start();
      begun.await();
      copier.interrupt();
      released.countDown();
      copier.join();
      assertThat(ended).isTrue();
      file.before = () -> {};
      try (Move move = memory.move(object)) {
        move.copyTo(target);
        move.link(target);
      }
      assertThat(memory.verify(true).problems()).isEmpty();
      assertThat(file.isOpen()).isTrue();
    }
  }

  /** The fast device holds the arguments of one of the kernels. */
  @Test
  void kernelsOfTwoThreads_runOneAfterTheOther() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (PlacedMemory memory = placed(allSlow(), 512, new RealClock())) {
      MemObject one = make(memory, 300, 1);
      MemObject two = make(memory, 300, 2);
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      AtomicBoolean ended = new AtomicBoolean();
      Future<?> first =
          threads.submit(
              () -> {
                memory.run(
                    new KernelEvent(0, "a", List.of(one), List.of()),
                    arguments -> {
                      begun.countDown();
                      await(released);
                      assertThat(arguments.bytes(one).get(0)).isEqualTo((byte) 1);
                      ended.set(true);
                    });
                return null;
              });
      begun.await();
      AtomicReference<Thread> waiting = new AtomicReference<>();
      Future<Boolean> second =
          threads.submit(
              () -> {
                waiting.set(Thread.currentThread());
                try (RunningKernel running =
                    memory.start(new KernelEvent(0, "b", List.of(two), List.of()))) {
                  running.finish();
                  return ended.get();
                }
              });
      while (waiting.get() == null || waiting.get().getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      released.countDown();
      first.get();
      assertThat(second.get()).as("the first kernel has ended before").isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
