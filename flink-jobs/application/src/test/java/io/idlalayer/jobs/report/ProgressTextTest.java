package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProgressTextTest {
  private final RunView view = new RunView();
  private final ProgressText progress = new ProgressText((QualityMetric) null);

  /** Adds a status with a number of trained events; 3 more are refused or have no label. */
  private void trained(long events, long version) {
    Status status =
        new Status(
            new Status.Samples(events + 7, 1, 2, 0, events, 0, 0, 0, 0, 0, 0),
            new Status.Stages(4, events, 0, 0),
            new Status.Progress(version, events, version, false),
            new PrequentialSummary(
                events, 0, new Classification(1, 0.75, 0.875, 0.5, 0.4, 0.5, 0.4, List.of()), null),
            new Status.Incorporation(events, 2, 5),
            new Status.Ingestion(1, 1, 1, 1),
            Status.HotSamples.NONE,
            ExampleEvents.decision(),
            new TreeMap<>(),
            Status.Input.NONE,
            Status.Engine.UNKNOWN);
    view.add(
        DecisionEvent.of(
            DecisionEvent.Type.STATUS, new DecisionEvent.Origin("a", 0, 1), status, null, ""));
  }

  private List<String> at(double seconds) {
    return progress.lines(view, (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
  }

  @Test
  void lines_beforeTheFirstStatus_wait() {
    assertThat(at(0)).containsExactly("waiting for the first event");
  }

  @Test
  void lines_ofARun_haveCountsRateVersionAndQualityBesideItsReferences() {
    trained(1_000, 4);
    at(1);
    trained(2_000, 5);
    assertThat(at(3))
        .containsExactly(
            "2,000 of 2,007 events learned, 500/s",
            "version 5 serves: accuracy 0.875 of late, 0.750 in all",
            "without a model: repeating the last label 0.500, always the most frequent class"
                + " 0.400");
    assertThat(new ProgressText(QualityMetric.AUC).lines(view, 0).get(1))
        .isEqualTo("version 5 serves: auc is not defined yet");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1_200 | 25 % of the input, about 30 s left",
        "6_000 | 5 % of the input, about 3 min left",
        "3_000_000 | 0 % of the input, about 27.8 h left",
        "300 | 100 % of the input",
        "200 | 100 % of the input"
      })
  void lines_ofAnInputOfKnownLength_haveShareAndTimeLeft(String records, String said) {
    progress.begin(view, 0);
    progress.expect(Long.parseLong(records.replace("_", "")));
    trained(297, 1);
    assertThat(at(10).get(0)).isEqualTo("297 of 304 events learned, " + said);
  }

  @Test
  void lines_whileFlinkStarts_doNotCountThatTime() {
    progress.begin(view, 0);
    progress.expect(1_200);
    progress.begin(view, TimeUnit.SECONDS.toNanos(20));
    trained(297, 1);
    assertThat(at(21).get(0)).as("too early to tell").endsWith(", 25 % of the input");
    assertThat(at(30).get(0)).endsWith(", 25 % of the input, about 30 s left");
  }

  @Test
  void lines_ofASecondInput_leaveOutWhatWasLearnedBefore() {
    trained(997, 1);
    progress.begin(view, 0);
    progress.expect(2_000);
    trained(1_497, 2);
    assertThat(at(10).get(0)).endsWith(", 25 % of the input, about 30 s left");
    progress.expect(0);
    assertThat(at(11).get(0)).endsWith("/s");
  }

  @Test
  void lines_ofAnInputThatAnEarlierRunHasBegun_countWhatItHasLearned() {
    progress.expectInAll(2_000);
    trained(997, 1);
    progress.begin(view, 0);
    trained(1_497, 2);
    assertThat(at(10).get(0)).endsWith(" events learned, 75 % of the input, about 10 s left");
  }

  @Test
  void lines_afterARestoreThatHasUndoneEvents_showNothingDone() {
    trained(1_000, 1);
    progress.begin(view, 0);
    progress.expect(2_000);
    view.add(
        DecisionEvent.of(
            DecisionEvent.Type.RESTORED,
            new DecisionEvent.Origin("a", 0, 1),
            ExampleEvents.status(ExampleEvents.received(10), 1),
            null,
            ""));
    assertThat(at(10).get(0)).isEqualTo("0 of 10 events learned, 0 % of the input");
  }
}
