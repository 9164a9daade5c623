package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.Action;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class KernelCostTest {
  private static final double[] NOTHING = {0, 0};

  /** Two arguments that take 8 and 4 to copy in, and 6 and 2 to copy out, in four pieces. */
  private static KernelCost inPieces(double base) {
    return new KernelCost(base, new double[] {8, 4}, new double[] {6, 2}, NOTHING, null, 10, 4);
  }

  private static BitSet slow(int... arguments) {
    BitSet slow = new BitSet();
    for (int argument : arguments) {
      slow.set(argument);
    }
    return slow;
  }

  @Test
  void wholeNanos_pieces_hidesAllButTheFirstCopyInAndTheLastCopyOut() {
    assertThat(inPieces(20).wholeNanos(slow(0, 1))).isEqualTo(20 + (12 + 8) / 4.0);
    assertThat(inPieces(2).wholeNanos(slow(0))).isEqualTo(8 + (8 + 6) / 4.0);
    assertThat(inPieces(20).wholeNanos(slow())).isEqualTo(20);
    assertThat(inPieces(20).nanos(slow(0, 1))).as("of the bound").isEqualTo(20);
  }

  @Test
  void copying_pieces_keepsTheDevice() {
    assertThat(inPieces(20).copyingIn(slow(0, 1))).isEqualTo(12);
    assertThat(inPieces(20).copyingOut(slow(1))).isEqualTo(2);
    KernelCost inPlace = new KernelCost(20, new double[] {8, 4}, NOTHING, NOTHING, null, 0, 0);
    assertThat(inPlace.copyingIn(slow(0, 1))).isZero();
    assertThat(inPlace.wholeNanos(slow(0, 1))).isEqualTo(20);
  }

  @Test
  void pieces_buffers_haveAtMostFourMebibytes() {
    assertThat(Action.Stream.pieces(30, 100)).isEqualTo(10);
    assertThat(Action.Stream.pieces(30, 101)).isEqualTo(11);
    assertThat(Action.Stream.pieces(2, 101)).isEqualTo(1);
    assertThat(Action.Stream.pieces(1L << 30, 9L << 20)).isEqualTo(3);
  }
}
