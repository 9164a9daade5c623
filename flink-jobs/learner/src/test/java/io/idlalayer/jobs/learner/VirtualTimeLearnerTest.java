package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The learner of experiments is the product's, in a time that is told to pass. */
final class VirtualTimeLearnerTest implements LearnerOutput {
  private static final ContentHash SAME = new ContentHash(1, 2);

  private final List<DecisionEvent> events = new ArrayList<>();
  private int arrived;

  @Override
  public void decision(DecisionEvent event) {
    events.add(event);
  }

  @Override
  public void notice(ModelNotice notice) {}

  private static ApplicationSettings settings(UpdateSettings.RuleName rule) {
    return LearnerSimulation.settings(
        UpdateSettings.of(rule, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(3).withPeriodSeconds(0.5)),
        DataSettings.defaults());
  }

  private VirtualTimeLearner.Builder setup(UpdateSettings.RuleName rule) {
    return VirtualTimeLearner.of(
            settings(rule), FakeLogisticTrainer::new, FakeLogisticTrainer.Model::new)
        .output(this);
  }

  private void arrive(VirtualTimeLearner learner) throws InterruptedException {
    Sample sample = sample();
    learner.arrive(sample, ContentHasher.of(sample));
  }

  private Sample sample() {
    arrived++;
    return new Sample("s" + arrived, new float[] {arrived}, new int[0], arrived % 2);
  }

  private List<UpdateRecord> published() {
    return events.stream()
        .filter(event -> event.type() == DecisionEvent.Type.PUBLISHED)
        .map(DecisionEvent::update)
        .toList();
  }

  @Test
  void arrive_tasksTakeNoTime_publishesWithinTheCallThatFires() throws Exception {
    try (VirtualTimeLearner learner =
        setup(UpdateSettings.RuleName.COUNT).trainingSeconds(0.5, 0.25).open()) {
      arrive(learner);
      arrive(learner);
      assertThat(published()).isEmpty();
      arrive(learner);
      assertThat(published()).hasSize(1);
      assertThat(published().get(0).requireTraining().seconds())
          .as("half a second and a quarter for each of three rows")
          .isEqualTo(1.25);
      for (int i = 0; i < 3; i++) {
        arrive(learner);
      }
      assertThat(published()).hasSize(2);
      assertThat(published().get(1).requireTraining().parentVersion()).isEqualTo(1);
    }
  }

  @Test
  void pass_tasksTakeTime_publishesWhenTheyAreOver() throws Exception {
    try (VirtualTimeLearner learner =
        setup(UpdateSettings.RuleName.COUNT).taskMillis(1_000).open()) {
      for (int i = 0; i < 3; i++) {
        arrive(learner);
      }
      learner.pass(1_900);
      assertThat(published()).as("training is over, publication is not").isEmpty();
      learner.pass(200);
      assertThat(published()).hasSize(1);
    }
  }

  @Test
  void pass_aPeriodIsOver_firesByTheTimer() throws Exception {
    try (VirtualTimeLearner learner = setup(UpdateSettings.RuleName.PERIODIC).open()) {
      long start = learner.nowMillis();
      arrive(learner);
      learner.pass(499);
      assertThat(published()).isEmpty();
      learner.pass(1);
      assertThat(published()).hasSize(1);
      assertThat(learner.nowMillis()).isEqualTo(start + 500);
    }
  }

  @Test
  void selection_ofTheCaller_choosesTheReplay() throws Exception {
    SelectionPolicy first = update -> update == 1 ? new long[0] : new long[] {1};
    try (VirtualTimeLearner learner =
        setup(UpdateSettings.RuleName.COUNT).selection(index -> first).open()) {
      for (int i = 0; i < 9; i++) {
        arrive(learner);
      }
      assertThat(published())
          .extracting(update -> update.firing().replayedSamples())
          .containsExactly(0, 1, 1);
    }
  }

  @Test
  void arrive_withTheHashOfAnother_isADuplicate() throws Exception {
    try (VirtualTimeLearner learner = setup(UpdateSettings.RuleName.COUNT).open()) {
      for (int i = 0; i < 9; i++) {
        learner.arrive(sample(), SAME);
      }
      assertThat(published()).isEmpty();
      learner.pass(2_000);
      assertThat(events.get(events.size() - 1).status().samples().duplicates()).isEqualTo(8);
    }
  }

  @Test
  void restart_withATrainingUnderWay_trainsTheSameSamplesAgain() throws Exception {
    try (VirtualTimeLearner learner =
        setup(UpdateSettings.RuleName.COUNT).taskMillis(1_000).open()) {
      for (int i = 0; i < 4; i++) {
        arrive(learner);
      }
      learner.restart();
      learner.pass(10_000);
      assertThat(published()).hasSize(1);
      assertThat(published().get(0).firing().newSamples()).isEqualTo(3);
      assertThat(events).extracting(DecisionEvent::type).contains(DecisionEvent.Type.RESTORED);
    }
  }
}
