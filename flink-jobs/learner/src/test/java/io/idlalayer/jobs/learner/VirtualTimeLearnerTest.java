package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The learner of experiments is the product's, in a time that is told to pass. */
final class VirtualTimeLearnerTest {
  private static final ContentHash SAME = new ContentHash(1, 2);

  private int arrived;

  private static VirtualTimeLearner setup(RuleName rule) {
    return VirtualTimeLearner.of(
        LearnerSimulation.settings(
            UpdateSettings.of(rule, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(3).withPeriodSeconds(0.5)),
            DataSettings.defaults()),
        FakeLogisticTrainer::new,
        FakeLogisticTrainer.Model::new);
  }

  private void arrive(VirtualTimeLearner learner, int samples) throws InterruptedException {
    for (int i = 0; i < samples; i++) {
      Sample sample = sample();
      learner.arrive(sample, ContentHasher.of(sample));
    }
  }

  private Sample sample() {
    arrived++;
    return new Sample("s" + arrived, new double[] {arrived}, new int[0], arrived % 2);
  }

  private static List<UpdateRecord> published(VirtualTimeLearner learner) {
    return learner.said(DecisionEvent.Type.PUBLISHED).stream().map(DecisionEvent::update).toList();
  }

  @Test
  void arrive_tasksTakeNoTime_publishesWithinTheCallThatFires() throws Exception {
    try (VirtualTimeLearner learner = setup(RuleName.COUNT).trainingSeconds(0.5, 0.25).open()) {
      arrive(learner, 2);
      assertThat(published(learner)).isEmpty();
      arrive(learner, 1);
      assertThat(published(learner)).hasSize(1);
      assertThat(published(learner).get(0).requireTraining().seconds())
          .as("half a second and a quarter for each of three rows")
          .isEqualTo(1.25);
      arrive(learner, 3);
      assertThat(published(learner)).hasSize(2);
      assertThat(published(learner).get(1).requireTraining().parentVersion()).isEqualTo(1);
    }
  }

  @Test
  void pass_tasksTakeTime_publishesWhenTheyAreOver() throws Exception {
    try (VirtualTimeLearner learner = setup(RuleName.COUNT).taskMillis(1_000).open()) {
      arrive(learner, 3);
      learner.pass(1_900);
      assertThat(published(learner)).as("training is over, publication is not").isEmpty();
      learner.pass(200);
      assertThat(published(learner)).hasSize(1);
    }
  }

  @Test
  void pass_trainingsTakeTheirSeconds_publishesWhenTheyAreOver() throws Exception {
    try (VirtualTimeLearner learner = ownSeconds(0.2505).open()) {
      long start = learner.nowMillis();
      arrive(learner, 3);
      learner.pass(100);
      arrive(learner, 3);
      learner.pass(149);
      assertThat(published(learner)).as("the first training is not over").isEmpty();
      learner.pass(1);
      assertThat(published(learner)).hasSize(1);
      learner.pass(250);
      assertThat(published(learner)).as("half a millisecond is still owed").hasSize(1);
      learner.pass(1);
      assertThat(published(learner))
          .extracting(update -> update.requirePublished().atMillis() - start)
          .containsExactly(250L, 501L);
      assertThat(published(learner).get(0).requireTraining().seconds()).isEqualTo(0.2505);
    }
  }

  @Test
  void restart_withATrainingHeldBack_trainsTheSameSamplesAgain() throws Exception {
    try (VirtualTimeLearner learner = ownSeconds(1).open()) {
      arrive(learner, 3);
      learner.restart();
      learner.pass(10_000);
      assertThat(published(learner)).hasSize(1);
      assertThat(published(learner).get(0).firing().newSamples()).isEqualTo(3);
    }
  }

  private static VirtualTimeLearner ownSeconds(double seconds) {
    return VirtualTimeLearner.of(
            LearnerSimulation.settings(
                UpdateSettings.of(RuleName.COUNT, 10)
                    .with(UpdateSettings.Tuning.defaults().withCount(3)),
                DataSettings.defaults()),
            () -> new VirtualTimeLearner.ToldSeconds(new FakeLogisticTrainer(), seconds, 0),
            FakeLogisticTrainer.Model::new)
        .trainingsTakeTheirSeconds();
  }

  @Test
  void pass_aPeriodIsOver_firesByTheTimer() throws Exception {
    try (VirtualTimeLearner learner = setup(RuleName.PERIODIC).open()) {
      long start = learner.nowMillis;
      arrive(learner, 1);
      learner.pass(499);
      assertThat(published(learner)).isEmpty();
      learner.pass(1);
      assertThat(published(learner)).hasSize(1);
      assertThat(learner.nowMillis).isEqualTo(start + 500);
    }
  }

  @Test
  void selection_ofTheCaller_choosesTheReplay() throws Exception {
    SelectionPolicy first = update -> update == 1 ? new long[0] : new long[] {1};
    try (VirtualTimeLearner learner = setup(RuleName.COUNT).selection(index -> first).open()) {
      arrive(learner, 9);
      assertThat(published(learner))
          .extracting(update -> update.firing().replayedSamples())
          .containsExactly(0, 1, 1);
    }
  }

  @Test
  void arrive_withTheHashOfAnother_isAnotherSample() throws Exception {
    try (VirtualTimeLearner learner = setup(RuleName.COUNT).open()) {
      for (int i = 0; i < 9; i++) {
        learner.arrive(sample(), SAME);
      }
      assertThat(published(learner)).hasSize(3);
      learner.pass(2_000);
      assertThat(learner.last().status().samples().duplicates()).isZero();
    }
  }

  @Test
  void restart_withATrainingUnderWay_trainsTheSameSamplesAgain() throws Exception {
    try (VirtualTimeLearner learner = setup(RuleName.COUNT).taskMillis(1_000).open()) {
      arrive(learner, 4);
      learner.restart();
      learner.pass(10_000);
      assertThat(published(learner)).hasSize(1);
      assertThat(published(learner).get(0).firing().newSamples()).isEqualTo(3);
      assertThat(learner.said(DecisionEvent.Type.RESTORED)).isNotEmpty();
    }
  }

  @Test
  void silent_remembersNothingOfWhatIsSaid() throws Exception {
    try (VirtualTimeLearner learner = setup(RuleName.COUNT).silent().open()) {
      arrive(learner, 9);
      assertThat(learner.events).isEmpty();
      assertThat(learner.notices).isEmpty();
    }
  }
}
