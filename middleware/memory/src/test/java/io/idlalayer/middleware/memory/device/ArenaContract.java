package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** What every arena promises that has views of its bytes. */
abstract class ArenaContract extends ArenaCopyContract {
  @Test
  void pieces_areAsLargeAsWanted() {
    assertThat(arena().pieceBytes()).isEqualTo(PIECE_BYTES);
  }

  @Test
  void put_anywhere_isSeenByEveryView() {
    ByteBuffer early = arena().view(PIECE_BYTES + 8, 16);
    ByteBuffer source = bytes(1, 16);
    assertThat(arena().put(PIECE_BYTES + 8, source)).isEqualTo(16);
    assertThat(source.hasRemaining()).as("the source was read to its limit").isFalse();
    assertThat(early).as("a view that was taken before").isEqualTo(bytes(1, 16));
    assertThat(arena().view(PIECE_BYTES + 16, 8)).isEqualTo(bytes(9, 8));
    early.put(0, (byte) 99);
    assertThat(arena().view(PIECE_BYTES + 8, 1).get()).isEqualTo((byte) 99);
  }

  @Test
  void view_ofAWholePieceAndOfTheLastByte_isGiven() {
    assertThat(arena().view(PIECE_BYTES, PIECE_BYTES).remaining()).isEqualTo(PIECE_BYTES);
    assertThat(arena().view(CAPACITY_BYTES - 1, 1).remaining()).isEqualTo(1);
    assertThat(arena().view(0, 8).order()).isEqualTo(ByteOrder.nativeOrder());
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
      assertThatThrownBy(() -> arena().view(each[0], (int) each[1]))
          .as("%d bytes at %d", each[1], each[0])
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("device");
    }
  }

  @Test
  void close_twice_isHarmlessAndRefusesViews() {
    arena().close();
    arena().close();
    assertThatThrownBy(() -> arena().view(0, 1))
        .isInstanceOf(StaleRegionException.class)
        .hasMessageContaining("device");
  }
}
