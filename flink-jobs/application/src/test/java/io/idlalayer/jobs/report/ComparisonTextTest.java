package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.ComparedVersions.KeptVersion;
import io.idlalayer.jobs.events.ComparedVersions.MetricValues;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a run says of a model and older versions of it. */
final class ComparisonTextTest {
  private static final ComparedVersions ONE = compared("accuracy", 1_000, 0.9);

  private final RunView view = new RunView();

  private static ComparedVersions compared(String measure, long samples, double model) {
    return new ComparedVersions(
        measure,
        true,
        5_000,
        samples,
        new MetricValues(model, 0.875),
        new KeptVersion(3, 5_012, new MetricValues(0.5, 0.25)),
        new KeptVersion(9, 10_020, new MetricValues(0.75, null)));
  }

  private static Status status(@Nullable ComparedVersions compared) {
    Status plain = ExampleEvents.status(ExampleEvents.received(20_000), 12);
    return new Status(
        plain.samples(),
        plain.stages(),
        plain.progress(),
        plain.prequential(),
        plain.incorporation(),
        plain.ingestion(),
        plain.hotSamples(),
        plain.decision(),
        plain.inputOffsets(),
        plain.input(),
        plain.engine(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        compared,
        null);
  }

  private void learner(int partition, @Nullable ComparedVersions compared) {
    DecisionEvent event =
        DecisionEvent.of(
            DecisionEvent.Type.STATUS,
            new DecisionEvent.Origin("a", partition, 1),
            status(compared),
            null,
            "");
    view.add(DecisionEventCodec.decode(DecisionEventCodec.encode(event)).orElseThrow());
  }

  private List<String> progress() {
    return new ProgressText(List.of()).lines(view, 0);
  }

  @Test
  void lines_ofAComparison_areOneForEachModel() {
    learner(0, ONE);
    assertThat(progress().subList(1, 4))
        .containsExactly(
            "version 12 serves: accuracy 0.875 of late, 0.900 since event 5,012",
            "trained once, version 3: accuracy 0.250 of late, 0.500",
            "renewed every 5,000 events, now version 9: accuracy not defined yet of late, 0.750");
  }

  @Test
  void lines_beforeAnEventIsTested_haveTheQualityOfTheModel() {
    learner(0, compared("accuracy", 0, 0));
    assertThat(progress()).hasSize(2);
    assertThat(progress().get(1)).isEqualTo("version 12 serves: its quality is not known yet");
  }

  @Test
  void summary_ofAComparison_hasARowForEachModel() {
    assertThat(ComparisonText.summary(ONE, 12))
        .containsExactly(
            "1,000 events since event 5,012, before they were learned:",
            "this model, with 12 updates                  accuracy 0.900, of late 0.875",
            "trained once (version 3)                     accuracy 0.500, of late 0.250",
            "renewed every 5,000 events (now version 9)   accuracy 0.750, of late not defined yet");
  }

  @Test
  void compared_ofSeveralLearners_isAMeanByTheirSamples() {
    learner(0, ONE);
    learner(1, compared("accuracy", 3_000, 0.5));
    assertThat(together())
        .isEqualTo(
            new ComparedVersions(
                "accuracy",
                true,
                5_000,
                4_000,
                new MetricValues(0.6, 0.875),
                new KeptVersion(3, 10_024, new MetricValues(0.5, 0.25)),
                new KeptVersion(9, 20_040, new MetricValues(0.75, null))));
  }

  /** One that is not compared would otherwise be judged by the events of the others. */
  @Test
  void compared_ofALearnerWithoutComparison_isNone() {
    learner(0, ONE);
    learner(1, null);
    assertThat(together()).isNull();
    assertThat(progress()).hasSize(2);
  }

  private @Nullable ComparedVersions together() {
    return Totals.compared(view.learners().stream().map(RunView.Learner::status).toList());
  }

  @Test
  void report_hasTheComparison_unlessLearnersGoByDifferentMetrics() {
    learner(0, ONE);
    assertThat(RunReport.of(view, 1).at("/compared/once/quality/value").doubleValue())
        .isEqualTo(0.5);
    learner(1, compared("AUC", 3_000, 0.5));
    assertThat(RunReport.of(view, 1).has("compared")).isFalse();
  }
}
