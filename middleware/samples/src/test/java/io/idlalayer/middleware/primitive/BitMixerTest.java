package io.idlalayer.middleware.primitive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The published values: placements, samples and draws of old runs depend on them. */
final class BitMixerTest {
  @Test
  void splitMix_isTheSequenceOfSteele() {
    // The first outputs of SplitMix64 with seed 0.
    assertThat(BitMixer.splitMix(BitMixer.GOLDEN_RATIO)).isEqualTo(0xE220A8397B1DCDAFL);
    assertThat(BitMixer.splitMix(BitMixer.GOLDEN_RATIO << 1)).isEqualTo(0x6E789E6AA1B965F4L);
  }

  @Test
  void splitMixInverse_isTheInverse() {
    assertThat(BitMixer.splitMixInverse(0xE220A8397B1DCDAFL)).isEqualTo(BitMixer.GOLDEN_RATIO);
    for (int bit = 0; bit < Long.SIZE; bit++) {
      for (long bits : new long[] {1L << bit, -1L << bit, (1L << bit) - 1, bit * 7919L}) {
        assertThat(BitMixer.splitMixInverse(BitMixer.splitMix(bits))).isEqualTo(bits);
      }
    }
  }

  @Test
  void murmur_isTheFinalizer() {
    assertThat(BitMixer.murmur(0)).isZero();
    assertThat(BitMixer.murmur(1)).isEqualTo(0xB456BCFC34C2CB2CL);
  }

  @Test
  void cell_isInTheTable_andSpreadsNeighbours() {
    boolean[] taken = new boolean[1 << 10];
    int collisions = 0;
    for (long key = 0; key < 512; key++) {
      int cell = BitMixer.cell(key, taken.length);
      assertThat(cell).isBetween(0, taken.length - 1);
      collisions += taken[cell] ? 1 : 0;
      taken[cell] = true;
    }
    assertThat(collisions).isLessThan(200);
  }
}
