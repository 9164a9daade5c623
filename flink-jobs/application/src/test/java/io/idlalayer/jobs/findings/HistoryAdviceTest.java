package io.idlalayer.jobs.findings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.metrics.QuantileMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HistoryAdviceTest {
  private static PrequentialSummary classes(double accuracy) {
    return new PrequentialSummary(
        1_000,
        0,
        new PrequentialSummary.Classification(
            0.5, accuracy, accuracy, 0.85, 0.57, 0.85, 0.57, List.of()),
        null);
  }

  private static PrequentialSummary targets(double error) {
    return new PrequentialSummary(
        1_000, 0, null, new PrequentialSummary.Regression(error, 2 * error, 6.84));
  }

  private static LastLabel ofClasses(String field, double accuracy) {
    return new LastLabel(field, 1_000, accuracy, null);
  }

  private static LastLabel ofTargets(String field, double error) {
    return new LastLabel(field, 1_000, null, error);
  }

  @Test
  void of_labelBeforeIsBetter_namesAHistoryOfOneKey() {
    assertThat(HistoryAdvice.of(List.of(ofClasses("", 0.8533)), classes(0.7748)))
        .contains(
            "repeating the last label is better than the model (accuracy 0.8533 against 0.7748):"
                + " 'history: {labels: 1}' in the application file gives it to the model as"
                + " context");
  }

  @Test
  void of_lastTargetOfAKeyIsBest_namesTheKey() {
    assertThat(
            HistoryAdvice.of(
                List.of(
                    ofTargets("", 6.84), ofTargets("station", 0.68), ofTargets("description", 7)),
                targets(6.86)))
        .contains(
            "repeating the last label with the same 'station' is better than the model (mean"
                + " absolute error 0.6800 against 6.860): 'history: {key: station, labels: 1}' in"
                + " the application file gives it to the model as context");
  }

  @Test
  void of_modelIsBetterOrAlike_isEmpty() {
    assertThat(HistoryAdvice.of(List.of(ofClasses("", 0.853)), classes(0.85))).isEmpty();
    assertThat(HistoryAdvice.of(List.of(ofTargets("station", 0.68)), targets(0.7))).isEmpty();
    assertThat(HistoryAdvice.of(List.of(), targets(0.7))).isEmpty();
  }

  @Test
  void of_fewLabelsOfAKey_isEmpty() {
    List<LastLabel> few = List.of(new LastLabel("user", 199, 1.0, null));
    assertThat(HistoryAdvice.of(few, classes(0.5))).isEmpty();
  }

  @Test
  void of_modelThatHasCaughtUp_isEmpty() {
    PrequentialSummary classes =
        new PrequentialSummary(
            5_000,
            0,
            new PrequentialSummary.Classification(
                0.5, 0.8, 0.93, 0.85, 0.57, 0.85, 0.57, List.of()),
            null);
    assertThat(HistoryAdvice.of(List.of(ofClasses("", 0.9)), classes)).isEmpty();
    PrequentialSummary targets =
        new PrequentialSummary(
            5_000, 0, null, new PrequentialSummary.Regression(9, 12, 6, 5, 7, 6, null, null));
    assertThat(HistoryAdvice.of(List.of(ofTargets("", 6)), targets)).isEmpty();
  }

  /** A high quantile is far from most labels on purpose. */
  @Test
  void of_modelOfAQuantile_isEmpty() {
    TargetMetrics metrics =
        new TargetMetrics(1, 2, 3, 4, 5, 6, 0.1, 2.0, new QuantileMetrics(0.9, 0.2, 0.4));
    PrequentialSummary quantile =
        new PrequentialSummary(
            1_000,
            0,
            null,
            new PrequentialSummary.Regression(1.4, 1.7, 1.1, 1.4, 1.7, 1.1, metrics, metrics));
    assertThat(HistoryAdvice.of(List.of(ofTargets("", 1.1)), quantile)).isEmpty();
  }

  @Test
  void of_applicationWithAHistory_isEmpty() {
    assertThat(HistoryAdvice.of(null, classes(0.5))).isEmpty();
  }

  @Test
  void of_keyThatYamlWouldReadOtherwise_isQuoted() {
    assertThat(HistoryAdvice.of(List.of(ofClasses("city: code", 0.9)), classes(0.5)))
        .hasValueSatisfying(
            said -> assertThat(said).contains("'history: {key: \"city: code\", labels: 1}'"));
  }
}
