package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.idlalayer.datacontroller.intake.EarlyLabels;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DefaultLabel;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import io.idlalayer.middleware.sample.AbsentValues;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a learner says of its samples, and what it is told of them. */
class LearnerSamplesTest {
  @TempDir Path folder;

  private LearnerSimulation simulation(UpdateSettings.RuleName rule, DataSettings data) {
    return new LearnerSimulation(
        UpdateSettings.of(rule, 10), data, folder.resolve("models"), request -> false);
  }

  private static List<DecisionEvent> of(LearnerSimulation sim, DecisionEvent.Type type) {
    return sim.events.stream().filter(event -> event.type() == type).toList();
  }

  @Test
  void labelTakenBack_countsBalanceAndTheSampleIsNotTrained() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      for (int i = 0; i < 5; i++) {
        sim.arrive("s" + i, i, i % 2);
      }
      sim.retract("s3");
      sim.retract("nobody");
      sim.requestTraining();
      sim.finish();

      Status status = sim.last().status();
      assertThat(status.trainedNewSamples()).isEqualTo(4);
      assertThat(status.samples().received()).isEqualTo(5);
      assertThat(status.samples().unlabeled()).isEqualTo(1);
      assertThat(sim.lineage()).hasSize(4).doesNotContain(4L);
    }
  }

  @Test
  void labelTakenBack_ofTheOnlyOneThatWaits_leavesNothingToTrain() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.AREA, DataSettings.defaults())) {
      sim.arrive("a", 1, 0);
      sim.retract("a");
      sim.finish();

      assertThat(sim.last().status().updates()).isZero();
      assertThat(of(sim, DecisionEvent.Type.FIRED)).isEmpty();
    }
  }

  @Test
  void labelTakenBack_whileATrainingRuns_isForgottenByTheRuleAfterIt() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      sim.arrive("a", 1, 0);
      sim.requestTraining();
      sim.arrive("b", 2, 0);
      sim.retract("b");
      sim.retract("a");
      sim.arrive("a", 3, 1);
      sim.finish();

      Status status = sim.last().status();
      assertThat(status.decision().pending()).isZero();
      assertThat(status.stages().newborn()).isEqualTo(1);
    }
  }

  /** What the counts of events with ids are, beside those that were trained. */
  private static void assertCounts(
      LearnerSimulation sim, int trained, int unlabeled, int duplicates, int merged, int changed) {
    Status status = sim.last().status();
    Status.Samples samples = status.samples();
    assertThat(status.trainedNewSamples()).as("trained").isEqualTo(trained);
    assertThat(samples.unlabeled()).as("unlabeled").isEqualTo(unlabeled);
    assertThat(samples.duplicates()).as("duplicates").isEqualTo(duplicates);
    assertThat(samples.merged()).as("merged").isEqualTo(merged);
    assertThat(samples.changed()).as("changed").isEqualTo(changed);
    assertThat(samples.accounted(trained) + status.decision().pending())
        .as("accounted")
        .isEqualTo(samples.received());
  }

  @Test
  void events_withIdsAndEqualContents_areSamplesOfTheirOwn() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      for (int i = 0; i < 9; i++) {
        sim.arrive("e" + i, 1, i % 3 == 0 ? 1 : 0);
      }
      sim.arrive("e4", 1, 0);
      sim.finish();

      assertCounts(sim, 9, 0, 1, 0, 0);
      assertThat(sim.last().status().samples().stored()).isEqualTo(9);
    }
  }

  @Test
  void labels_afterAndBeforeTheirEvents_joinThem() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      sim.arrive("a", 1, Sample.NO_LABEL);
      sim.arrive("b", 1, Sample.NO_LABEL);
      sim.label("b", 1);
      sim.label("c", 0);
      sim.label("d", 0);
      sim.crash();
      sim.arrive("c", 1, Sample.NO_LABEL);
      sim.label("a", 0);
      sim.arrive("d", 1, 1);
      sim.label("nobody", 1);
      sim.finish();

      assertCounts(sim, 4, 3, 0, 1, 1);
      assertThat(sim.last().status().samples().joined()).isEqualTo(3);
      assertThat(sim.last().status().samples().labelsWaiting()).isEqualTo(1);
      sim.pass(DataSettings.LABEL_WAIT_MILLIS);
      sim.arrive("", 7, 0);
      sim.events.clear();
      sim.finish();
      assertThat(sim.last().status().samples().labelsWaiting()).isZero();
      assertThat(sim.last().status().samples().labelsGivenUp()).isEqualTo(1);
      assertCounts(sim, 5, 3, 0, 1, 1);
    }
  }

  private static final DataSettings WITH_DEFAULT =
      DataSettings.defaults().with(new DefaultLabel(0, DataSettings.LABEL_WAIT_MILLIS / 2));

  private static void assertDefaults(LearnerSimulation sim, int defaulted, int corrected) {
    Status.Samples samples = sim.last().status().samples();
    assertThat(samples.labelsDefaulted()).as("defaulted").isEqualTo(defaulted);
    assertThat(samples.defaultsCorrected()).as("corrected").isEqualTo(corrected);
  }

  @Test
  void defaultLabel_afterItsTimeThroughACrash_trainsAndIsCorrected() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL, WITH_DEFAULT)) {
      sim.label("before", 1);
      sim.arrive("before", 1, Sample.NO_LABEL);
      sim.arrive("late", 2, Sample.NO_LABEL);
      sim.arrive("never", 3, Sample.NO_LABEL);
      sim.arrive("withdrawn", 4, 1);
      sim.retract("withdrawn");
      sim.arrive("", 5, Sample.NO_LABEL);
      sim.pass(DataSettings.LABEL_WAIT_MILLIS / 4);
      sim.crash();
      sim.pass(DataSettings.LABEL_WAIT_MILLIS / 2);
      sim.requestTraining();
      sim.crash();
      sim.label("never", 0);
      sim.label("late", 1);
      sim.label("late", 1);
      sim.label("late", 0);
      sim.finish();
      assertDefaults(sim, 2, 1);
      assertCounts(sim, 4, 3, 2, 1, 2);
    }
  }

  @Test
  void defaultLabel_atTheEndOfTheInput_comesAtOnce() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL, WITH_DEFAULT)) {
      for (int i = 0; i < 3_000; i++) {
        sim.arrive("e" + i, i, Sample.NO_LABEL);
      }
      sim.finish();
      assertDefaults(sim, 3_000, 0);
      assertCounts(sim, 3_000, 0, 0, 0, 0);
    }
  }

  /** Labels that were sent while no learner ran are read before events get the default label. */
  @Test
  void defaultLabel_afterAStop_waitsAsLongAsTheStopWas() throws Exception {
    long half = DataSettings.LABEL_WAIT_MILLIS / 4;
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL, WITH_DEFAULT)) {
      sim.arrive("read", 1, Sample.NO_LABEL);
      sim.arrive("unread", 2, Sample.NO_LABEL);
      sim.nowMillis += 10 * half;
      sim.crash();
      sim.pass(half);
      sim.label("read", 1);
      assertThat(sim.last().status().samples().labelsDefaulted()).isZero();
      sim.pass(half + 60_000);
      assertDefaults(sim, 1, 0);
    }
  }

  @Test
  void correction_beforeWhileAndAfterTraining_trainsTheCorrectedSample() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      sim.arrive("waits", 1, 0);
      sim.arrive("waits", 2, 0);
      sim.arrive("trains", 1, 0);
      sim.requestTraining();
      sim.arrive("trains", 1, 1);
      sim.crash();
      sim.finish();
      assertCounts(sim, 2, 1, 0, 1, 2);
      sim.arrive("trains", 1, 0);
      sim.events.clear();
      sim.finish();
      assertCounts(sim, 3, 1, 0, 1, 3);
      assertThat(sim.last().status().samples().revived()).isEqualTo(2);
    }
  }

  @Test
  void label_takenBackBeforeItsEventCame_isForgotten() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      sim.label("a", 1);
      sim.retract("a");
      sim.arrive("a", 1, Sample.NO_LABEL);
      sim.finish();
      assertCounts(sim, 0, 2, 0, 0, 0);
    }
  }

  @Test
  void labels_whoseEventsDoNotCome_areDeadLettersOnce() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      sim.label("a", 1);
      sim.pass(DataSettings.LABEL_WAIT_MILLIS / 2);
      sim.label("b", 0);
      sim.label("c", 0);
      sim.label("c", 1);
      sim.crash();
      sim.arrive("b", 1, Sample.NO_LABEL);
      assertThat(sim.refused).isEmpty();
      sim.pass(DataSettings.LABEL_WAIT_MILLIS / 2);
      assertThat(sim.refused)
          .usingRecursiveFieldByFieldElementComparator()
          .containsExactly(
              new DeadLetter(
                  "app",
                  "events",
                  0,
                  0,
                  "id: no event with the id 'a' came for its label '1' within 3600 s"
                      + " (selection.label-wait)",
                  "in.csv:0",
                  new byte[] {1, 2, 3},
                  3));
      sim.crash();
      sim.pass(DataSettings.LABEL_WAIT_MILLIS);
      sim.crash();
      sim.finish();
      assertThat(sim.refused)
          .extracting(DeadLetter::offset, DeadLetter::origin)
          .as("the record that brought the label that prevails")
          .containsExactly(tuple(0L, "in.csv:0"), tuple(3L, "in.csv:3"));
      assertCounts(sim, 1, 1, 0, 1, 1);
      assertThat(sim.last().status().samples().labelsGivenUp()).isEqualTo(2);
    }
  }

  @Test
  void labels_thatOthersTakeTheSpaceOf_areDeadLetters() throws Exception {
    DataSettings defaults = DataSettings.defaults();
    DataSettings data =
        new DataSettings(defaults.staging(), defaults.replay(), 4, defaults.maxBytes(), 3);
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL, data)) {
      sim.label("a", 1);
      sim.label("b", 1);
      sim.label("c", 1);
      sim.label("d", 1);
      sim.arrive("", 1, 0);
      sim.arrive("", 2, 0);
      sim.finish();
      assertThat(sim.refused)
          .extracting(DeadLetter::offset, DeadLetter::reason)
          .containsExactly(
              tuple(
                  0L,
                  "id: no event with the id 'a' came for its label '1' before more than 3 samples"
                      + " and labels waited (selection.max-unlabeled)"),
              tuple(
                  1L,
                  "id: no event with the id 'b' came for its label '1' before the store was full"
                      + " (selection.max-samples, selection.max-bytes)"));
      assertThat(sim.last().status().samples().labelsGivenUp()).isEqualTo(2);
      assertCounts(sim, 2, 0, 0, 0, 0);
    }
  }

  /** A label that waits is lost to another that waits while no event arrives, and is counted. */
  @Test
  void label_lostByARequest_isCountedInTheCheckpointAfterIt() throws Exception {
    DataSettings defaults = DataSettings.defaults();
    DataSettings data =
        new DataSettings(
            defaults.staging(), defaults.replay(), defaults.maxSamples(), defaults.maxBytes(), 1);
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL, data)) {
      sim.label("a", 1);
      sim.arrive("b", 1, 0);
      sim.retract("b");
      sim.crash();
      sim.finish();
      assertThat(sim.refused).extracting(DeadLetter::offset).containsExactly(0L);
      assertThat(sim.last().status().samples().labelsGivenUp()).isEqualTo(1);
      assertCounts(sim, 0, 1, 0, 0, 0);
    }
  }

  /** More than may be kept between two calls are given up at once; each has a letter. */
  @Test
  void labels_manyGivenUpAtOnce_areAllDeadLetters() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      int labels = 2 * EarlyLabels.LOST_MAX + 5;
      for (int i = 0; i < labels; i++) {
        sim.label("e" + i, 1);
      }
      sim.nowMillis += DataSettings.LABEL_WAIT_MILLIS;
      sim.arrive("e" + (labels - 1), 1, 0);
      sim.finish();
      assertThat(sim.refused)
          .hasSize(labels)
          .extracting(DeadLetter::offset)
          .doesNotHaveDuplicates();
      assertThat(sim.last().status().samples().labelsGivenUp()).isEqualTo(labels);
      assertCounts(sim, 1, 0, 0, 0, 0);
    }
  }

  @Test
  void part_withoutTheRestOfItsEvent_isADeadLetter() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      BitSet first = new BitSet();
      first.set(0);
      Sample part =
          new Sample(
              "a",
              new double[] {Float.NaN},
              new int[0],
              IdLists.NONE,
              1,
              AbsentValues.of(first, first));
      sim.arrive(part);
      sim.arrive("a", 1, Sample.NO_LABEL);
      sim.arrive(part);
      sim.finish();
      assertCounts(sim, 1, 1, 0, 0, 0);
      assertThat(sim.last().status().samples().malformed()).isEqualTo(1);
      assertThat(sim.refused)
          .extracting(DeadLetter::offset, DeadLetter::reason)
          .containsExactly(tuple(0L, "x: missing, and no earlier event with its id has it"));
    }
  }

  @Test
  void everyUpdate_saysWhoMoved() throws Exception {
    try (LearnerSimulation sim =
        simulation(UpdateSettings.RuleName.MANUAL, DataSettings.defaults())) {
      for (int i = 0; i < 400; i++) {
        sim.arrive("s" + i, i, i % 2);
      }
      sim.requestTraining();
      sim.finish();

      List<DecisionEvent> staged = of(sim, DecisionEvent.Type.STAGED);
      assertThat(staged).hasSize(1);
      StageMoves moves = staged.get(0).moves();
      assertThat(moves.counts().values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(400);
      assertThat(moves.counts().keySet()).allMatch(key -> key.startsWith("NEWBORN>"));
      assertThat(moves.traced()).isNotEmpty().allMatch(move -> move.before().equals("NEWBORN"));
      assertThat(sim.last().status().hotSamples().hits()).isPositive();

      long traced = moves.traced().get(0).sampleId();
      sim.explain("#" + traced);
      SampleView answer = sim.last().sample();
      assertThat(answer.found()).isTrue();
      assertThat(answer.stage()).isEqualTo(moves.traced().get(0).after());
      assertThat(answer.facts())
          .as("by frequency nothing is ranked")
          .containsOnlyKeys("frequency", "trainings", "noise", "stage", "worth");
      sim.explain("s7");
      assertThat(sim.last().sample().found()).isTrue();
      sim.explain("s4711");
      assertThat(sim.last().sample().found()).isFalse();
    }
  }

  @Test
  void rulesFile_isWatched_brokenChangesAreRefused() throws Exception {
    Path file = folder.resolve("stages.fcl").toAbsolutePath();
    DataSettings.Staging shipped = DataSettings.Staging.defaults();
    Files.writeString(file, shipped.rules());
    DataSettings defaults = DataSettings.defaults();
    DataSettings data =
        new DataSettings(
            new DataSettings.Staging(
                shipped.contribution(),
                DataSettings.Score.RULES,
                shipped.rules(),
                file.toString(),
                FuzzyEngines.Kind.BUILT_IN,
                0),
            defaults.replay(),
            defaults.maxSamples(),
            defaults.maxBytes(),
            defaults.maxUnlabeled());
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL, data)) {
      sim.arrive("a", 1, 0);
      sim.step(2_000);
      assertThat(of(sim, DecisionEvent.Type.RULES)).isEmpty();

      Files.writeString(file, shipped.rules().replace("life IS preserve", "life IS preserved"));
      stepUntilRules(sim, 1);
      assertThat(of(sim, DecisionEvent.Type.RULES))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .startsWith("kept the rules; the changed file is refused: " + file)
          .contains("'preserved' is not a term of life; known are discard, mature, preserve");

      Files.writeString(file, shipped.rules().replace("0.95", "0.9"));
      stepUntilRules(sim, 2);
      assertThat(of(sim, DecisionEvent.Type.RULES))
          .last()
          .extracting(DecisionEvent::message)
          .isEqualTo("took the changed rules of " + file);

      Files.delete(file);
      stepUntilRules(sim, 3);
      assertThat(of(sim, DecisionEvent.Type.RULES))
          .last()
          .extracting(DecisionEvent::message)
          .asString()
          .startsWith("kept the rules; the file cannot be read: ")
          .contains(file.toString());
    }
  }

  /** Lets time pass until the file, which another thread reads, has given this many messages. */
  private static void stepUntilRules(LearnerSimulation sim, int messages) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              sim.step(2_000);
              return of(sim, DecisionEvent.Type.RULES).size() >= messages;
            });
  }
}
