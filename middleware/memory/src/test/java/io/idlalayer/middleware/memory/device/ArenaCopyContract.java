package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every arena promises that has bytes, whether or not it has views of them. */
abstract class ArenaCopyContract {
  static final int PIECE_BYTES = 4096;

  /** Two pieces and a half. */
  static final int CAPACITY_BYTES = 10_240;

  private Arena arena;

  /** An arena in pieces of this size, if it has pieces of several sizes. */
  abstract Arena open(DeviceSpec spec, int pieceBytes);

  @BeforeEach
  void open() {
    DeviceSpeed speed = DeviceSpeed.symmetric(1e9, 0);
    arena = open(new DeviceSpec("device", DeviceKind.SLOW, CAPACITY_BYTES, speed), PIECE_BYTES);
  }

  @AfterEach
  void close() {
    if (arena != null) {
      arena.close();
    }
  }

  final Arena arena() {
    return arena;
  }

  static ByteBuffer bytes(int from, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    for (int i = 0; i < count; i++) {
      bytes.put((byte) (from + i));
    }
    return bytes.flip();
  }

  static ByteBuffer copy(Arena from, long offset, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    from.get(offset, bytes);
    assertThat(bytes.hasRemaining()).as("the target was filled to its limit").isFalse();
    return bytes.flip();
  }

  @Test
  void size_isThatOfTheDevice() {
    assertThat(arena.capacityBytes()).isEqualTo(CAPACITY_BYTES);
    assertThat(arena.pieceBytes()).isBetween((long) PIECE_BYTES, (long) CAPACITY_BYTES);
    assertThat(arena.description()).isNotBlank();
  }

  @Test
  void put_fromTheMiddleOfASource_takesItsPositionToItsLimitOnly() {
    assertThat(arena.put(0, bytes(50, 8))).isEqualTo(8);
    ByteBuffer source = bytes(0, 32).position(10).limit(14);
    assertThat(arena.put(2, source)).isEqualTo(4);
    assertThat(source.position()).isEqualTo(14);
    assertThat(copy(arena, 0, 8))
        .isEqualTo(ByteBuffer.wrap(new byte[] {50, 51, 10, 11, 12, 13, 56, 57}));
  }

  @Test
  void get_intoTheMiddleOfATarget_fillsItsPositionToItsLimitOnly() {
    assertThat(arena.put(CAPACITY_BYTES - 4, bytes(1, 4))).isEqualTo(4);
    ByteBuffer target = ByteBuffer.allocate(8).position(2).limit(5);
    arena.get(CAPACITY_BYTES - 3, target);
    assertThat(target.array()).containsExactly(0, 0, 2, 3, 4, 0, 0, 0);
    assertThat(target.position()).isEqualTo(5);
  }

  @Test
  void put_nothing_changesNothing() {
    assertThat(arena.put(CAPACITY_BYTES, ByteBuffer.allocate(0))).isZero();
  }

  @Test
  void copies_beyondTheEnd_areRefused() {
    long[][] wrong = {{CAPACITY_BYTES - 1, 2}, {CAPACITY_BYTES, 1}, {-1, 1}, {Long.MAX_VALUE, 1}};
    for (long[] each : wrong) {
      assertThatThrownBy(() -> arena.put(each[0], ByteBuffer.allocate((int) each[1])))
          .as("%d bytes at %d", each[1], each[0])
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("device");
      assertThatThrownBy(() -> arena.get(each[0], ByteBuffer.allocate((int) each[1])))
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
                    assertThat(copy(arena, from, share)).isEqualTo(bytes(from + round, share));
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
  void close_twice_isHarmlessAndRefusesCopies() {
    arena.close();
    arena.close();
    assertThatThrownBy(() -> arena.put(0, bytes(0, 1)))
        .isInstanceOf(StaleRegionException.class)
        .hasMessageContaining("device");
    assertThatThrownBy(() -> arena.get(0, ByteBuffer.allocate(1)))
        .isInstanceOf(StaleRegionException.class)
        .hasMessageContaining("device");
  }
}
