package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QualityTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0.000025 | 0.00005 | 2.500e-05 of late, 2.500e-05 in all | repeating the last label 5.000e-05",
        "2.5 | 0 | 2.500 of late, 2.500 in all | repeating the last label 0.000",
        "123456.789 | 2e18 | 123456.789 of late, 123456.789 in all | repeating the last label 2.000e+18"
      })
  void brief_errorsInAnyUnit_haveDigits(
      double error, double noChange, String said, String reference) {
    PrequentialSummary quality =
        new PrequentialSummary(100, 0, null, new Regression(error, error, noChange));
    assertThat(QualityText.brief(quality, QualityMetric.MAE))
        .isEqualTo("mean absolute error " + said);
    assertThat(QualityText.references(quality, QualityMetric.MAE)).isEqualTo(reference);
  }

  @Test
  void undefined_samplesOfWeightZeroOnly_areNotCalledUnscored() {
    assertThat(QualityText.undefined(new PrequentialSummary(380, 0, null, null)))
        .isEqualTo("none: all 380 scored samples have weight 0");
    assertThat(QualityText.undefined(new PrequentialSummary(0, 4, null, null)))
        .startsWith("nothing was scored");
  }
}
