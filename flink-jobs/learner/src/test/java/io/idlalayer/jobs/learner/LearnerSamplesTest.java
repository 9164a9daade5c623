package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
          .contains("'preserved' is no term of life; known are discard, mature, preserve");

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
