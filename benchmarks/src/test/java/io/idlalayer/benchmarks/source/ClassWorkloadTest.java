package io.idlalayer.benchmarks.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class ClassWorkloadTest {
  @Test
  void quality_ofPredictionsAndAGuess_isTheirMean() {
    ClassWorkload.Predictions predictions = new ClassWorkload.Predictions(4);
    predictions.predicted(new double[] {0.5, 0.25, 0.125, 0.125}, 1);
    predictions.predicted(new double[] {0.5, 0.25, 0.125, 0.125}, 0);
    predictions.guessed();
    Outcome.Quality quality = predictions.quality();
    assertThat(quality.right()).isCloseTo((0 + 1 + 0.25) / 3, within(1e-12));
    assertThat(quality.loss()).isCloseTo((2 + 1 + 2) * Math.log(2) / 3, within(1e-12));
    assertThat(quality.perplexity()).isCloseTo(Math.pow(2, 5.0 / 3), within(1e-12));
  }

  @Test
  void of_eachView_showsThePixelThere() {
    double[] image = new double[28 * 28];
    image[2 * 28 + 5] = 0.75;
    assertThat(Application.View.UPRIGHT.of(image)).isEqualTo(image);
    assertThat(Application.View.TRANSPOSED.of(image)[5 * 28 + 2]).isEqualTo(0.75);
    assertThat(Application.View.NEGATIVE.of(image)[2 * 28 + 5]).isEqualTo(0.25);
    assertThat(Application.View.UPSIDE_DOWN.of(image)[25 * 28 + 22]).isEqualTo(0.75);
  }
}
