package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
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
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What pieces take, and what happens without room for them. */
class PieceStreamTest {
  private static final int PIECE = 128;
  private static final int LARGE = 1000;
  private static final PieceKernel NOTHING = (piece, places, arguments) -> {};

  private final VirtualClock clock = new VirtualClock();

  /** Copies in take a nanosecond for each byte, copies out two. */
  private PlacedMemory placed(PlacementPolicy policy, long fastBytes, long slowBytes) {
    DeviceSpec fast =
        new DeviceSpec("fast", DeviceKind.FAST, fastBytes, 1, DeviceSpeed.symmetric(100e9, 0));
    DeviceSpec slow =
        new DeviceSpec(
            "slow", DeviceKind.SLOW, slowBytes, 1, new DeviceSpeed(1e9, 0.5e9, 0, 0, 64, 4));
    TieredMemory memory =
        new TieredMemory(List.of(Tiers.tier(fast), Tiers.tier(slow)), Tiers.SETTINGS, clock);
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
  }

  private PlacedMemory placed(long fastBytes) {
    return placed(PlacementName.CACHED_ARRAYS.unplanned(), fastBytes, 1 << 14);
  }

  private static MemObject large(PlacedMemory memory) throws InterruptedException {
    MemObject object = memory.create(new AllocationRequest(LARGE, Hint.SLOW));
    Tiers.fill(memory.memory(), object, 3);
    return object;
  }

  private static List<Piece> pieces(MemObject object, Use use, int count) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pieces.add(new Piece(List.of(new Range(object, (long) i * PIECE, PIECE, use))));
    }
    return pieces;
  }

  private static KernelEvent event(MemObject object, Use use, long fastNanos) {
    List<MemObject> one = List.of(object);
    return new KernelEvent(0, "pieces", one, use == Use.READS ? List.of() : one, fastNanos);
  }

  private static void sound(PlacedMemory memory) {
    assertThat(memory.memory().verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
  }

  /**
   * Copies in take 128 ns, computing 100, copies out 256. Three buffers: copies out follow one
   * another from 228 on. Two: the third copy in begins at 484, after the first one out. One: all
   * after each other.
   */
  @ParameterizedTest
  @CsvSource({
    "400, CHANGES, 996", "300, CHANGES, 1096", "200, CHANGES, 1452",
    "400, READS, 484", "300, READS, 484", "200, READS, 684",
    "400, USES_UP, 484"
  })
  void copiesAndComputing_overlap(long fastBytes, Use use, long nanos) throws Exception {
    try (PlacedMemory memory = placed(fastBytes)) {
      MemObject object = large(memory);
      long start = clock.nanos();
      PlacementStats before = memory.stats();
      assertThat(memory.runPieces(event(object, use, 300), pieces(object, use, 3), NOTHING))
          .isEqualTo(nanos);
      assertThat(clock.nanos() - start).isEqualTo(nanos);
      PlacementStats after = memory.stats();
      assertThat(after.computeNanos() - before.computeNanos()).isEqualTo(300);
      assertThat(after.stallNanos() - before.stallNanos()).isEqualTo(nanos - 300);
      assertThat(memory.memory().traffic().bytes(SLOW, FAST)).isEqualTo(3 * PIECE);
      assertThat(memory.memory().traffic().bytes(FAST, SLOW))
          .isEqualTo(use == Use.CHANGES ? 3 * PIECE : 0);
      sound(memory);
    }
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "7", "301", "1000"})
  void theGivenTime_isChargedOnceOverAllPieces(long fastNanos) throws Exception {
    try (PlacedMemory memory = placed(400)) {
      MemObject object = large(memory);
      memory.runPieces(
          event(object, Use.CHANGES, fastNanos), pieces(object, Use.CHANGES, 7), NOTHING);
      assertThat(memory.stats().computeNanos()).isEqualTo(fastNanos);
    }
  }

  @Test
  void whatIsFast_isWorkedOnInPlace() throws Exception {
    try (PlacedMemory memory = placed(2 * LARGE)) {
      MemObject object = memory.create(new AllocationRequest(LARGE, Hint.FAST));
      Tiers.fill(memory.memory(), object, 3);
      long nanos =
          memory.runPieces(
              event(object, Use.CHANGES, 300),
              pieces(object, Use.CHANGES, 3),
              (piece, places, arguments) ->
                  assertThat(places)
                      .containsExactly(new PieceKernel.Place(object, (long) piece * PIECE)));
      assertThat(nanos).isEqualTo(300);
      assertThat(memory.memory().traffic().bytes(SLOW, FAST)).isZero();
      assertThat(memory.stats().fastUses()).isEqualTo(2);
    }
  }

  @Test
  void noPieces_areNoWork() throws Exception {
    try (PlacedMemory memory = placed(400)) {
      MemObject object = large(memory);
      memory.runPieces(
          event(object, Use.CHANGES, 300),
          List.of(),
          (piece, places, arguments) -> {
            throw new AssertionError();
          });
      assertThat(Tiers.read(memory.memory(), object)).containsOnly(3);
      sound(memory);
    }
  }

  @Test
  void noRoomAnywhere_isDoneWithout() throws Exception {
    try (PlacedMemory memory = placed(PlacementName.CACHED_ARRAYS.unplanned(), PIECE - 1, LARGE)) {
      MemObject object = large(memory);
      AtomicInteger ran = new AtomicInteger();
      memory.runPieces(
          event(object, Use.CHANGES, 300),
          pieces(object, Use.CHANGES, 3),
          (piece, places, arguments) -> {
            ran.incrementAndGet();
            arguments.bytes(places.get(0).holder()).put((int) places.get(0).offset(), (byte) 9);
          });
      assertThat(ran).hasValue(3);
      assertThat(Tiers.read(memory.memory(), object)[PIECE]).isEqualTo((byte) 9);
      sound(memory);
    }
  }

  @Test
  void wrongPieces_areRefused() throws Exception {
    try (PlacedMemory memory = placed(400)) {
      MemObject object = large(memory);
      MemObject other = large(memory);
      for (long[] range : new long[][] {{-1, 5}, {0, 0}, {0, LARGE + 1}, {LARGE, 1}, {1, -1}}) {
        assertThatThrownBy(() -> new Range(object, range[0], range[1], Use.READS))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(object.toString());
      }
      assertThatThrownBy(() -> new Range(object, Long.MAX_VALUE, 2, Use.READS))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () ->
                  memory.runPieces(
                      event(object, Use.READS, 1), pieces(object, Use.CHANGES, 1), NOTHING))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("only reads");
      assertThatThrownBy(
              () ->
                  memory.runPieces(
                      event(object, Use.READS, 1), pieces(other, Use.READS, 1), NOTHING))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not an argument");
      Tiers.fill(memory.memory(), object, 4);
      sound(memory);
    }
  }

  @Test
  void asManyPieces_asTheirBuffersTakeAPartOfTheFastDevice() {
    for (long fast : new long[] {1, 23, 24, 240, 4096}) {
      try (TieredMemory memory = Tiers.of(fast, 64)) {
        PlacedMemory placed =
            new PlacedMemory(
                memory, PlacementName.CACHED_ARRAYS.unplanned(), PolicyEnvironment.of(memory));
        long pieces = placed.piecesOf(1000);
        assertThat(pieces).isPositive();
        if (fast >= 24) {
          long each = (1000 + pieces - 1) / pieces;
          assertThat(each * PieceStream.BUFFERS * PieceStream.SHARE).isLessThanOrEqualTo(fast);
        } else {
          assertThat(pieces).isOne();
        }
      }
    }
  }
}
