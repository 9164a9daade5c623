package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.cost.MeasuredUpdate;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Train;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class UpdateControllerTest {
  private static final long SECOND = 1_000_000_000L;

  private static UpdateSettings settings(RuleName rule, int maxBatch, double maxWaitSeconds) {
    return UpdateSettings.of(rule, 10)
        .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(5).withCount(20))
        .with(new UpdateSettings.Limits(maxBatch, maxWaitSeconds, 0));
  }

  private static UpdateController controller(RuleName rule) {
    return new UpdateController(settings(rule, 1000, 0), new TrainingCostModel());
  }

  @Test
  void nextFiringNanos_announced_isWhenTheRuleFires() {
    UpdateController controller = controller(RuleName.DLA);
    assertThat(controller.arrived(0, 1)).isInstanceOf(Wait.class);
    long due = controller.nextFiringNanos();
    assertThat(due).isPositive();
    assertThat(controller.evaluate(due - 1)).isInstanceOf(Wait.class);
    UpdateDecision decision = controller.evaluate(due);
    assertThat(decision).isInstanceOf(Train.class);
    assertThat(decision.explanation().charge().sampleSeconds())
        .isGreaterThanOrEqualTo(decision.explanation().charge().thresholdSampleSeconds() - 1e-9);
    assertThat(decision.explanation().reason()).contains("sample-seconds");
  }

  @Test
  void arrived_whileATrainingRuns_waitsForItsEnd() {
    UpdateController controller = controller(RuleName.AREA);
    controller.arrived(0, 5);
    controller.trainingStarted(5, 0, SECOND);
    UpdateDecision during = controller.arrived(2 * SECOND, 100);
    assertThat(during).isInstanceOf(Wait.class);
    assertThat(during.explanation().reason()).isEqualTo("a training is running");
    assertThat(controller.nextFiringNanos()).isEqualTo(UpdateDecision.Explanation.NEVER);
    UpdateDecision after = controller.trainingEnded(60 * SECOND, 5, 0, MeasuredUpdate.trained(59));
    assertThat(after).isInstanceOf(Train.class);
    assertThat(((Train) after).samples()).isEqualTo(100);
  }

  @Test
  void trainingEnded_updateCostsMoreThanItsTraining_isChargedAndRestored() {
    UpdateController cheap = controller(RuleName.AREA);
    UpdateController dear = controller(RuleName.AREA);
    for (long second = 0; second < 40; second += 2) {
      train(cheap, second, new MeasuredUpdate(0.5, 0.5));
      train(dear, second, new MeasuredUpdate(0.5, 0.8));
    }

    Explanation less = cheap.explain(50 * SECOND);
    Explanation more = dear.explain(50 * SECOND);
    assertThat(less.basis().overhead()).isZero();
    assertThat(more.basis().overhead()).isCloseTo(0.3, within(1e-9));
    assertThat(more.basis().costs().fixedSeconds())
        .isCloseTo(less.basis().costs().fixedSeconds() + 0.3, within(1e-9));
    assertThat(more.predicted()).as("of the training alone").isEqualTo(less.predicted());

    UpdateController restored = controller(RuleName.AREA);
    restored.restore(dear.snapshot());
    assertThat(restored.explain(50 * SECOND).basis()).isEqualTo(more.basis());
    cheap.arrived(60 * SECOND, 1);
    dear.arrived(60 * SECOND, 1);
    assertThat(dear.nextFiringNanos()).as("waits longer").isGreaterThan(cheap.nextFiringNanos());
  }

  private static void train(UpdateController controller, long atSecond, MeasuredUpdate measured) {
    controller.arrived(atSecond * SECOND, 1);
    controller.trainingStarted(1, 0, atSecond * SECOND);
    controller.trainingEnded((atSecond + 1) * SECOND, 1, 0, measured);
  }

  @Test
  void arrived_aboveMaxBatch_trainsTheLimitAndSaysSo() {
    UpdateController controller =
        new UpdateController(settings(RuleName.PERIODIC, 50, 0), new TrainingCostModel());
    UpdateDecision decision = controller.arrived(0, 120);
    assertThat(((Train) decision).samples()).isEqualTo(50);
    assertThat(decision.explanation().reason()).contains("hard limit").contains("max-batch is 50");
    controller.trainingStarted(50, 0, 0);
    assertThat(controller.pending()).isEqualTo(70);
  }

  @Test
  void evaluate_afterMaxWait_trainsAndSaysSo() {
    UpdateController controller =
        new UpdateController(settings(RuleName.COUNT, 1000, 3), new TrainingCostModel());
    controller.arrived(SECOND, 1);
    assertThat(controller.nextFiringNanos()).isEqualTo(4 * SECOND);
    assertThat(controller.evaluate(4 * SECOND).explanation().reason()).contains("max-wait");
  }

  @Test
  void trainingDropped_repeatedly_doublesThePauseAndKeepsArrivalTimes() {
    UpdateController controller = controller(RuleName.BEST_EFFORT);
    controller.arrived(0, 3);
    long now = 0;
    long lastPause = 0;
    for (int i = 1; i <= 12; i++) {
      controller.trainingStarted(3, 0, now);
      UpdateDecision decision = controller.trainingDropped(now, 3, false);
      assertThat(decision).isInstanceOf(Wait.class);
      assertThat(decision.explanation().reason()).contains(i + " failed");
      assertThat(controller.pending()).isEqualTo(3);
      assertThat(controller.failures()).isEqualTo(i);
      long pause = controller.nextFiringNanos() - now;
      assertThat(pause)
          .isGreaterThanOrEqualTo(lastPause)
          .isBetween(UpdateController.FIRST_PAUSE_NANOS, UpdateController.LONGEST_PAUSE_NANOS);
      lastPause = pause;
      now += pause;
      assertThat(controller.evaluate(now)).isInstanceOf(Train.class);
    }
    controller.trainingStarted(3, 0, now);
    controller.trainingEnded(now + SECOND, 3, 0, MeasuredUpdate.trained(1));
    assertThat(controller.failures()).isZero();
  }

  @Test
  void arrived_clockGoesBack_losesNothing() {
    UpdateController controller = controller(RuleName.AREA);
    controller.arrived(100 * SECOND, 1);
    controller.arrived(50 * SECOND, 1);
    assertThat(controller.pending()).isEqualTo(2);
    assertThat(controller.evaluate(40 * SECOND)).isInstanceOf(Wait.class);
    assertThat(controller.evaluate(200 * SECOND)).isInstanceOf(Train.class);
  }

  @Test
  void evaluate_nothingPending_waits() {
    for (RuleName rule : RuleName.values()) {
      UpdateController controller = controller(rule);
      assertThat(controller.evaluate(1000 * SECOND)).isInstanceOf(Wait.class);
      assertThat(controller.flush(2000 * SECOND)).isInstanceOf(Wait.class);
      assertThatThrownBy(() -> controller.arrived(0, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void flush_pendingSamples_trainsThem() {
    UpdateController controller = controller(RuleName.PERIODIC);
    controller.arrived(0, 3);
    assertThat(((Train) controller.flush(1)).samples()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MANUAL")
  void restore_snapshot_decidesAlike(RuleName rule) {
    SplittableRandom random = new SplittableRandom(5);
    UpdateController controller = controller(rule);
    List<Long> waiting = new ArrayList<>();
    long now = 0;
    int trainings = 0;
    for (int i = 0; i < 400; i++) {
      now += random.nextLong(SECOND);
      waiting.add(now);
      UpdateDecision decision = controller.arrived(now, 1);
      if (decision instanceof Train train) {
        trainings++;
        controller.trainingStarted(train.samples(), 7, now);
        waiting.subList(0, train.samples()).clear();
        now += SECOND;
        controller.trainingEnded(
            now, train.samples(), 7, MeasuredUpdate.trained(0.5 + random.nextDouble()));
        UpdateController restored = controller(rule);
        restored.restore(controller.snapshot());
        List<Long> arrivals = List.copyOf(waiting);
        restored.rebuild(now, each -> arrivals.forEach(each::arrived));
        assertThat(restored.pending()).isEqualTo(controller.pending());
        assertThat(restored.nextFiringNanos()).isEqualTo(controller.nextFiringNanos());
        controller = restored;
      }
    }
    assertThat(trainings).isPositive();
  }

  @Test
  void trainingEnded_periodPassedMeanwhile_trainsAtOnce() {
    UpdateController controller = controller(RuleName.PERIODIC);
    controller.arrived(0, 1);
    assertThat(controller.evaluate(5 * SECOND)).isInstanceOf(Train.class);
    controller.trainingStarted(1, 0, 5 * SECOND);
    controller.arrived(7 * SECOND, 2);
    assertThat(controller.trainingEnded(12 * SECOND, 1, 0, MeasuredUpdate.trained(7)))
        .isInstanceOf(Train.class);
    controller.trainingStarted(2, 0, 12 * SECOND);
    controller.arrived(13 * SECOND, 1);
    assertThat(controller.trainingEnded(14 * SECOND, 2, 0, MeasuredUpdate.trained(2)))
        .isInstanceOf(Wait.class);
    assertThat(controller.nextFiringNanos()).isEqualTo(15 * SECOND);
  }

  @Test
  void arrived_periodLongerThanTheClock_neverFires() {
    UpdateSettings settings =
        UpdateSettings.of(RuleName.PERIODIC, 10)
            .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(1e12));
    UpdateController controller = new UpdateController(settings, new TrainingCostModel());
    assertThat(controller.arrived(1_800_000_000L * SECOND, 1)).isInstanceOf(Wait.class);
  }

  @Test
  void rebuild_clockSetBack_doesNotProlongThePause() {
    UpdateController controller = controller(RuleName.BEST_EFFORT);
    controller.arrived(1_000_000 * SECOND, 1);
    controller.trainingStarted(1, 0, 1_000_000 * SECOND);
    controller.trainingDropped(1_000_000 * SECOND, 1, false);
    UpdateController restored = controller(RuleName.BEST_EFFORT);
    restored.restore(controller.snapshot());
    restored.rebuild(SECOND, each -> each.arrived(1_000_000 * SECOND));
    assertThat(restored.nextFiringNanos())
        .isLessThanOrEqualTo(SECOND + UpdateController.LONGEST_PAUSE_NANOS);
  }

  @Test
  void rebuild_arrivalTimesThatGoBack_areRaised() {
    UpdateController controller = controller(RuleName.AREA);
    controller.rebuild(
        9 * SECOND,
        each -> {
          each.arrived(5 * SECOND);
          each.arrived(2 * SECOND);
          each.arrived(20 * SECOND);
        });
    UpdateController expected = controller(RuleName.AREA);
    expected.rebuild(
        9 * SECOND,
        each -> {
          each.arrived(5 * SECOND);
          each.arrived(5 * SECOND);
          each.arrived(9 * SECOND);
        });
    assertThat(controller.nextFiringNanos()).isEqualTo(expected.nextFiringNanos());
  }

  @Test
  void trainingStarted_moreSamplesThanPending_isRefused() {
    UpdateController controller = controller(RuleName.AREA);
    controller.arrived(0, 3);
    assertThatThrownBy(() -> controller.trainingStarted(4, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4 of 3");
    controller.trainingStarted(2, 0, 0);
    assertThatThrownBy(() -> controller.trainingDropped(0, 3, false))
        .isInstanceOf(IllegalArgumentException.class);
    controller.trainingDropped(0, 2, false);
    assertThat(controller.pending()).isEqualTo(3);
  }

  @Test
  void arrived_aMillionSamplesAtOnce_areOneDecision() {
    UpdateController controller =
        new UpdateController(settings(RuleName.AREA, 2_000_000, 0), new TrainingCostModel());
    assertThat(controller.arrived(0, 1_000_000)).isInstanceOf(Wait.class);
    assertThat(((Train) controller.evaluate(SECOND)).samples()).isEqualTo(1_000_000);
  }

  @Test
  void trainingEnded_withinMinInterval_waitsAndSaysSo() {
    UpdateController controller =
        new UpdateController(
            UpdateSettings.of(RuleName.BEST_EFFORT, 10)
                .with(new UpdateSettings.Limits(1000, 0, 60)),
            new TrainingCostModel());
    assertThat(controller.arrived(0, 1)).isInstanceOf(Train.class);
    controller.trainingStarted(1, 0, 0);
    controller.arrived(SECOND, 3);
    UpdateDecision ended = controller.trainingEnded(2 * SECOND, 1, 0, MeasuredUpdate.trained(2));
    assertThat(ended).isInstanceOf(Wait.class);
    assertThat(ended.explanation().reason()).contains("min-interval");
    assertThat(controller.nextFiringNanos()).isEqualTo(60 * SECOND);
    UpdateDecision fired = controller.evaluate(60 * SECOND);
    assertThat(((Train) fired).samples()).isEqualTo(3);
    assertThat(fired.explanation().reason()).contains("min-interval held it back");
  }

  @Test
  void trainOnRequest_manualRule_trainsOnlyThen() {
    UpdateController controller = controller(RuleName.MANUAL);
    controller.arrived(0, 5);
    assertThat(controller.evaluate(1_000_000 * SECOND)).isInstanceOf(Wait.class);
    assertThat(controller.nextFiringNanos()).isEqualTo(UpdateDecision.Explanation.NEVER);
    UpdateDecision asked = controller.trainOnRequest(1_000_001 * SECOND);
    assertThat(((Train) asked).samples()).isEqualTo(5);
    assertThat(asked.explanation().reason()).isEqualTo("an update was asked for");
  }

  @Test
  void arrived_speculativeRule_restartsWithTheLargerBatch() {
    UpdateController controller = controller(RuleName.SPECULATIVE);
    controller.arrived(0, 1);
    controller.trainingStarted(1, 0, 0);
    // B*eps >= 2*(lambda*D*B + delta*(D+B)) with D=1, eps at least 0.05, lambda=0, 1 ms later.
    UpdateDecision decision = controller.arrived(SECOND / 1000, 9);
    assertThat(decision).isInstanceOf(UpdateDecision.Restart.class);
    UpdateDecision next = controller.trainingAborted(SECOND / 1000);
    assertThat(((Train) next).samples()).isEqualTo(10);
    controller.trainingStarted(10, 0, SECOND / 1000);
    assertThat(controller.arrived(10 * SECOND, 100)).as("too late").isInstanceOf(Wait.class);
  }

  @Test
  void urgency_raised_bringsTheFiringNearer() {
    UpdateController controller = controller(RuleName.AREA);
    controller.arrived(0, 2);
    long calm = controller.nextFiringNanos();
    assertThat(controller.urgency(4, 0)).isInstanceOf(Wait.class);
    assertThat(controller.nextFiringNanos()).isBetween(calm / 4, calm / 4 + 1);
    assertThat(controller.explain(0).basis().urgency()).isEqualTo(4);
    controller.urgency(1, 0);
    assertThat(controller.nextFiringNanos()).isEqualTo(calm);
  }

  @Test
  void explain_anyDecision_hasItsCertificate() {
    UpdateController controller = controller(RuleName.AREA);
    controller.arrived(0, 1);
    // C = 10 * 0.05, kappa = 0.05: trained now, one sample costs exactly the optimum.
    assertThat(controller.explain(0).guarantee().certifiedRatio()).isEqualTo(1);
    double later = controller.explain(SECOND / 100).guarantee().certifiedRatio();
    assertThat(later).isGreaterThan(1).isLessThan(2);
  }
}
