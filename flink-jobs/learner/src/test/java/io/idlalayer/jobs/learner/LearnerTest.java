package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LearnerTest {
  private static final DataSettings SMALL =
      new DataSettings(
          DataSettings.Staging.defaults(),
          DataSettings.Replay.of(
              DataSettings.Policy.STAGE_SHARES, new DataSettings.Ratios(0, 0, 0), false, 0),
          10,
          1 << 20,
          5);

  @TempDir Path models;

  private static UpdateSettings rule(UpdateSettings.RuleName name) {
    return UpdateSettings.of(name, 10)
        .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(0.5).withCount(25))
        .with(new UpdateSettings.Limits(60, 0, 0));
  }

  private LearnerSimulation simulation(UpdateSettings.RuleName name) {
    return new LearnerSimulation(rule(name), DataSettings.defaults(), models, request -> false);
  }

  private LearnerSimulation failing(Predicate<TrainingRequest> diverges) {
    UpdateSettings count = rule(UpdateSettings.RuleName.COUNT);
    return new LearnerSimulation(count, DataSettings.defaults(), models, diverges);
  }

  @Test
  void tick_loneSample_isTrainedAndPublished() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.DLA)) {
      sim.arrive("a", 1, 0);
      while (sim.notices.isEmpty()) {
        sim.step(10_000);
        sim.work();
      }
      assertThat(sim.models.current("app", 0)).isPresent();
      assertThat(sim.last().type()).isEqualTo(DecisionEvent.Type.PUBLISHED);
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(1);
      assertThat(sim.last().status().incorporation().count()).isEqualTo(1);
    }
  }

  @Test
  void updates_takeProcessorTime_isCountedByPartAndCharged() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      AtomicLong nanos = new AtomicLong();
      sim.processorTimes =
          new ProcessorTimes(
              // Each reading of the clock is 10 ms later than the one before.
              () -> nanos.addAndGet(10_000_000),
              () -> 0,
              () -> 0,
              () -> new ProcessorUse.OfProcess(9, 3),
              () -> 0);
      sim.crash();
      for (int i = 0; i < 100; i++) {
        sim.arrive("p" + i, i, i % 2);
        sim.work();
        sim.step(100);
      }
      sim.finish();

      Status status = sim.last().status();
      ProcessorUse use = Objects.requireNonNull(status.processor());
      assertThat(use.updates()).isEqualTo(status.updates()).isGreaterThanOrEqualTo(4);
      ProcessorUse.Caused caused = use.caused();
      assertThat(
              List.of(
                  caused.decidingSeconds(),
                  caused.trainingSeconds(),
                  caused.acceptingSeconds(),
                  caused.reportingSeconds(),
                  caused.publishingSeconds(),
                  caused.cleaningUpSeconds(),
                  use.statusSeconds()))
          .allSatisfy(seconds -> assertThat(seconds).isGreaterThanOrEqualTo(0.01));
      assertThat(caused.sumSeconds()).isLessThan(nanos.get() / 1e9);
      Grounds grounds = status.decision().grounds();
      assertThat(grounds.basis().overhead())
          .as("what the updates cost beside their trainings")
          .isBetween(0.01, caused.sumSeconds() / use.updates());
      assertThat(grounds.basis().costs().fixedSeconds()).isGreaterThan(grounds.basis().overhead());
    }
  }

  @Test
  void manualRule_request_trainsAndIsNoEvent() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.MANUAL)) {
      for (int i = 0; i < 7; i++) {
        sim.arrive("m" + i, i, i % 2);
      }
      for (int i = 0; i < 100; i++) {
        sim.step(3_600_000);
        assertThat(sim.work()).isFalse();
      }
      sim.requestTraining();
      while (sim.notices.isEmpty()) {
        sim.work();
        sim.step(1_000);
      }
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(7);
      assertThat(sim.last().status().samples().received()).isEqualTo(7);
      assertThat(sim.last().update().firing().grounds().reason())
          .isEqualTo("an update was asked for");
    }
  }

  @Test
  void speculativeRule_abortedTraining_trainsEverythingOnce() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.SPECULATIVE)) {
      sim.arrive("first", 0, 0);
      // One millisecond later much more is there, and the training has not begun yet.
      sim.nowMillis++;
      for (int i = 0; i < 20; i++) {
        sim.arrive("s" + i, 1 + i, i % 2);
      }
      assertThat(sim.events).extracting(DecisionEvent::type).contains(DecisionEvent.Type.ABORTED);
      sim.finish();
      assertBalanced(sim.last().status());
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(21);
      assertThat(sim.lineage()).doesNotHaveDuplicates();
      assertVersionsGrow(sim);
    }
  }

  private static TensorTraffic planned(String planner) {
    StepCurve curve = new StepCurve(1, 1, -1, 0, 64, 64, List.of(StepCurve.Point.NONE));
    PlanUse use = new PlanUse(planner, 1, 1, 1, 1, 1, 0, 0, Map.of(), curve);
    return new TensorTraffic(
        1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, DeviceSpeed.symmetric(1, 1), use, null);
  }

  private static List<String> plans(LearnerSimulation sim) {
    return sim.events.stream()
        .filter(event -> event.type() == DecisionEvent.Type.PLANNED)
        .map(event -> event.update().number() + " " + event.plan().planner())
        .toList();
  }

  @Test
  void plan_thatChanges_isReportedOnceAndAfterARestart() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.DLA)) {
      String[] planners = {"", "cached-arrays", "cached-arrays", "autovm", "autovm"};
      for (int update = 0; update < planners.length; update++) {
        sim.traffic = planners[update].isEmpty() ? null : planned(planners[update]);
        trainOne(sim, update);
      }
      assertThat(plans(sim)).containsExactly("2 cached-arrays", "4 autovm");
      assertThat(sim.events)
          .filteredOn(event -> event.update() != null && event.update().number() == 4)
          .extracting(DecisionEvent::type)
          .containsSubsequence(
              DecisionEvent.Type.STAGED, DecisionEvent.Type.PLANNED, DecisionEvent.Type.PUBLISHED);
      sim.crash();
      trainOne(sim, planners.length);
      assertThat(plans(sim)).endsWith("6 autovm").hasSize(3);
    }
  }

  private static void trainOne(LearnerSimulation sim, int before) throws Exception {
    sim.arrive("plan-" + before, before, before % 2);
    while (sim.notices.size() <= before) {
      sim.step(10_000);
      sim.work();
    }
  }

  @Test
  void fired_event_hasArrivalTimesAndBasis() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.ADAPTIVE)) {
      sim.arrive("a", 1, 0);
      sim.arrive("b", 2, 1);
      sim.nowMillis += 7;
      sim.arrive("c", 3, 0);
      long first = sim.nowMillis - 7;
      sim.finish();
      DecisionEvent fired =
          sim.events.stream()
              .filter(event -> event.type() == DecisionEvent.Type.FIRED)
              .findFirst()
              .orElseThrow();
      assertThat(fired.arrivals())
          .isEqualTo(new ArrivalTimes(first, new long[] {0, 7}, new int[] {2, 1}));
      Grounds grounds = fired.update().firing().grounds();
      assertThat(grounds.guarantee().certifiedRatio()).isGreaterThanOrEqualTo(1);
      assertThat(grounds.basis().costs().weight()).isEqualTo(10);
      assertThat(grounds.predicted().high()).isGreaterThanOrEqualTo(grounds.predicted().mean());
      assertThat(sim.last().status().decision().grounds().guarantee().certifiedRatio())
          .isGreaterThanOrEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyRule_withCrashes_balancesAndTrainsEachSampleOnce(UpdateSettings.RuleName name)
      throws Exception {
    for (int seed = 0; seed < 2; seed++) {
      runWithCrashes(name, seed);
    }
  }

  private void runWithCrashes(UpdateSettings.RuleName name, int seed) throws Exception {
    Random random = new Random(seed);
    Path folder = models.resolve(name + "-" + seed);
    try (LearnerSimulation sim =
        new LearnerSimulation(rule(name), DataSettings.defaults(), folder, request -> false)) {
      for (int i = 0; i < 400; i++) {
        switch (random.nextInt(12)) {
          case 0 -> sim.malformed();
          case 1 -> sim.arrive("u" + i, i, Sample.NO_LABEL);
          case 2 -> sim.crash();
          case 3 -> sim.work();
          case 4, 5 -> sim.step(random.nextInt(300) + 1);
          default -> sim.arrive("", random.nextInt(200), random.nextInt(2));
        }
      }
      sim.finish();
      assertBalanced(sim.last().status());
      List<Long> lineage = sim.lineage();
      assertThat(lineage.size() - new HashSet<>(lineage).size())
          .as("only what was Discard and arrived again is new a second time")
          .isEqualTo((int) sim.last().status().samples().revived());
      assertThat(lineage).hasSize((int) sim.last().status().trainedNewSamples());
      assertThat(sim.last().status().stages().newborn())
          .as("only samples without label are left untrained")
          .isEqualTo(sim.last().status().samples().unlabeled());
      assertVersionsGrow(sim);
      assertChain(sim);
    }
  }

  private static void assertBalanced(Status status) {
    Status.Samples samples = status.samples();
    assertThat(samples.accounted(status.trainedNewSamples())).isEqualTo(samples.received());
    Status.Stages stages = status.stages();
    assertThat(stages.newborn() + stages.mature() + stages.preserve() + stages.discard())
        .isEqualTo(samples.stored());
  }

  private static void assertVersionsGrow(LearnerSimulation sim) {
    long last = 0;
    for (ModelNotice notice : sim.notices) {
      assertThat(notice.version()).isGreaterThan(last);
      last = notice.version();
    }
  }

  /** The current version's lineage, by parent digests as far as versions are kept, holds all. */
  private static void assertChain(LearnerSimulation sim) throws Exception {
    ModelCheckpoint current = sim.models.current("app", 0).orElseThrow();
    assertThat(current.manifest().counts())
        .containsEntry("trainedNewSamples", sim.last().status().trainedNewSamples());
    long parent = current.manifest().parentVersion();
    if (parent > 0) {
      assertThat(sim.models.read("app", 0, parent).digest())
          .isEqualTo(current.manifest().parentDigest());
    }
  }

  @Test
  void arrive_duringATraining_waitsForTheNext() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      for (int i = 0; i < 40; i++) {
        sim.arrive("", i, i % 2);
      }
      assertThat(sim.last().type()).isEqualTo(DecisionEvent.Type.FIRED);
      assertThat(sim.last().update().firing().newSamples()).isEqualTo(25);
      sim.finish();
      assertThat(sim.last().status().updates()).isEqualTo(2);
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(40);
    }
  }

  @Test
  void training_diverged_isDroppedAndRepeatedLater() throws Exception {
    boolean[] sick = {true};
    try (LearnerSimulation sim = failing(request -> sick[0])) {
      sim.arriveAll(0, 25);
      sim.turn();
      DecisionEvent dropped =
          sim.events.stream()
              .filter(event -> event.type() == DecisionEvent.Type.DROPPED)
              .findFirst()
              .orElseThrow();
      assertThat(dropped.message()).contains("NaN").contains("25 new samples wait");
      assertThat(sim.models.current("app", 0)).isEmpty();
      sick[0] = false;
      sim.finish();
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(25);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BAD_BASE_MODEL", "NO_SPACE"})
  void aFailureThatWouldLast_endsTheLearner_andCostsNoSample(TrainingFailedException.Kind kind)
      throws Exception {
    try (LearnerSimulation sim = failing(request -> true)) {
      sim.failure = kind;
      sim.arriveAll(0, 25);
      sim.work();
      assertThatThrownBy(() -> sim.step(20))
          .isInstanceOf(LastingFailureException.class)
          .hasNoCause()
          .hasMessage("training update 1 of app/0 failed: the loss became NaN");
      assertThat(sim.last().status().samples().quarantined()).isZero();
    }
  }

  @Test
  void training_alwaysDiverging_quarantinesItsSamples() throws Exception {
    boolean[] sick = {true};
    try (LearnerSimulation sim = failing(request -> sick[0])) {
      sim.arriveAll(0, 25);
      while (sim.last().status().samples().quarantined() == 0) {
        sim.work();
        sim.step(1_000_000);
      }
      sick[0] = false;
      sim.arriveAll(100, 125);
      sim.finish();
      assertThat(sim.last().status().samples().quarantined()).isEqualTo(1);
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(49);
      assertBalanced(sim.last().status());
    }
  }

  @Test
  void crash_duringTraining_trainsTheSameSamplesAgain() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      sim.arriveAll(0, 30);
      sim.crash();
      sim.arrive("", 1000, 1);
      sim.work();
      sim.step(1);
      assertThat(sim.lineage()).hasSize(25);
      sim.finish();
      assertThat(Set.copyOf(sim.lineage())).hasSize(31);
    }
  }

  @Test
  void crash_beforePublication_publishesAfterTheRestart() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      sim.arriveAll(0, 25);
      sim.turn();
      assertThat(sim.notices).isEmpty();
      sim.crash();
      sim.turn();
      assertThat(sim.notices).hasSize(1);
      assertThat(sim.last().status().incorporation().count()).isEqualTo(25);
    }
  }

  @Test
  void arrive_lateLabel_makesItsSampleTrainable() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.AREA)) {
      sim.arrive("click-1", 5, Sample.NO_LABEL);
      sim.arrive("click-1", 5, 1);
      sim.finish();
      Status status = sim.last().status();
      assertThat(status.samples().joined()).isEqualTo(1);
      assertThat(status.trainedNewSamples()).isEqualTo(1);
      assertBalanced(status);
    }
  }

  @Test
  void fullStore_trainsBeforeItTakesMore() throws Exception {
    UpdateSettings never =
        UpdateSettings.of(UpdateSettings.RuleName.PERIODIC, 10)
            .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(1e6))
            .with(new UpdateSettings.Limits(60, 0, 0));
    try (LearnerSimulation sim = new LearnerSimulation(never, SMALL, models, request -> false)) {
      Thread worker = new Thread(() -> drain(sim), "worker");
      worker.setDaemon(true);
      worker.start();
      sim.arriveAll(0, 35);
      worker.interrupt();
      worker.join();
      assertThat(sim.last().status().samples().stored()).isLessThanOrEqualTo(10);
      sim.finish();
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(35);
    }
  }

  private static void drain(LearnerSimulation sim) {
    while (!Thread.currentThread().isInterrupted()) {
      sim.work();
      Thread.onSpinWait();
    }
  }

  @Test
  void labelTakenBackWhileItsSampleTrains_thenACrash_restoresAndCountsItAsUnlabelled()
      throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      for (int i = 0; i < 25; i++) {
        sim.arrive("s" + i, i, 0);
      }
      sim.retract("s3");
      sim.crash();
      sim.finish();
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(24);
      assertThat(sim.last().status().samples().unlabeled()).isEqualTo(1);
      assertThat(sim.lineage()).hasSize(24).doesNotContain(4L);
      assertBalanced(sim.last().status());
    }
  }

  @Test
  void fullStore_whileATrainingRuns_delaysEventsForALimitedTime() throws Exception {
    try (LearnerSimulation sim =
        new LearnerSimulation(
            rule(UpdateSettings.RuleName.MANUAL), SMALL, models, request -> false)) {
      sim.fullStoreWait = java.time.Duration.ofMillis(1);
      sim.crash();
      sim.arriveAll(0, 30);
      assertThat(sim.last().status().training()).isTrue();
      sim.finish();
      assertThat(sim.last().status().trainedNewSamples()).isEqualTo(30);
      sim.arrive("", 99, 0);
      sim.finish();
      assertThat(sim.last().status().samples().stored()).isLessThanOrEqualTo(10);
    }
  }

  @Test
  void scores_areWrittenOnceASecond() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      sim.arriveAll(0, 25);
      sim.turn();
      int before = sim.state.writes(LearnerState.Slot.EVALUATION);
      for (int i = 0; i < 20; i++) {
        sim.arrive("", 100 + i, 0);
        sim.step(20);
        Thread.onSpinWait();
      }
      assertThat(sim.state.writes(LearnerState.Slot.EVALUATION) - before).isLessThanOrEqualTo(1);
      sim.finish();
      PrequentialSummary quality = sim.last().status().prequential();
      assertThat(quality.scored() + quality.unscored()).isEqualTo(20);
    }
  }

  @Test
  void arrive_newSamples_areScoredBeforeTheyAreTrained() throws Exception {
    try (LearnerSimulation sim = simulation(UpdateSettings.RuleName.COUNT)) {
      sim.arriveAll(0, 25);
      sim.turn();
      for (int i = 100; i < 120; i++) {
        sim.arrive("", i, i % 4 == 0 ? 1 : 0);
      }
      sim.finish();
      PrequentialSummary quality = sim.last().status().prequential();
      assertThat(quality.scored() + quality.unscored()).isEqualTo(20);
      assertThat(quality.classification().accuracy()).isCloseTo(0.75, within(1e-9));
    }
  }
}
