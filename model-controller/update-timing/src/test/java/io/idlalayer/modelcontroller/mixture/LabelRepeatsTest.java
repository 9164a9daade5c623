package io.idlalayer.modelcontroller.mixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class LabelRepeatsTest {
  @Test
  void probabilities_nothingSeen_areHalf() {
    assertThat(new LabelRepeats(3).probabilities()).containsOnly(0.5);
  }

  @Test
  void probabilities_threeOfFourRepeat_areTheirEstimate() {
    LabelRepeats repeats = new LabelRepeats(2);
    for (int i = 0; i < 4; i++) {
      repeats.add(1, i == 0 ? 0 : 1, 1);
    }
    assertThat(repeats.probabilities()[1]).isCloseTo(3.5 / 5, within(1e-3));
    assertThat(repeats.probabilities()[0]).isEqualTo(0.5);
  }

  @Test
  void add_afterAChange_followsItWithinTheWindow() {
    LabelRepeats repeats = new LabelRepeats(2);
    for (int i = 0; i < 100_000; i++) {
      repeats.add(0, 0, 1);
    }
    for (int i = 0; i < 3 * LabelRepeats.WINDOW; i++) {
      repeats.add(0, 1, 1);
    }
    assertThat(repeats.probabilities()[0]).isLessThan(0.06);
  }

  @Test
  void add_samplesOfWeightZero_countNothing() {
    LabelRepeats repeats = new LabelRepeats(2);
    repeats.add(0, 1, 0);
    assertThat(repeats.probabilities()).containsOnly(0.5);
  }
}
