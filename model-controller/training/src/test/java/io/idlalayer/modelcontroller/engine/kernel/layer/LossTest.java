package io.idlalayer.modelcontroller.engine.kernel.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gradients of losses. */
final class LossTest {
  private static final Loss SIGMOID = new Loss.SigmoidCrossEntropy(1e-5);

  @ParameterizedTest
  @ValueSource(floats = {12, 20, 100, 1e10f, Float.POSITIVE_INFINITY})
  void sigmoidErrors_sureAndWrong_areWhole(float output) {
    float[] values = {output, -output, output, -output};
    double loss = SIGMOID.replaceByErrors(values, new float[] {0, 1, 1, 0}, null, 0, values.length);
    assertThat(values).usingComparatorWithPrecision(1e-4f).containsExactly(1, -1, 0, 0);
    // Two outputs are at the bound of the probability.
    assertThat(loss).isCloseTo(-2 * Math.log(1e-5), within(0.1));
  }

  @ParameterizedTest
  @ValueSource(floats = {-9, -2, -0.1f, 0, 0.7f, 5, 11})
  void sigmoidErrors_withinTheBounds_areTheSlopeOfTheLoss(float output) {
    for (float label : new float[] {0, 1}) {
      float[] values = {output};
      SIGMOID.replaceByErrors(values, new float[] {label}, null, 0, 1);
      double step = 0.01;
      double slope = (exactLoss(output + step, label) - exactLoss(output - step, label)) / 2 / step;
      assertThat((double) values[0]).isCloseTo(slope, within(1e-5));
    }
  }

  private static double exactLoss(double output, float label) {
    double probability = 1 / (1 + Math.exp(-output));
    return -label * Math.log(probability) - (1 - label) * Math.log(1 - probability);
  }

  @Test
  void sigmoidErrors_notANumber_stay() {
    float[] values = {Float.NaN};
    assertThat(SIGMOID.replaceByErrors(values, new float[] {1}, null, 0, 1)).isNaN();
    assertThat(values[0]).isNaN();
  }
}
