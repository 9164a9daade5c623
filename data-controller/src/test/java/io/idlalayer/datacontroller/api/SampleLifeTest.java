package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.evaluation.SampleExplanation;
import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.Retraction;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Newborns;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.datacontroller.settings.DataSettings.Staging;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleLifecycle;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** Labels taken back, ageing, rules that change, explanations. */
class SampleLifeTest {
  private final SampleCodec codec = new SampleCodec();
  private final InMemorySampleStore store = new InMemorySampleStore();
  private DataController controller = open(Staging.defaults().with(Score.CONTRIBUTION));

  private DataController open(Staging staging) {
    return new DataController(
        new DataSettings(
            staging,
            Replay.of(DataSettings.Policy.STAGE_SHARES, new Ratios(0, 1, 0), false, 100),
            1000,
            1 << 20,
            10),
        store,
        1);
  }

  private long arrive(String id, float x, float label) {
    Sample sample = new Sample(id, new double[] {x}, new int[0], label);
    return controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), 1).sampleId();
  }

  private TrainingSession begin(long update) {
    return controller.begin(controller.select(update, controller.waiting().size()));
  }

  private static StageReport accept(TrainingSession training, LongFunction<Float> after) {
    List<Contribution> contributions =
        Arrays.stream(training.selection().trainedIds())
            .mapToObj(id -> new Contribution(id, 1, after.apply(id)))
            .toList();
    return training.accept(contributions, 1);
  }

  private LifeStage stage(long id) {
    return controller.samples().explain(id).orElseThrow().stage();
  }

  @Test
  void labelTakenBackBeforeTraining_waitsForAnother() {
    long first = arrive("a", 1, 0);
    arrive("b", 2, 0);

    assertThat(controller.retract("a", 1).fate()).isEqualTo(Retraction.Fate.WITHDRAWN);
    assertThat(controller.retract("a", 1).fate()).isEqualTo(Retraction.Fate.UNKNOWN);
    assertThat(controller.retract("nobody", 1).fate()).isEqualTo(Retraction.Fate.UNKNOWN);
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertThat(controller.samples().explain("a").orElseThrow().labeled()).isFalse();

    assertThat(arrive("a", 1, 1)).isEqualTo(first);
    assertThat(controller.waiting().size()).isEqualTo(2);
    assertThat(controller.samples().explain("a").orElseThrow().labeled()).isTrue();
  }

  /** It came first, but ten others wait longer: they came before its label was taken back. */
  @Test
  void retract_afterALateLabel_waitsSinceThen() {
    arriveUnlabeled("late", 1);
    for (int i = 0; i < 10; i++) {
      arriveUnlabeled("other" + i, 2 + i);
      arrive("late", 0, 1);
    }
    controller.retract("late", 100);

    assertThat(controller.samples().explain("other0")).isEmpty();
    assertThat(controller.samples().explain("late")).isPresent();
    assertThat(controller.usage().samples()).isEqualTo(10);
  }

  /** Both came first, and the other ten wait longer than any of the two. */
  @Test
  void retract_twoAfterLateLabels_waitSinceThen() {
    arriveUnlabeled("late", 1);
    arriveUnlabeled("later", 2);
    for (int i = 0; i < 8; i++) {
      arriveUnlabeled("other" + i, 3 + i);
    }
    arrive("late", 0, 1);
    arrive("later", 0, 1);
    arriveUnlabeled("other8", 20);
    controller.retract("late", 100);
    controller.retract("later", 101);
    arriveUnlabeled("other9", 102);

    assertThat(controller.samples().explain("other0")).isEmpty();
    assertThat(controller.samples().explain("other1")).isEmpty();
    assertThat(controller.samples().explain("late")).isPresent();
    assertThat(controller.samples().explain("later")).isPresent();
    assertThat(controller.usage().samples()).isEqualTo(10);
  }

  @Test
  void retract_inTraining_keepsTheLimitOfWaitingSamples() {
    arrive("trains", 0, 1);
    TrainingSession training = begin(1);
    for (int i = 0; i < 10; i++) {
      arriveUnlabeled("other" + i, 2 + i);
    }
    controller.retract("trains", 100);

    assertThat(controller.usage().samples()).isEqualTo(10);
    assertThat(controller.samples().explain("other0")).isEmpty();
    accept(training, id -> 0f);
    assertThat(controller.samples().explain("trains")).isPresent();
    assertThat(controller.usage().samples()).isEqualTo(10);
  }

  @Test
  void accept_allTrainedSamplesDeletedMeanwhile_goesOn() {
    arrive("trains", 0, 1);
    TrainingSession training = begin(1);
    controller.retract("trains", 2);
    arrive("trains", 5, Float.NaN);
    for (int i = 0; i <= 10; i++) {
      arriveUnlabeled("other" + i, 3 + i);
    }
    assertThat(controller.samples().explain("trains")).isEmpty();

    accept(training, id -> 0f);

    assertThat(controller.usage().samples()).isEqualTo(10);
    long next = arrive("next", 0, 1);
    accept(begin(2), id -> 0f);
    assertThat(stage(next)).isNotEqualTo(LifeStage.NEWBORN);
  }

  private void arriveUnlabeled(String id, long nowMillis) {
    Sample sample = new Sample(id, new double[] {0}, new int[0], Sample.NO_LABEL);
    controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), nowMillis);
  }

  @Test
  void samplesThatTheModelKnows_areDiscardWithoutTraining_untilTheyComeAgain() {
    DataSettings defaults = DataSettings.defaults();
    Replay replay = defaults.replay();
    controller =
        new DataController(
            new DataSettings(
                defaults.staging(),
                new Replay(replay.policy(), replay.ratios(), false, 0, 1, Newborns.OPEN),
                10_000,
                1 << 20,
                0),
            store,
            1);
    for (int i = 0; i < 2000; i++) {
      controller.scored(arrive("", i, 0), 0.5f);
    }
    accept(begin(1), id -> 0.1f);
    long hard = arrive("", -1, 0);
    controller.scored(hard, 0.5f);
    for (int i = 1; i <= 100; i++) {
      controller.scored(arrive("", i, 1), 0.0001f);
    }

    TrainingSession training = begin(2);
    assertThat(training.selection().newIds()).hasSize(101);
    assertThat(training.selection().passedIds()).hasSizeBetween(70, 95).doesNotContain(hard);
    assertThat(training.load(codec::decode).rows())
        .hasSize(training.selection().newIds().length - training.selection().passedIds().length);
    StageReport report = accept(training, id -> 0.1f);
    assertThat(report.moves(LifeStage.NEWBORN, LifeStage.DISCARD))
        .isGreaterThanOrEqualTo(training.selection().passedIds().length);
    long known = training.selection().passedIds()[0];
    assertThat(stage(known)).isEqualTo(LifeStage.DISCARD);
    assertThat(controller.waiting().size()).isZero();
    assertThat(controller.usage().samples()).isEqualTo(2101);

    DataController restarted = open(Staging.defaults());
    restarted.rebuild(samples -> {});
    assertThat(restarted.waiting().size()).isZero();
    Sample again = codecOf(known);
    assertThat(controller.arrive(again, ContentHasher.of(again), codec.encode(again), 2).fate())
        .isEqualTo(ArrivalOutcome.Fate.NEWBORN);
    assertThat(begin(3).selection().passedIds()).as("not scored yet").isEmpty();
  }

  private Sample codecOf(long id) {
    try {
      return codec.decode(store.payloads(new long[] {id}).get(0));
    } catch (MalformedSampleException damaged) {
      throw new AssertionError(damaged);
    }
  }

  @Test
  void sameLabelGivenAgain_isALabel() {
    long first = arrive("a", 1, 0);
    controller.retract("a", 1);
    assertThat(arrive("a", 1, 0)).isEqualTo(first);
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertThat(controller.samples().explain("a").orElseThrow().labeled()).isTrue();
  }

  @Test
  void contentOfARetractedSample_underAnotherId_isNew() {
    long first = arrive("a", 1, 0);
    controller.retract("a", 1);
    long second = arrive("b", 1, 0);
    assertThat(second).isNotEqualTo(first);
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertThat(arrive("a", 1, 0)).isEqualTo(first);
    assertThat(controller.usage().samples()).isEqualTo(2);
  }

  @Test
  void labelTakenBackAndGivenDuringTraining_isNewAfterIt() {
    long id = arrive("a", 1, 0);
    arrive("b", 2, 0);
    for (int update = 1; update <= 3; update++) {
      TrainingSession training = begin(update);
      controller.retract("a", 1);
      assertThat(arrive("a", 1, update % 2)).isEqualTo(id);
      assertThat(controller.waiting().size()).isEqualTo(1);
      switch (update) {
        case 1 -> accept(training, each -> 0.5f);
        case 2 -> training.abandon();
        default -> training.quarantine();
      }
      assertThat(stage(id)).isEqualTo(LifeStage.NEWBORN);
      assertThat(controller.waiting().size()).isEqualTo(1);
    }
    DataController restarted = open(Staging.defaults().with(Score.CONTRIBUTION));
    restarted.restore(controller.snapshot());
    restarted.rebuild(samples -> {});
    assertThat(restarted.waiting().size()).isEqualTo(1);
  }

  @Test
  void labelTakenBackTwiceDuringTraining_waitsOnce() {
    arrive("a", 1, 0);
    TrainingSession training = begin(1);
    controller.retract("a", 1);
    arrive("a", 1, 1);
    controller.retract("a", 1);
    training.abandon();
    assertThat(controller.waiting().size()).isZero();
    assertThat(arrive("a", 1, 1)).isEqualTo(1);
    assertThat(controller.waiting().size()).isEqualTo(1);
  }

  @Test
  void labelTakenBackAfterTraining_trainsNoMore() {
    long kept = arrive("a", 1, 0);
    long gone = arrive("b", 2, 0);
    accept(begin(1), id -> 0.1f);

    assertThat(controller.retract("b", 1).fate())
        .isEqualTo(Retraction.Fate.WITHDRAWN_AFTER_TRAINING);
    assertThat(controller.usage().stages().newborn()).isEqualTo(1);
    arrive("c", 3, 0);
    TrainingSession next = begin(2);
    assertThat(next.selection().ids()).doesNotContain(gone);
    assertThat(controller.samples().explain(kept)).isPresent();
  }

  @Test
  void labelTakenBackDuringTraining_leavesWhenThatEnds() {
    long id = arrive("a", 1, 0);
    arrive("b", 2, 0);
    TrainingSession training = begin(1);

    assertThat(controller.retract("a", 1).fate()).isEqualTo(Retraction.Fate.WITHDRAWN_IN_TRAINING);
    accept(training, each -> 0.5f);
    assertThat(stage(id)).isEqualTo(LifeStage.NEWBORN);
    assertThat(controller.samples().explain(id).orElseThrow().labeled()).isFalse();
    assertThat(controller.waiting().size()).isZero();
    assertThat(arrive("a", 1, 1)).isEqualTo(id);
    assertThat(controller.waiting().size()).isEqualTo(1);
  }

  @Test
  void labelTakenBackDuringATrainingThatIsDropped_waits() {
    arrive("a", 1, 0);
    arrive("b", 2, 0);
    TrainingSession training = begin(1);
    controller.retract("a", 1);
    training.abandon();
    assertThat(controller.waiting().size()).isEqualTo(1);
    DataController restarted = open(Staging.defaults().with(Score.CONTRIBUTION));
    restarted.restore(controller.snapshot());
    restarted.rebuild(samples -> {});
    assertThat(restarted.waiting().size()).isEqualTo(1);
  }

  @Test
  void samplesThatNoUpdateTrains_goOneStageDownAtATime() {
    Staging staging = Staging.defaults().with(Score.CONTRIBUTION);
    controller =
        open(
            new Staging(
                staging.contribution(),
                staging.score(),
                staging.rules(),
                staging.rulesName(),
                staging.engine(),
                3));
    long[] ids = new long[8];
    for (int i = 0; i < 8; i++) {
      ids[i] = arrive("", i, 0);
    }
    accept(begin(1), id -> id % 2 == 0 ? 0.5f : 0.9f - id / 100f);
    long mature =
        Arrays.stream(ids).filter(id -> stage(id) == LifeStage.MATURE).findFirst().orElseThrow();
    for (int update = 2; update <= 5; update++) {
      assertThat(stage(mature)).isEqualTo(LifeStage.MATURE);
      arrive("", 100 + update, 0);
      StageReport report = accept(begin(update), id -> 0.5f);
      if (update == 5) {
        assertThat(report.moves(LifeStage.MATURE, LifeStage.DISCARD)).isPositive();
      }
    }
    assertThat(stage(mature)).isEqualTo(LifeStage.DISCARD);
    List<SampleLifecycle> stored = new ArrayList<>();
    store.forEachMetadata(
        (id, metadata) -> {
          if (id == mature) {
            stored.add(metadata.lifecycle());
          }
        });
    assertThat(stored)
        .as("it begins to age anew")
        .singleElement()
        .extracting(SampleLifecycle::stage, SampleLifecycle::seenInUpdate)
        .containsExactly(LifeStage.DISCARD, 5);
  }

  @Test
  void rules_decide_andChangeWhileItRuns() throws FclException {
    controller = open(Staging.defaults().with(Score.RULES));
    for (int i = 0; i < 9; i++) {
      arrive("e" + i, i, 0);
    }
    accept(begin(1), id -> 0.9f - id / 20f);
    SampleExplanation best = controller.samples().explain("e8").orElseThrow();
    assertThat(best.stage()).isEqualTo(LifeStage.PRESERVE);
    assertThat(best.strengths()).hasSize(7);
    assertThat(best.facts()).containsEntry("contribution", 1.0).containsEntry("frequency", 1.0);
    assertThat(best.scoreNow())
        .isCloseTo(best.score(), org.assertj.core.api.Assertions.within(1e-6));

    String inverted = Staging.defaults().rules().replace("life IS preserve", "life IS discard");
    assertThatThrownBy(
            () -> controller.useRules("mine.fcl", inverted.replace("RULE 7 :", "RULE 7")))
        .isInstanceOf(FclException.class)
        .hasMessageContaining("mine.fcl:");
    assertThat(controller.samples().explain("e8").orElseThrow().scoreNow()).isGreaterThan(0.75);

    controller.useRules("mine.fcl", inverted);
    assertThat(controller.samples().explain("e8").orElseThrow().scoreNow()).isLessThan(0.25);
    arrive("later", 50, 0);
    accept(begin(2), id -> 0.1f);
    assertThat(stage(controller.samples().explain("e8").orElseThrow().sampleId()))
        .isNotEqualTo(LifeStage.PRESERVE);
  }

  @Test
  void frequency_decidesWhateverWasLearned() {
    controller = open(Staging.defaults().with(Score.FREQUENCY));
    long once = arrive("", 1, 0);
    long again = arrive("", 2, 0);
    arrive("", 2, 0);
    accept(begin(1), id -> id == once ? 0.01f : 1f);
    assertThat(stage(once)).isEqualTo(LifeStage.MATURE);
    assertThat(stage(again)).as("it gained nothing").isEqualTo(LifeStage.PRESERVE);
    assertThat(controller.samples().explain(once).orElseThrow().facts())
        .as("nothing is ranked")
        .containsOnlyKeys("frequency", "trainings", "noise", "stage", "worth");

    arrive("", 1, 0);
    assertThat(controller.waiting().size()).as("it is another event").isEqualTo(1);
  }

  @Test
  void frequency_makesNoiseDiscardAllTheSame() {
    controller =
        new DataController(
            new DataSettings(
                Staging.defaults().with(Score.FREQUENCY),
                Replay.of(DataSettings.Policy.NEWEST_WINDOW, new Ratios(1, 1, 1), false, 1_000),
                1000,
                1 << 20,
                10),
            store,
            1);
    long wrong = arrive("", 0, 0);
    for (int i = 1; i < 300; i++) {
      arrive("", i, 0);
    }
    for (int update = 1; update <= 3; update++) {
      assertThat(update == 1 ? LifeStage.NEWBORN : LifeStage.MATURE).isEqualTo(stage(wrong));
      accept(begin(update), id -> id == wrong ? 9f : 0.1f);
      arrive("", 1_000 + update, 0);
    }
    assertThat(stage(wrong)).isEqualTo(LifeStage.DISCARD);
  }

  @Test
  void brokenRules_areRefusedAtTheStart() {
    Staging broken =
        new Staging(
            DataSettings.ContributionMode.GAIN,
            Score.RULES,
            "nonsense",
            "mine.fcl",
            io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines.Kind.BUILT_IN,
            0);
    assertThatThrownBy(() -> open(broken))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mine.fcl:1:1");
  }

  @Test
  void equalContents_trainEachAndShareTheirGain() {
    arrive("", 1, 0);
    arrive("", 1, 0);
    long single = arrive("", 2, 0);
    TrainingSession training = begin(1);
    assertThat(training.load(codec::decode).rows())
        .extracting(TrainingRow::sampleId)
        .containsExactly(1L, 2L, single);
    accept(training, id -> 0.4f);
    assertThat(controller.samples().explain(single).orElseThrow().facts().get("worth"))
        .isGreaterThan(controller.samples().explain(1L).orElseThrow().facts().get("worth"));
  }
}
