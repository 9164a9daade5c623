package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PairedDifferenceTest {
  @Test
  void of_fiveValues_givesTheTextbookInterval() {
    PairedDifference difference = PairedDifference.of(new double[] {1, 2, 3, 4, 5});
    assertThat(difference.mean()).isEqualTo(3);
    // t(0.975, 4) = 2.776445, standard error sqrt(2.5 / 5)
    assertThat(difference.halfWidth()).isCloseTo(1.963243, within(1e-5));
    assertThat(difference.p()).isCloseTo(0.013236, within(1e-5));
    assertThat(difference.sign()).isEqualTo(1);
  }

  @Test
  void of_valuesAroundZero_saysNeither() {
    assertThat(PairedDifference.of(new double[] {-1, 1, -2, 2, 0.5}).sign()).isZero();
    assertThat(PairedDifference.of(new double[] {-3, -3.1, -2.9}).sign()).isEqualTo(-1);
  }

  @Test
  void of_oneOrNoPair_hasNoInterval() {
    assertThat(PairedDifference.of(new double[] {0.5}).sign()).isZero();
    assertThat(PairedDifference.of(new double[] {0.5}).text()).isEqualTo("+50.00");
    assertThat(PairedDifference.of(new double[0]).text()).isEqualTo("-");
  }

  @Test
  void of_equalPairs_isCertainOfNoDifference() {
    PairedDifference none = PairedDifference.of(new double[] {0, 0, 0});
    assertThat(none.p()).isEqualTo(1);
    assertThat(none.sign()).isZero();
  }
}
