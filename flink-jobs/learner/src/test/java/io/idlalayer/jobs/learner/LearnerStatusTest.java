package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How fresh the parts of a status are. */
final class LearnerStatusTest {
  private int arrived;

  private static VirtualTimeLearner learner() throws InterruptedException {
    return VirtualTimeLearner.of(
            LearnerSimulation.settings(
                UpdateSettings.of(RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(3)),
                DataSettings.defaults()),
            FakeLogisticTrainer::new,
            FakeLogisticTrainer.Model::new)
        .open();
  }

  private void arrive(VirtualTimeLearner learner, int samples) throws InterruptedException {
    for (int i = 0; i < samples; i++) {
      arrived++;
      Sample sample = new Sample("s" + arrived, new double[] {arrived}, new int[0], arrived % 2);
      learner.arrive(sample, ContentHasher.of(sample));
    }
  }

  private static List<Long> scored(VirtualTimeLearner learner, DecisionEvent.Type type) {
    return learner.said(type).stream().map(event -> quality(event).scored()).distinct().toList();
  }

  private static PrequentialSummary quality(DecisionEvent event) {
    return event.status().prequential();
  }

  @Test
  void at_eventsOfUpdates_repeatTheQualityForASecond() throws Exception {
    try (VirtualTimeLearner learner = learner()) {
      arrive(learner, 30);
      assertThat(learner.said(DecisionEvent.Type.PUBLISHED)).hasSizeGreaterThan(5);
      assertThat(scored(learner, DecisionEvent.Type.PUBLISHED)).hasSize(1);
      assertThat(learner.last().status().samples().received())
          .as("counts are of now")
          .isEqualTo(30);
      learner.pass(1_100);
      arrive(learner, 3);
      assertThat(scored(learner, DecisionEvent.Type.PUBLISHED).get(1)).isGreaterThan(20);
    }
  }

  /** Each update sends three events; two updates a second leave no second without one. */
  @Test
  void status_whileUpdatesFlow_isSentEveryFiveSeconds() throws Exception {
    try (VirtualTimeLearner learner = learner()) {
      learner.pass(1_000);
      long from = learner.nowMillis();
      for (int halfSeconds = 0; halfSeconds < 60; halfSeconds++) {
        arrive(learner, 3);
        learner.pass(500);
      }
      List<Long> times =
          learner.said(DecisionEvent.Type.STATUS).stream()
              .map(DecisionEvent::atMillis)
              .filter(millis -> millis >= from)
              .toList();
      assertThat(learner.said(DecisionEvent.Type.PUBLISHED)).hasSizeGreaterThan(50);
      assertThat(times).as("no status for each update").hasSizeBetween(6, 8);
      for (int i = 1; i < times.size(); i++) {
        assertThat(times.get(i) - times.get(i - 1)).isBetween(4_500L, 5_100L);
      }
    }
  }

  @Test
  void status_afterTheLastUpdate_isSentWithinASecond() throws Exception {
    try (VirtualTimeLearner learner = learner()) {
      learner.pass(20_000);
      int before = learner.said(DecisionEvent.Type.STATUS).size();
      arrive(learner, 3);
      learner.pass(900);
      assertThat(learner.said(DecisionEvent.Type.STATUS)).as("the events say it").hasSize(before);
      learner.pass(300);
      assertThat(learner.said(DecisionEvent.Type.STATUS)).hasSize(before + 1);
      learner.pass(20_000);
      assertThat(learner.said(DecisionEvent.Type.STATUS)).as("it is quiet").hasSize(before + 1);
    }
  }

  @Test
  void at_statusesAndTheEndOfTheInput_haveTheQualityOfNow() throws Exception {
    try (VirtualTimeLearner learner = learner()) {
      arrive(learner, 30);
      learner.pass(1_500);
      assertThat(scored(learner, DecisionEvent.Type.STATUS)).last().isEqualTo(27L);
      arrive(learner, 6);
      learner.end();
      learner.pass(100);
      assertThat(learner.last().type()).isEqualTo(DecisionEvent.Type.FINISHED);
      assertThat(quality(learner.last()).scored()).isEqualTo(33);
    }
  }
}
