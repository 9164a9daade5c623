package io.idlalayer.jobs.learner.forget;

import static io.idlalayer.jobs.learner.forget.ForgettingStates.artifact;
import static io.idlalayer.jobs.learner.forget.ForgettingStates.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.forget.ForgetCycle.Transition;
import io.idlalayer.jobs.learner.forget.Forgetting.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ForgettingTest {
  private static final long NOW = 1_000;
  private static final long QUARTER = 100_000;

  private final Forgetting forgetting = new Forgetting(ForgettingStates.settings(8));

  /** Updates of two samples each: 1 and 2, 3 and 4, and so on. */
  private static void learn(Forgetting forgetting, int from, int to) {
    for (int update = from; update <= to; update++) {
      forgetting.training(batch(update, 2L * update - 1, 2L * update));
      forgetting.accepted(
          update == 1
              ? Anchor.BEGINNING
              : new Anchor(update - 1, artifact(update - 1), update - 1, "v" + (update - 1)));
    }
  }

  private static RetrainedUpdates all(RetrainingPlan plan) {
    return new RetrainedUpdates(
        plan.updates(),
        plan.updates().stream()
            .filter(each -> plan.anchored().contains(each.number()))
            .map(each -> new Anchor(each.number(), artifact(100), 0, ""))
            .toList());
  }

  @Test
  void plan_aSampleOfAnUpdate_beginsWithTheNewestModelBeforeIt() {
    forgetting.begin(Anchor.BEGINNING, 0);
    learn(forgetting, 1, 6);
    assertThat(forgetting.request("s9", 9, 6, NOW)).isEqualTo(Answer.WAITS);
    assertThat(forgetting.dueMillis()).isEqualTo(NOW + QUARTER);
    RetrainingPlan plan = forgetting.plan();
    assertThat(plan.base().update()).isEqualTo(4);
    assertThat(plan.fromBeginning()).isFalse();
    assertThat(plan.updates()).extracting(LoggedUpdate::number).containsExactly(5L, 6L);
    assertThat(plan.updates().get(0).rows().ids()).containsExactly(10L);
    assertThat(plan.anchored()).containsExactly(5L);
    assertThat(forgetting.dueMillis()).isEqualTo(Long.MAX_VALUE);

    assertThat(forgetting.finish(plan, all(plan), "done")).isEqualTo(Transition.END);
    assertThat(forgetting.forgotten().samples()).isEqualTo(1);
    forgetting.published(9);
    assertThat(forgetting.announced().events()).containsExactly("s9");
    assertThat(forgetting.forgotten().before()).isEqualTo(8);
    assertThat(forgetting.request("s9", 9, 6, NOW)).isEqualTo(Answer.NEVER_TRAINED);
    forgetting.request("s12", 12, 6, NOW);
    assertThat(forgetting.plan().base().artifact().files().get("model.zip"))
        .as("the new anchor")
        .containsExactly(100);
  }

  @Test
  void request_duringARetraining_waitsForTheNext() {
    forgetting.begin(Anchor.BEGINNING, 0);
    learn(forgetting, 1, 3);
    forgetting.request("s5", 5, 3, NOW);
    RetrainingPlan plan = forgetting.plan();
    forgetting.request("s2", 2, 3, NOW + 1);
    assertThat(forgetting.finish(plan, all(plan), "")).isEqualTo(Transition.END_WITH_MORE);
    forgetting.published(4);
    assertThat(forgetting.announced().events()).containsExactly("s5");
    RetrainingPlan next = forgetting.plan();
    assertThat(next.base()).isEqualTo(Anchor.BEGINNING);
    assertThat(next.updates())
        .extracting(each -> each.rows().ids().length)
        .containsExactly(1, 2, 1);
  }

  @Test
  void request_ofWhatMayBeOlderThanTheLog_beginsWithANewNetwork() {
    Forgetting later = new Forgetting(ForgettingStates.settings(8));
    later.begin(new Anchor(5, artifact(5), 5, "v5"), 10);
    learn(later, 6, 8);
    assertThat(later.request("unknown", 0, 8, NOW)).isEqualTo(Answer.UNKNOWN);
    assertThat(later.request("s11", 11, 8, NOW)).isEqualTo(Answer.WAITS);
    assertThat(later.request("s4", 4, 8, NOW)).isEqualTo(Answer.WAITS);
    RetrainingPlan plan = later.plan();
    assertThat(plan.fromBeginning()).isTrue();
    assertThat(plan.base()).isEqualTo(Anchor.BEGINNING);
    assertThat(plan.updates()).extracting(LoggedUpdate::number).containsExactly(6L, 7L, 8L);
    later.finish(plan, all(plan), "");
    assertThat(later.request("s4", 4, 8, NOW))
        .as("all is known now")
        .isEqualTo(Answer.NEVER_TRAINED);
  }

  @Test
  void log_thatIsFull_keepsNoAnchorWithoutTheUpdatesAfterIt() {
    Forgetting small = new Forgetting(ForgettingStates.settings(64), 400);
    small.begin(Anchor.BEGINNING, 0);
    learn(small, 1, 40);
    small.request("s80", 80, 40, NOW);
    assertThat(small.plan().base().update()).isEqualTo(39);
    Forgetting other = new Forgetting(ForgettingStates.settings(64), 400);
    other.begin(Anchor.BEGINNING, 0);
    learn(other, 1, 40);
    other.request("s1", 1, 40, NOW);
    RetrainingPlan plan = other.plan();
    assertThat(plan.fromBeginning()).isTrue();
    assertThat(plan.updates()).hasSizeBetween(2, 8);
  }

  @Test
  void plan_theUpdateHasLeftTheLogMeanwhile_beginsWithANewNetwork() {
    Forgetting small = new Forgetting(ForgettingStates.settings(64), 400);
    small.begin(Anchor.BEGINNING, 0);
    learn(small, 1, 2);
    assertThat(small.request("s3", 3, 2, NOW)).isEqualTo(Answer.WAITS);
    learn(small, 3, 40);
    RetrainingPlan plan = small.plan();
    assertThat(plan.fromBeginning()).isTrue();
    assertThat(plan.base()).isEqualTo(Anchor.BEGINNING);
  }

  @Test
  void plan_theLogHasBegunAnewMeanwhile_beginsWithANewNetwork() {
    forgetting.begin(Anchor.BEGINNING, 0);
    learn(forgetting, 1, 3);
    forgetting.request("s3", 3, 3, NOW);
    Forgetting changed = new Forgetting(ForgettingStates.settings(8));
    changed.restore(forgetting.snapshot(), forgetting.anchorsSnapshot());
    changed.beginAnew(new Anchor(3, artifact(3), 3, "v3"), 6);
    RetrainingPlan plan = changed.plan();
    assertThat(plan.fromBeginning()).isTrue();
    assertThat(plan.base()).isEqualTo(Anchor.BEGINNING);
    assertThat(plan.updates()).isEmpty();
  }

  @Test
  void restore_aRetrainingWasBegun_isDueAtOnceAndStaysBegun() {
    forgetting.begin(Anchor.BEGINNING, 0);
    learn(forgetting, 1, 2);
    forgetting.request("s1", 1, 2, NOW);
    forgetting.plan();
    Forgetting restarted = new Forgetting(ForgettingStates.settings(8));
    restarted.restore(forgetting.snapshot(), forgetting.anchorsSnapshot());
    assertThat(restarted.dueMillis()).isEqualTo(Long.MIN_VALUE);
    assertThat(restarted.lastRequestMillis()).isEqualTo(NOW);
    Forgetting again = new Forgetting(ForgettingStates.settings(8));
    again.restore(restarted.snapshot(), restarted.anchorsSnapshot());
    assertThat(again.begun()).isTrue();
    RetrainingPlan plan = again.plan();
    again.finish(plan, all(plan), "");
    assertThat(again.begun()).isFalse();
    assertThat(again.lastRequestMillis()).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void plan_anEventTrainedBeforeTheLogAsAnotherSample_beginsWithANewNetwork() {
    Forgetting small = new Forgetting(ForgettingStates.settings(64), 400);
    small.begin(Anchor.BEGINNING, 0);
    learn(small, 1, 40);
    Forgetting restarted = new Forgetting(ForgettingStates.settings(64), 400);
    restarted.restore(small.snapshot(), small.anchorsSnapshot());
    // Event s1 had left the store, and is delivered again as sample 81.
    assertThat(restarted.request("s1", 81, 40, NOW)).isEqualTo(Answer.WAITS);
    RetrainingPlan plan = restarted.plan();
    assertThat(plan.fromBeginning()).isTrue();
    assertThat(plan.base()).isEqualTo(Anchor.BEGINNING);
    restarted.finish(plan, all(plan), "");
    assertThat(restarted.request("s1", 81, 40, NOW)).isEqualTo(Answer.NEVER_TRAINED);
  }

  @Test
  void request_manyWait_areDueAtOnce() {
    forgetting.begin(Anchor.BEGINNING, 0);
    learn(forgetting, 1, Forgetting.MOST_COLLECTED);
    for (int i = 1; i < Forgetting.MOST_COLLECTED; i++) {
      forgetting.request("s" + i, i, Forgetting.MOST_COLLECTED, NOW);
    }
    assertThat(forgetting.dueMillis()).isEqualTo(NOW + QUARTER);
    forgetting.request("s90", 90, Forgetting.MOST_COLLECTED, NOW);
    assertThat(forgetting.dueMillis()).isLessThan(NOW);
  }

  @Test
  void restore_withoutTheSetting_givesRequestsUp() {
    forgetting.begin(Anchor.BEGINNING, 0);
    learn(forgetting, 1, 2);
    forgetting.request("s1", 1, 2, NOW);
    Forgetting off = new Forgetting(DataSettings.defaults());
    assertThat(off.restore(forgetting.snapshot(), forgetting.anchorsSnapshot())).isEqualTo(1);
    assertThat(off.busy()).isFalse();
  }

  @Test
  void cycle_transitionsOfOtherStates_areRefused() {
    ForgetCycle cycle = new ForgetCycle();
    for (Transition how :
        List.of(
            Transition.BEGIN, Transition.END, Transition.END_WITH_MORE, Transition.REQUEST_MORE)) {
      assertThatThrownBy(() -> cycle.move(how))
          .hasMessage("forgetting cannot %s while it is IDLE".formatted(how));
    }
    cycle.move(Transition.RESTORE);
    cycle.move(Transition.REQUEST);
    cycle.move(Transition.BEGIN);
    assertThatThrownBy(() -> cycle.move(Transition.REQUEST))
        .hasMessage("forgetting cannot REQUEST while it is RETRAINING");
    cycle.move(Transition.ANNOUNCE);
    assertThat(cycle.state()).isEqualTo(ForgetCycle.State.RETRAINING);
    cycle.move(Transition.END_WITH_MORE);
    assertThat(cycle.state()).isEqualTo(ForgetCycle.State.WAITING);
  }
}
