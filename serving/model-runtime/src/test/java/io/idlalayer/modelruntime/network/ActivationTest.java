package io.idlalayer.modelruntime.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class ActivationTest {
  @Test
  void tanh_isTheHyperbolicTangent() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      double value = random.nextGaussian() * Math.pow(10, random.nextInt(-12, 3));
      double exact = Math.tanh(value);
      assertThat(Activation.tanh(value)).isCloseTo(exact, within(1e-13 * Math.abs(exact)));
    }
    for (double border : new double[] {0.01, Math.nextDown(0.01), -0.01}) {
      assertThat(Activation.tanh(border)).isCloseTo(Math.tanh(border), within(1e-15));
    }
  }

  @Test
  void tanh_atTheEnds_isThatOfMath() {
    for (double value :
        new double[] {
          0, -0.0, 1e300, -1e300, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN
        }) {
      assertThat(Activation.tanh(value)).isEqualTo(Double.valueOf(Math.tanh(value)));
    }
  }
}
