package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class TallyTest {
  @Test
  void quality_ofPredictions_isAgainstTrueAndGivenLabels() {
    Tally tally = new Tally(2, 4);
    tally.predicted(0, new double[] {0.75f, 0.25f}, 0, 0);
    tally.predicted(1, new double[] {0.75f, 0.25f}, 0, 1);
    tally.predicted(3, new double[] {0.25f, 0.75f}, 0, 1);
    Tally.Quality quality = tally.quality();
    assertThat(tally.scored()).isEqualTo(3);
    assertThat(quality.trueAccuracy()).isCloseTo(2 / 3.0, within(1e-9));
    assertThat(quality.givenAccuracy()).isCloseTo(2 / 3.0, within(1e-9));
    double trueLoss = -(2 * Math.log(0.75) + Math.log(0.25)) / 3;
    assertThat(quality.trueLogLoss()).isCloseTo(trueLoss, within(1e-9));
    double givenLoss = -(2 * Math.log(0.75) + Math.log(0.25)) / 3;
    assertThat(quality.givenLogLoss()).isCloseTo(givenLoss, within(1e-9));
    assertThat(quality.parts()[0]).isEqualTo(1);
    assertThat(quality.parts()[1]).isNaN();
    assertThat(quality.parts()[15]).isEqualTo(0);
  }

  @Test
  void quality_withoutModel_isThatOfAGuess() {
    Tally tally = new Tally(4, 1);
    tally.guessed(0);
    assertThat(tally.quality().trueAccuracy()).isEqualTo(0.25);
    assertThat(tally.quality().trueLogLoss()).isCloseTo(Math.log(4), within(1e-12));
  }

  @Test
  void quality_ofCertainButWrong_isBounded() {
    Tally tally = new Tally(2, 1);
    tally.predicted(0, new double[] {1, 0}, 1, 1);
    assertThat(tally.quality().trueLogLoss()).isCloseTo(-Math.log(1e-7), within(1e-9));
  }
}
