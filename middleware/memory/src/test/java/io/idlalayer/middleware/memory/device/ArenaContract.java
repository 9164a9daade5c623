package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every arena promises that has bytes. */
abstract class ArenaContract {
  private static final int PIECE_BYTES = 4096;

  /** Two pieces and a half. */
  private static final int CAPACITY_BYTES = 10_240;

  private Arena arena;

  /** An arena in pieces of this size. */
  abstract Arena open(DeviceSpec spec, int pieceBytes);

  @BeforeEach
  void open() {
    DeviceSpeed speed = DeviceSpeed.symmetric(1e9, 0);
    arena = open(new DeviceSpec("device", DeviceKind.SLOW, CAPACITY_BYTES, speed), PIECE_BYTES);
  }

  @AfterEach
  void close() {
    arena.close();
  }

  private static ByteBuffer bytes(int from, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    for (int i = 0; i < count; i++) {
      bytes.put((byte) (from + i));
    }
    return bytes.flip();
  }

  @Test
  void size_isThatOfTheDevice() {
    assertThat(arena.capacityBytes()).isEqualTo(CAPACITY_BYTES);
    assertThat(arena.pieceBytes()).isEqualTo(PIECE_BYTES);
    assertThat(arena.description()).isNotBlank();
  }

  @Test
  void put_anywhere_isSeenByEveryView() {
    ByteBuffer early = arena.view(PIECE_BYTES + 8, 16);
    ByteBuffer source = bytes(1, 16);
    assertThat(arena.put(PIECE_BYTES + 8, source)).isEqualTo(16);
    assertThat(source.hasRemaining()).as("the source was read to its limit").isFalse();
    assertThat(early).as("a view that was taken before").isEqualTo(bytes(1, 16));
    assertThat(arena.view(PIECE_BYTES + 16, 8)).isEqualTo(bytes(9, 8));
    early.put(0, (byte) 99);
    assertThat(arena.view(PIECE_BYTES + 8, 1).get()).isEqualTo((byte) 99);
  }

  @Test
  void put_fromTheMiddleOfASource_takesItsPositionToItsLimitOnly() {
    assertThat(arena.put(0, bytes(50, 8))).isEqualTo(8);
    ByteBuffer source = bytes(0, 32).position(10).limit(14);
    assertThat(arena.put(2, source)).isEqualTo(4);
    assertThat(arena.view(0, 8))
        .isEqualTo(ByteBuffer.wrap(new byte[] {50, 51, 10, 11, 12, 13, 56, 57}));
  }

  @Test
  void put_nothing_changesNothing() {
    assertThat(arena.put(CAPACITY_BYTES, ByteBuffer.allocate(0))).isZero();
  }

  @Test
  void view_ofAWholePieceAndOfTheLastByte_isGiven() {
    assertThat(arena.view(PIECE_BYTES, PIECE_BYTES).remaining()).isEqualTo(PIECE_BYTES);
    assertThat(arena.view(CAPACITY_BYTES - 1, 1).remaining()).isEqualTo(1);
    assertThat(arena.view(0, 8).order()).isEqualTo(ByteOrder.nativeOrder());
  }

  @Test
  void view_acrossPiecesOrBeyondTheEnd_isRefused() {
    long[][] wrong = {
      {PIECE_BYTES - 1, 2},
      {CAPACITY_BYTES - 1, 2},
      {CAPACITY_BYTES, 1},
      {-1, 1},
      {0, -1},
      {Long.MAX_VALUE, 1},
      {Long.MAX_VALUE - 1, Integer.MAX_VALUE}
    };
    for (long[] each : wrong) {
      assertThatThrownBy(() -> arena.view(each[0], (int) each[1]))
          .as("%d bytes at %d", each[1], each[0])
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("device");
    }
  }

  @Test
  void put_threadsOnBytesOfTheirOwn_doNotDisturbOneAnother() throws Exception {
    int threads = 4;
    int share = PIECE_BYTES / threads;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int from = i * share;
        running.add(
            pool.submit(
                () -> {
                  for (int round = 0; round < 200; round++) {
                    arena.put(from, bytes(from + round, share));
                    assertThat(arena.view(from, share)).isEqualTo(bytes(from + round, share));
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void close_twice_isHarmlessAndRefusesViews() {
    arena.close();
    arena.close();
    assertThatThrownBy(() -> arena.view(0, 1))
        .isInstanceOf(StaleRegionException.class)
        .hasMessageContaining("device");
    assertThatThrownBy(() -> arena.put(0, bytes(0, 1))).isInstanceOf(StaleRegionException.class);
  }
}
