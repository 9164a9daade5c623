package io.idlalayer.modelruntime.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class ErrorFunctionTest {
  /** Arguments, and the error function and its complement as the C library computes them. */
  private static final double[][] KNOWN = {
    {0.0, 0.0, 1.0},
    {1e-09, 1.1283791670955127e-09, 0.9999999988716208},
    {0.01, 0.011283415555849616, 0.9887165844441503},
    {0.25, 0.2763263901682369, 0.7236736098317631},
    {0.5, 0.5204998778130465, 0.4795001221869535},
    {0.84375, 0.7672256612323416, 0.23277433876765835},
    {1.0, 0.8427007929497149, 0.15729920705028513},
    {1.25, 0.9229001282564582, 0.07709987174354177},
    {1.7, 0.9837904585907745, 0.016209541409225436},
    {2.5, 0.999593047982555, 0.0004069520174449589},
    {2.857, 0.9999466417399131, 5.3358260086846374e-05},
    {3.75, 0.9999998862727434, 1.1372725656979664e-07},
    {4.5, 0.9999999998033839, 1.9661604415428873e-10},
    {6.0, 1.0, 2.1519736712498916e-17},
    {8.0, 1.0, 1.1224297172982928e-29},
    {20.0, 1.0, 5.3958656116079005e-176}
  };

  @Test
  void erf_atKnownPlaces_isThatOfTheLibraryOfC() {
    for (double[] each : KNOWN) {
      assertThat(ErrorFunction.erf(each[0])).isCloseTo(each[1], within(1e-14));
      assertThat(ErrorFunction.erf(-each[0])).isCloseTo(-each[1], within(1e-14));
      assertThat(ErrorFunction.erfc(each[0])).isCloseTo(each[2], within(1e-12 * each[2]));
      assertThat(ErrorFunction.erfc(-each[0])).isCloseTo(2 - each[2], within(1e-14));
    }
  }

  @Test
  void erf_atTheEnds_isOneAndNotANumber() {
    assertThat(ErrorFunction.erf(Double.POSITIVE_INFINITY)).isEqualTo(1);
    assertThat(ErrorFunction.erf(Double.NEGATIVE_INFINITY)).isEqualTo(-1);
    assertThat(ErrorFunction.erf(1e300)).isEqualTo(1);
    assertThat(ErrorFunction.erf(Double.NaN)).isNaN();
  }
}
