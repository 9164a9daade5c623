package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.IdVectors;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.store.ApplicationPartition;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner whose updates are sometimes trained on wrong labels. */
final class ReleaseGateTest implements LearnerOutput {
  private static final int BATCH = 200;
  private static final long MILLIS_BETWEEN = 10;

  @TempDir Path folder;
  private final SplittableRandom random = new SplittableRandom(11);
  private final List<DecisionEvent> events = new ArrayList<>();
  private final List<ModelNotice> notices = new ArrayList<>();
  private final List<TrainingRequest> trainings = new ArrayList<>();
  private ModelStore store;
  private VirtualTimeLearner.Builder setup;
  private TrustedSource trusted = TrustedSource.NONE;
  private Executor rollBacks = Runnable::run;
  private int kept = 100;
  private long millisPerTask;
  private int failingRollBacks;
  private long lostAnswer;
  private int arrived;

  @Override
  public void decision(DecisionEvent event) {
    events.add(event);
  }

  @Override
  public void notice(ModelNotice notice) {
    notices.add(notice);
  }

  private static GateSettings gate(Action action, AfterPublishing after) {
    return new GateSettings(
        action, after, Metric.ACCURACY, 0.01, 100, 10, ContinueFrom.NEWEST, null);
  }

  private static GateSettings inService(GateSettings gate) {
    return new GateSettings(
        gate.action(),
        gate.afterPublishing(),
        gate.metric(),
        gate.margin(),
        gate.samples(),
        gate.waitSeconds(),
        ContinueFrom.IN_SERVICE,
        null);
  }

  private VirtualTimeLearner learner(GateSettings gate) throws InterruptedException {
    ApplicationSettings plain =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(BATCH)),
            DataSettings.defaults());
    ApplicationSettings settings =
        new ApplicationSettings(
            plain.name(),
            1,
            plain.seed(),
            plain.input(),
            plain.model(),
            plain.engine(),
            plain.update(),
            plain.data(),
            new ApplicationSettings.Publishing(null, kept, gate, false),
            plain.memory(),
            plain.kafka());
    store = new ModelStore(folder, InstantSource.system());
    setup =
        VirtualTimeLearner.of(settings, this::trainer, FakeLogisticTrainer.Model::new)
            .published(
                new FaultyModels(PublishedModels.in(store, folder, "app", 0), failingRollBacks)
                    .losingTheAnswer(lostAnswer))
            .output(this)
            .trusted(trusted)
            .rollBacks(rollBacks)
            .taskMillis(millisPerTask);
    return setup.open();
  }

  private Trainer trainer() {
    FakeLogisticTrainer trainer = new FakeLogisticTrainer();
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request) {
        trainings.add(request);
        return trainer.train(request);
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  /** So many samples come; a wrong one is an outlier too, so that few of them do harm. */
  private void arrive(VirtualTimeLearner learner, int samples, boolean wrong) throws Exception {
    arrive(learner, samples, wrong, wrong ? 6 : 1);
  }

  private void arrive(VirtualTimeLearner learner, int samples, boolean wrong, float scale)
      throws Exception {
    for (int i = 0; i < samples; i++) {
      float x = (float) (random.nextDouble() * 2 - 1) * scale;
      float label = (x > 0) == wrong ? 0 : 1;
      Sample sample = new Sample("s" + arrived++, new float[] {x}, new int[0], label);
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(MILLIS_BETWEEN);
    }
  }

  private List<Long> published() {
    return of(DecisionEvent.Type.PUBLISHED).stream()
        .map(event -> event.update().requirePublished().version())
        .toList();
  }

  private List<DecisionEvent> of(DecisionEvent.Type type) {
    return events.stream().filter(event -> event.type() == type).toList();
  }

  private long servedVersion() throws Exception {
    return store.serving("app", 0).orElseThrow().checkpoint().manifest().version();
  }

  @Test
  void hold_modelsAreGood_eachIsPublishedAfterItsSamples() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 2 * BATCH, false);
      assertThat(published()).as("the second one waits").containsExactly(1L);
      assertThat(events.get(events.size() - 1).status().gate().held()).isTrue();
      arrive(learner, 150, false);
      assertThat(published()).containsExactly(1L, 2L);
      ModelCheckpoint second = store.read("app", 0, 2);
      assertThat(second.manifest().counts())
          .containsEntry("comparedWith", 1L)
          .hasEntrySatisfying("comparedSamples", n -> assertThat(n).isBetween(100L, 101L));
      arrive(learner, 8 * BATCH - 150, false);
      assertThat(published())
          .as("all but those that gave way to a better one")
          .hasSizeGreaterThanOrEqualTo(8);
      assertThat(of(DecisionEvent.Type.HELD))
          .allMatch(event -> event.message().endsWith("a newer one takes its place"));
    }
  }

  @Test
  void hold_trainedOnWrongLabels_neverReachesThePointer() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH + 150, false);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      arrive(learner, 40, true);
      arrive(learner, 150, false);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(of(DecisionEvent.Type.HELD)).hasSize(1);
      assertThat(of(DecisionEvent.Type.HELD).get(0).message())
          .contains("worse by 0.")
          .contains("than version 3 on ")
          .contains("it is not published; the next update continues it");
      assertThat(servedVersion()).isEqualTo(3);
      arrive(learner, 5 * BATCH, false);
      assertThat(published()).as("clean samples mend it").hasSizeGreaterThan(4);
    }
  }

  /** Samples whose labels are right, of which none arrives. */
  private List<Sample> rightSamples(int count) {
    SplittableRandom own = new SplittableRandom(3);
    List<Sample> right = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      float x = (float) (own.nextDouble() * 2 - 1);
      right.add(new Sample("right" + i, new float[] {x}, new int[0], x > 0 ? 1 : 0));
    }
    return right;
  }

  /** More wrong labels than are compared before a model is let through. */
  @Test
  void hold_wrongLabelsForLong_areFoundByTrustedSamplesOnly() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH + 150, false);
      long before = servedVersion();
      arrive(learner, 5 * BATCH, true);
      assertThat(servedVersion()).as("it looks like a changed world").isGreaterThan(before);
    }
    List<Sample> right = rightSamples(600);
    trusted = () -> right;
    events.clear();
    Path first = folder;
    folder = Files.createDirectory(folder.resolve("other"));
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH + 150, false);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      arrive(learner, 5 * BATCH, true);
      learner.pass(60_000);
      assertThat(servedVersion()).isEqualTo(3);
      assertThat(of(DecisionEvent.Type.HELD)).hasSize(5);
      assertThat(of(DecisionEvent.Type.HELD).get(4).message())
          .contains("than version 3 on 600 trusted samples (accuracy)")
          .contains("it is not published");
      assertThat(events.get(events.size() - 1).status().gate().samples()).isZero();
      arrive(learner, 10 * BATCH, false);
      assertThat(servedVersion()).as("right labels mend it").isGreaterThan(3);
    } finally {
      folder = first;
    }
  }

  @Test
  void hold_trustedSamples_decideBeforeAnythingArrives() throws Exception {
    List<Sample> right = rightSamples(Scoring.MICRO_BATCH + 1);
    trusted = () -> right;
    try (VirtualTimeLearner learner = learner(tolerant())) {
      arrive(learner, 3 * BATCH, false);
      learner.pass(100);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(store.read("app", 0, 3).manifest().counts())
          .containsEntry("comparedWith", 2L)
          .containsEntry("comparedSamples", (long) right.size());
      learner.restart();
      arrive(learner, BATCH, false);
      learner.pass(100);
      assertThat(published()).containsExactly(1L, 2L, 3L, 4L);
    }
  }

  @Test
  void restart_theNewestModelWasRefused_theEndSaysWhatServes() throws Exception {
    List<Sample> right = rightSamples(300);
    trusted = () -> right;
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH, false);
      learner.pass(100);
      arrive(learner, BATCH, true);
      learner.pass(100);
      assertThat(of(DecisionEvent.Type.HELD)).hasSize(1);
      learner.restart();
      learner.arrive(new LearnerEvent.EndOfInput(learner.nextPosition(), "1", new TreeMap<>()));
      learner.pass(20_000);
      assertThat(of(DecisionEvent.Type.FINISHED))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains(
              "version %d serves, since the newest model is worse".formatted(servedVersion()));
    }
  }

  private static GateSettings tolerant() {
    return new GateSettings(
        Action.HOLD, AfterPublishing.OFF, Metric.ACCURACY, 0.3, 100, 10, ContinueFrom.NEWEST, null);
  }

  @Test
  void rollBack_trustedSamples_judgeEachVersionByItself() throws Exception {
    List<Sample> right = rightSamples(300);
    trusted = () -> right;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 100, false);
      arrive(learner, 100, true);
      learner.pass(100);
      assertThat(published()).as("nobody holds it back").containsExactly(1L, 2L, 3L, 4L);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("on 300 trusted samples")
          .endsWith("; version 3 serves again, 0 ms after that was found");
      assertThat(servedVersion()).isEqualTo(3);
    }
  }

  @Test
  void rollBack_theLastTrainingTakesLong_theEndWaitsForTheComparison() throws Exception {
    List<Sample> right = rightSamples(10_000);
    trusted = () -> right;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH, false);
      arrive(learner, 100, true);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      setup.taskMillis(15_000);
      learner.arrive(new LearnerEvent.EndOfInput(learner.nextPosition(), "1", new TreeMap<>()));
      learner.pass(14_990);
      setup.taskMillis(0);
      learner.pass(10);
      assertThat(published()).containsExactly(1L, 2L, 3L, 4L);
      assertThat(of(DecisionEvent.Type.FINISHED)).as("it is still being compared").isEmpty();
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(of(DecisionEvent.Type.FINISHED)).hasSize(1);
      assertThat(servedVersion()).isEqualTo(3);
    }
  }

  @Test
  void hold_continueFromInService_forgetsTheBadModel() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(gate(Action.HOLD, AfterPublishing.OFF)))) {
      arrive(learner, 3 * BATCH + 150, false);
      arrive(learner, 40, true);
      arrive(learner, 250, false);
      assertThat(of(DecisionEvent.Type.HELD).get(0).message())
          .endsWith("the next update continues version 3");
      TrainingRequest bad = trainings.get(3);
      TrainingRequest next = trainings.get(4);
      assertThat(next.base()).as("both begin with version 3").isEqualTo(bad.base());
      arrive(learner, BATCH, false);
      UpdateRecord after = of(DecisionEvent.Type.PUBLISHED).get(3).update();
      assertThat(after.requireTraining().parentVersion()).isEqualTo(3);
    }
  }

  @Test
  void hold_noSamplesCome_isPublishedAfterTheWait() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 2 * BATCH, false);
      learner.pass(9_000);
      assertThat(published()).containsExactly(1L);
      learner.pass(2_000);
      assertThat(published()).containsExactly(1L, 2L);
    }
  }

  @Test
  void hold_restartedWhileHeld_holdsAgain() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH + 150, false);
      arrive(learner, 40, true);
      arrive(learner, 20, false);
      learner.restart();
      assertThat(published()).containsExactly(1L, 2L, 3L);
      arrive(learner, 150, false);
      assertThat(of(DecisionEvent.Type.HELD)).hasSize(1);
      learner.restart();
      arrive(learner, 10, false);
      learner.pass(60_000);
      assertThat(published()).as("refused for good").containsExactly(1L, 2L, 3L);
      assertThat(events.get(events.size() - 1).status().gate().heldModels()).isEqualTo(1);
    }
  }

  @Test
  void rollBack_theVersionInServiceIsWorse_theOneBeforeServesAgain() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      assertThat(published()).as("nobody holds it back").containsExactly(1L, 2L, 3L, 4L);
      arrive(learner, 100, false);
      DecisionEvent rolledBack = of(DecisionEvent.Type.ROLLED_BACK).get(0);
      assertThat(rolledBack.message())
          .endsWith("; version 3 serves again, 0 ms after that was found");
      assertThat(rolledBack.status().gate().inServiceVersion()).isEqualTo(3);
      assertThat(rolledBack.status().gate().rollbacks()).isEqualTo(1);
      assertThat(servedVersion()).isEqualTo(3);
      assertThat(notices.get(notices.size() - 1).version()).isEqualTo(3);
      arrive(learner, BATCH, false);
      assertThat(published()).contains(5L);
      assertThat(servedVersion()).as("the pin ends with a newer version").isGreaterThanOrEqualTo(5);
    }
  }

  /** Threads that do nothing before they are told to. */
  private ManualExecutor slowStore() {
    ManualExecutor slow = new ManualExecutor();
    rollBacks = slow;
    return slow;
  }

  @Test
  void rollBack_theStoreIsSlow_eventsGoOnAndTheNextModelWaits() throws Exception {
    ManualExecutor slow = slowStore();
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      arrive(learner, 2 * BATCH, false);
      assertThat(slow.busy()).as("it was found").isTrue();
      assertThat(servedVersion()).isEqualTo(4);
      assertThat(published())
          .as("trained, but not known what it is compared with")
          .containsExactly(1L, 2L, 3L, 4L);
      learner.arrive(new LearnerEvent.EndOfInput(learner.nextPosition(), "1", new TreeMap<>()));
      learner.pass(60_000);
      assertThat(of(DecisionEvent.Type.FINISHED)).as("not while it rolls back").isEmpty();
      assertThat(slow.runOne()).isTrue();
      assertThat(slow.busy()).as("once").isFalse();
      assertThat(servedVersion()).isEqualTo(3);
      learner.pass(Learner.POLL_MILLIS);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .matches(".*; version 3 serves again, 6\\d{4} ms after that was found");
      assertThat(store.read("app", 0, 5).manifest().parentVersion()).isEqualTo(4);
      assertThat(published())
          .as("the model that waited, and one of the samples that came meanwhile")
          .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
      assertThat(servedVersion()).isEqualTo(6);
      learner.pass(10_000);
      assertThat(of(DecisionEvent.Type.FINISHED)).hasSize(1);
    }
  }

  @Test
  void rollBack_diedBeforeItWasRecorded_isCarriedOutAtTheNextStart() throws Exception {
    ManualExecutor slow = slowStore();
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      arrive(learner, 100, false);
      assertThat(slow.runOne()).isTrue();
      learner.restart();
      assertThat(servedVersion()).isEqualTo(3);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .endsWith("version 3 serves in place of version 4; the next update continues it");
      arrive(learner, BATCH, false);
      assertThat(store.read("app", 0, 5).manifest().parentVersion()).isEqualTo(3);
    }
  }

  @Test
  void rollBack_aNewerModelIsBeingPublished_doesNotWaitForItAndComparesItAnew() throws Exception {
    millisPerTask = 3_000;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      learnsBadly(learner, true);
      assertThat(published()).containsExactly(1L, 2L);
      arrive(learner, 100, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(published()).as("the third one is on its way").containsExactly(1L, 2L);
      assertThat(servedVersion()).isEqualTo(1);
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(1);
      learner.pass(10_000);
      assertThat(servedVersion()).as("on to the next version").isEqualTo(3);
      assertThat(newestEvent().status().gate().comparedWith()).isEqualTo(1);
      assertThat(newestEvent().status().gate().samples()).isLessThanOrEqualTo(100);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
    }
  }

  @Test
  void rollBack_aNewerModelIsBadToo_isFoundOnSamplesThatWait() throws Exception {
    millisPerTask = 3_000;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      learnsBadly(learner, false);
      arrive(learner, 100, false);
      assertThat(servedVersion()).isEqualTo(1);
      learner.pass(10_000);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(2);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(1).message())
          .contains("version 3 is worse")
          .contains("version 1 serves again");
      assertThat(servedVersion()).isEqualTo(1);
    }
  }

  @Test
  void rollBack_aNewerModelContinuesTheBadOne_isGivenUpWhenItIsPublished() throws Exception {
    millisPerTask = 3_000;
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      learnsBadly(learner, false);
      arrive(learner, 100, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(servedVersion()).isEqualTo(1);
      learner.pass(10_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(2);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(1).message())
          .contains("version 3 is worse")
          .contains("version 1 serves again");
      assertThat(servedVersion()).isEqualTo(1);
      arrive(learner, BATCH, false);
      learner.pass(10_000);
      assertThat(store.read("app", 0, 4).manifest().parentVersion()).isEqualTo(1);
    }
  }

  @Test
  void restart_aNewerModelContinuesTheBadOne_isNotPublished() throws Exception {
    millisPerTask = 3_000;
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      learnsBadly(learner, false);
      arrive(learner, 100, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      long incorporated = newestEvent().status().incorporation().count();
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(2);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(1).message())
          .isEqualTo(
              "version 1 serves in place of version 2; the next update continues it, and the model"
                  + " that was made from version 2 is not published");
      learner.pass(10_000);
      assertThat(published()).containsExactly(1L, 2L);
      assertThat(servedVersion()).isEqualTo(1);
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).as("the state says so now").hasSize(2);
      arrive(learner, BATCH - 100, false);
      learner.pass(10_000);
      assertThat(store.read("app", 0, 3).manifest().parentVersion()).isEqualTo(1);
      assertThat(newestEvent().status().incorporation().count())
          .as("without those of the model that is not published")
          .isEqualTo(incorporated + BATCH);
    }
  }

  @Test
  void restart_aNewerModelIsBeingPublished_isComparedAnew() throws Exception {
    millisPerTask = 3_000;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      learnsBadly(learner, false);
      arrive(learner, 100, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      learner.restart();
      assertThat(published()).as("the third one is on its way").containsExactly(1L, 2L);
      assertThat(newestEvent().status().gate().comparedWith()).isEqualTo(1);
      learner.pass(10_000);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(2);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(1).message())
          .contains("version 3 is worse")
          .contains("version 1 serves again");
      assertThat(servedVersion()).isEqualTo(1);
    }
  }

  /** A third version is published and left, and the process dies before its state says either. */
  private void publishesAndLeavesUnrecorded(VirtualTimeLearner learner) throws Exception {
    for (int i = 0; i < 2; i++) {
      arrive(learner, BATCH, false);
      learner.pass(20_000);
    }
    arrive(learner, BATCH, false);
    while (store.current("app", 0).orElseThrow().manifest().version() < 3) {
      learner.pass(1);
    }
    assertThat(published()).as("it does not know of the third one").containsExactly(1L, 2L);
    store.rollBack(new ApplicationPartition("app", 0), 2, "worse");
    learner.restart();
    learner.pass(20_000);
    assertThat(store.current("app", 0).orElseThrow().manifest().version()).isEqualTo(3);
    assertThat(servedVersion()).isEqualTo(2);
    assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
    learner.restart();
    learner.pass(20_000);
    assertThat(servedVersion()).as("the state says so now").isEqualTo(2);
    assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
    arrive(learner, BATCH, false);
    learner.pass(20_000);
    assertThat(store.read("app", 0, 4).manifest().parentVersion()).isEqualTo(2);
  }

  /** Those that a training began with. */
  private byte[] weights(int training) {
    return java.util.Objects.requireNonNull(trainings.get(training).base()).files().get("weights");
  }

  @Test
  void restart_theModelWasPublishedAndLeft_isNotPublishedAgain() throws Exception {
    millisPerTask = 3_000;
    lostAnswer = 3;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      publishesAndLeavesUnrecorded(learner);
      assertThat(weights(3)).isNotEqualTo(weights(2));
    }
  }

  @Test
  void restart_theModelWasPublishedAndLeft_givesWayToWhatServes() throws Exception {
    millisPerTask = 3_000;
    lostAnswer = 3;
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      publishesAndLeavesUnrecorded(learner);
      assertThat(weights(3)).isEqualTo(weights(2));
    }
  }

  @Test
  void restart_peopleRolledBackWhileAModelIsHeld_isComparedWithWhatTheyChose() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      holdsBadModel(learner);
      store.rollBack(new ApplicationPartition("app", 0), 2, "a customer complains");
      learner.restart();
      arrive(learner, 150, false);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(of(DecisionEvent.Type.HELD))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("than version 2 on");
      assertThat(servedVersion()).isEqualTo(2);
    }
  }

  @Test
  void restart_peopleRolledBackWhileAModelIsHeld_continuesWhatTheyChose() throws Exception {
    try (VirtualTimeLearner learner = learner(inService(gate(Action.HOLD, AfterPublishing.OFF)))) {
      holdsBadModel(learner);
      store.rollBack(new ApplicationPartition("app", 0), 2, "a customer complains");
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      arrive(learner, 3 * BATCH, false);
      assertThat(published()).contains(4L);
      assertThat(store.read("app", 0, 4).manifest().parentVersion()).isEqualTo(2);
    }
  }

  /** Three versions are published, and a model that is worse waits for samples. */
  private void holdsBadModel(VirtualTimeLearner learner) throws Exception {
    arrive(learner, 3 * BATCH + 150, false);
    arrive(learner, 40, true);
    arrive(learner, 20, false);
    assertThat(published()).containsExactly(1L, 2L, 3L);
    assertThat(of(DecisionEvent.Type.HELD)).isEmpty();
  }

  @Test
  void rollBack_theMediumFailsOnce_theTimeCountsFromWhenItWasFound() throws Exception {
    failingRollBacks = 1;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      arrive(learner, 100, false);
      assertThat(of(DecisionEvent.Type.WORSE))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("version 3 cannot be put in service again")
          .contains("the disk is away");
      learner.pass(2_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .matches(".*; version 3 serves again, 1\\d{3} ms after that was found");
      assertThat(servedVersion()).isEqualTo(3);
    }
  }

  @Test
  void rollBack_aNewerVersionIsPublishedMeanwhile_thatOneServes() throws Exception {
    millisPerTask = 3_000;
    ManualExecutor slow = slowStore();
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      learnsBadly(learner, true);
      arrive(learner, 100, false);
      assertThat(slow.busy()).isTrue();
      learner.pass(10_000);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(slow.runOne()).isTrue();
      learner.pass(10_000);
      assertThat(servedVersion()).isEqualTo(3);
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(3);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .endsWith("; version 3 has taken its place");
      assertThat(slow.busy()).as("version 3 is good").isFalse();
      assertThat(newestEvent().status().gate().rollbacks()).as("none took effect").isZero();
    }
  }

  /**
   * A version that is bad serves, and one that continues it is being published.
   *
   * @param mended whether that one has learned from a few right outliers, so that it is good
   */
  private void learnsBadly(VirtualTimeLearner learner, boolean mended) throws Exception {
    arrive(learner, BATCH, false);
    learner.pass(20_000);
    arrive(learner, 170, false);
    arrive(learner, 30, true);
    learner.pass(20_000);
    assertThat(servedVersion()).isEqualTo(published().size());
    arrive(learner, mended ? 15 : 1, false, mended ? 12 : 1);
    learner.arrive(new LearnerEvent.UpdateRequest(learner.nextPosition(), new TreeMap<>()));
    learner.pass(millisPerTask + 100);
    assertThat(newestEvent().status().training()).isFalse();
  }

  @Test
  void hold_trustedSamplesCannotBeRead_modelsAreNotComparedUntilTheyCan() throws Exception {
    List<Sample> right = rightSamples(300);
    boolean[] readable = {false};
    trusted =
        () -> {
          if (!readable[0]) {
            throw new IOException("checked.csv: the disk is away");
          }
          return right;
        };
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 2 * BATCH, false);
      assertThat(published()).as("each at once").containsExactly(1L, 2L);
      assertThat(of(DecisionEvent.Type.UNCOMPARED))
          .hasSize(2)
          .allMatch(
              event ->
                  event
                      .message()
                      .endsWith("trusted samples cannot be read: checked.csv: the disk is away"));
      learner.pass(2 * TrustedWatch.RETRY_MILLIS);
      arrive(learner, BATCH, true);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      readable[0] = true;
      learner.pass(2 * TrustedWatch.RETRY_MILLIS);
      arrive(learner, BATCH, true);
      learner.pass(100);
      assertThat(of(DecisionEvent.Type.UNCOMPARED)).hasSize(3);
      assertThat(published()).containsExactly(1L, 2L, 3L);
      assertThat(of(DecisionEvent.Type.HELD))
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.message())
                    .contains("than version 1 on 300 trusted samples")
                    .contains("it is not published");
                assertThat(event.status().gate().heldModels()).as("with this one").isEqualTo(1);
              });
    }
  }

  @Test
  void restart_trustedSamplesCannotBeReadAnyMore_theModelThatWaitsIsPublishedAndThatIsSaid()
      throws Exception {
    List<Sample> right = rightSamples(10_000);
    boolean[] readable = {true};
    trusted =
        () -> {
          if (!readable[0]) {
            throw new IOException("checked.csv: the disk is away");
          }
          return right;
        };
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, 2 * BATCH, false);
      assertThat(published()).as("the second one waits").containsExactly(1L);
      readable[0] = false;
      learner.restart();
      assertThat(of(DecisionEvent.Type.UNCOMPARED))
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.message())
                    .endsWith("trusted samples cannot be read: checked.csv: the disk is away");
                assertThat(event.update().number()).isEqualTo(2);
              });
      assertThat(published()).containsExactly(1L, 2L);
    }
  }

  @Test
  void rollBack_theOneBeforeIsLongGone_stillServesAgain() throws Exception {
    kept = 2;
    GateSettings patient =
        new GateSettings(
            Action.OFF,
            AfterPublishing.ROLL_BACK,
            Metric.ACCURACY,
            0.01,
            5_000,
            10,
            ContinueFrom.NEWEST,
            null);
    try (VirtualTimeLearner learner = learner(patient)) {
      arrive(learner, 9 * BATCH + 160, false);
      arrive(learner, 40, true);
      arrive(learner, 100, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(servedVersion()).as("kept, though eight are newer").isEqualTo(1);
      assertThat(store.list("app", 0)).hasSize(3);
    }
  }

  @Test
  void rollBack_theOneBeforeIsDamaged_isToldOnceAndTheNewestServesOn() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 160, false);
      java.nio.file.Files.writeString(folder.resolve("app/0/v0000000003/weights"), "x");
      arrive(learner, 40, true);
      arrive(learner, 150, false);
      learner.pass(10_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
      assertThat(of(DecisionEvent.Type.WORSE)).hasSize(1);
      assertThat(of(DecisionEvent.Type.WORSE).get(0).message())
          .contains("version 3 cannot be put in service again")
          .contains("weights");
      assertThat(servedVersion()).isEqualTo(4);
    }
  }

  @Test
  void rollBack_continueFromInService_trainsFromTheOneBefore() throws Exception {
    try (VirtualTimeLearner learner =
        learner(inService(gate(Action.OFF, AfterPublishing.ROLL_BACK)))) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      arrive(learner, BATCH, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(trainings.get(4).base()).isEqualTo(trainings.get(3).base());
      assertThat(store.read("app", 0, 5).manifest().parentVersion()).isEqualTo(3);
    }
  }

  @Test
  void restart_afterAnUnrecordedRollBack_continuesTheVersionInService() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 3 * BATCH, false);
      long newest = servedVersion();
      ModelCheckpoint older = store.read("app", 0, newest - 1);
      // What a learner does before its state says so.
      store.rollBack(new ApplicationPartition("app", 0), newest - 1, "worse");
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("version %d serves in place of version %d".formatted(newest - 1, newest));
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).as("the state says so now").hasSize(1);
      arrive(learner, BATCH, false);
      assertThat(store.current("app", 0).orElseThrow().manifest().parentDigest())
          .isEqualTo(older.digest());
      assertThat(servedVersion()).isEqualTo(newest + 1);
    }
  }

  @Test
  void restart_afterARollBackByTwo_continuesItAndComparesTheNextModel() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 4 * BATCH, false);
      long newest = servedVersion();
      ApplicationPartition of = new ApplicationPartition("app", 0);
      store.rollBack(of, newest - 1, "worse");
      learner.restart();
      // Before a model was made from it, people go back further.
      store.rollBack(of, newest - 2, "worse too");
      learner.restart();
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .extracting(DecisionEvent::message)
          .satisfiesExactly(
              it -> assertThat(it).contains("version %d serves".formatted(newest - 1)),
              it -> assertThat(it).contains("version %d serves".formatted(newest - 2)));
      ModelCheckpoint older = store.read("app", 0, newest - 2);
      arrive(learner, BATCH, true);
      ModelCheckpoint bad = store.read("app", 0, newest + 1);
      assertThat(bad.manifest().parentDigest()).isEqualTo(older.digest());
      arrive(learner, BATCH - 1, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(3);
      assertThat(servedVersion()).as("what it was compared with").isEqualTo(newest - 2);
    }
  }

  @Test
  void restart_versionPinnedForGood_continuesTheNewest() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 3 * BATCH, false);
      String newest = store.current("app", 0).orElseThrow().digest();
      store.pin(store.read("app", 0, servedVersion() - 1), 0, "we like it");
      learner.restart();
      arrive(learner, BATCH, false);
      assertThat(store.current("app", 0).orElseThrow().manifest().parentDigest()).isEqualTo(newest);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
    }
  }

  @Test
  void rollBack_peopleHavePinnedAVersion_leavesTheirPin() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 160, false);
      store.pin(store.read("app", 0, 2), 0, "the audit wants it");
      arrive(learner, 40, true);
      arrive(learner, 150, false);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
      assertThat(of(DecisionEvent.Type.WORSE)).hasSize(1);
      assertThat(of(DecisionEvent.Type.WORSE).get(0).message())
          .contains("version 2 is pinned until it is unpinned")
          .contains("the audit wants it")
          .doesNotContain("Exception");
      assertThat(servedVersion()).isEqualTo(2);
    }
  }

  @Test
  void rollBack_peopleHaveGoneFurtherBack_leavesTheirPinAndComparesTheNewerModelAnew()
      throws Exception {
    millisPerTask = 3_000;
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      for (int i = 0; i < 3; i++) {
        arrive(learner, BATCH, false);
        learner.pass(20_000);
      }
      learnsBadly(learner, false);
      assertThat(published()).as("the sixth one is on its way").hasSize(5);
      store.rollBack(new ApplicationPartition("app", 0), 1, "a customer complains");
      arrive(learner, 100, false);
      assertThat(servedVersion()).isEqualTo(1);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
      assertThat(of(DecisionEvent.Type.WORSE))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("version 3 cannot be put in service again")
          .contains("version 1 is pinned until a version above 5 is published")
          .contains("a customer complains");
      learner.pass(10_000);
      assertThat(published()).hasSize(6);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK))
          .singleElement()
          .extracting(DecisionEvent::message)
          .asString()
          .contains("version 6 is worse")
          .contains("version 3 serves again");
    }
  }

  @Test
  void rollBack_peoplesChoiceWaitsForAPublication_isNotBegun() throws Exception {
    millisPerTask = 6_000;
    ManualExecutor slow = slowStore();
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      for (int i = 0; i < 3; i++) {
        arrive(learner, BATCH, false);
        learner.pass(20_000);
      }
      learnsBadly(learner, false);
      store.rollBack(new ApplicationPartition("app", 0), 1, "a customer complains");
      learner.pass(2 * ServiceWatch.LOOK_MILLIS);
      arrive(learner, 100, false);
      assertThat(slow.busy()).isFalse();
      assertThat(of(DecisionEvent.Type.WORSE)).hasSize(1);
      learner.pass(10_000);
      assertThat(published()).hasSize(6);
      assertThat(slow.runOne()).as("that was made from the bad one").isTrue();
      assertThat(servedVersion()).isEqualTo(3);
    }
  }

  private DecisionEvent newestEvent() {
    return events.get(events.size() - 1);
  }

  @Test
  void running_peopleRollBack_nextUpdateContinuesWhatTheyChose() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 3 * BATCH, false);
      store.rollBack(new ApplicationPartition("app", 0), 2, "a customer complains");
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      DecisionEvent told = of(DecisionEvent.Type.ROLLED_BACK).get(0);
      assertThat(told.message())
          .contains("version 2 serves in place of version 3")
          .contains("a customer complains")
          .contains("continues version 2");
      assertThat(told.status().pinned().version()).isEqualTo(2);
      assertThat(told.status().pinned().until()).isEqualTo(3);
      assertThat(told.status().gate().inServiceVersion()).isEqualTo(2);
      arrive(learner, BATCH, false);
      learner.pass(5_000);
      ModelCheckpoint next = store.read("app", 0, 4);
      assertThat(next.manifest().parentDigest()).isEqualTo(store.read("app", 0, 2).digest());
      assertThat(newestEvent().status().pinned()).as("ended by version 4").isNull();
      assertThat(newestEvent().status().gate().rollbacks()).isEqualTo(1);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
    }
  }

  @Test
  void running_peopleRollBackBehindTheBaseline_samplesOfAllLaterUpdatesAreGivenUp()
      throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 6 * BATCH, false);
      assertThat(newestEvent().status().gate().comparedWith()).isGreaterThan(1);
      long trained = newestEvent().status().trainedNewSamples();
      store.rollBack(new ApplicationPartition("app", 0), 1, "all were poisoned");
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(newestEvent().status().stages().discard())
          .as("all but those of the first update")
          .isGreaterThanOrEqualTo(trained - BATCH);
    }
  }

  @Test
  void running_peopleCorrectTheirRollBack_nextUpdateContinuesTheSecondChoice() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 4 * BATCH, false);
      ApplicationPartition of = new ApplicationPartition("app", 0);
      store.rollBack(of, 1, "worse");
      learner.pass(5_000);
      store.rollBack(of, 3, "that was too far");
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(2);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(1).message())
          .contains("version 3 serves in place of version 1")
          .contains("continues version 3");
      arrive(learner, BATCH, false);
      assertThat(store.read("app", 0, 5).manifest().parentDigest())
          .isEqualTo(store.read("app", 0, 3).digest());
    }
  }

  @Test
  void running_peopleRollBackWhileAnUpdateTrains_itIsGivenUp() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    millisPerTask = 4_000;
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 3 * BATCH, false);
      learner.pass(30_000);
      long newest = store.current("app", 0).orElseThrow().manifest().version();
      arrive(learner, BATCH, false);
      assertThat(newestEvent().status().training()).isTrue();
      store.rollBack(new ApplicationPartition("app", 0), newest - 1, "worse");
      learner.pass(3_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(of(DecisionEvent.Type.ABORTED)).hasSize(1);
      learner.pass(30_000);
      ModelCheckpoint next = store.current("app", 0).orElseThrow();
      assertThat(next.manifest().parentDigest())
          .isEqualTo(store.read("app", 0, newest - 1).digest());
    }
  }

  @Test
  void running_peopleRollBackAndTheNewestIsContinued_comparesWithWhatTheyChose() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH + 120, false);
      long newest = store.current("app", 0).orElseThrow().manifest().version();
      store.rollBack(new ApplicationPartition("app", 0), newest - 1, "a customer complains");
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).hasSize(1);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK).get(0).message())
          .contains("continues version " + newest);
      arrive(learner, 100, false);
      assertThat(newestEvent().status().gate().comparedWith()).isEqualTo(newest - 1);
      assertThat(newestEvent().status().gate().held()).isTrue();
      arrive(learner, BATCH, false);
      assertThat(store.read("app", 0, newest + 1).manifest().parentVersion()).isEqualTo(newest);
    }
  }

  @Test
  void running_peopleRollBackAndUnpin_theNewestIsInServiceAgain() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 3 * BATCH, false);
      store.rollBack(new ApplicationPartition("app", 0), 1, "by mistake");
      learner.pass(5_000);
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(1);
      store.unpin("app", 0);
      learner.pass(5_000);
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(3);
      assertThat(newestEvent().status().pinned()).isNull();
    }
  }

  @Test
  void running_peoplePinForGood_theStatusSaysSoAndLearningGoesOn() throws Exception {
    GateSettings gate = inService(gate(Action.OFF, AfterPublishing.ROLL_BACK));
    try (VirtualTimeLearner learner = learner(gate)) {
      arrive(learner, 3 * BATCH, false);
      String newest = store.current("app", 0).orElseThrow().digest();
      store.pin(store.read("app", 0, 1), 0, "the audit wants it");
      learner.pass(5_000);
      Status.Pinned pinned = newestEvent().status().pinned();
      assertThat(pinned.version()).isEqualTo(1);
      assertThat(pinned.until()).isZero();
      assertThat(pinned.reason()).isEqualTo("the audit wants it");
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(1);
      arrive(learner, BATCH, false);
      assertThat(store.read("app", 0, 4).manifest().parentDigest()).isEqualTo(newest);
      assertThat(newestEvent().status().pinned()).isEqualTo(pinned);
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(1);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
      store.unpin("app", 0);
      learner.pass(5_000);
      assertThat(newestEvent().status().gate().inServiceVersion()).isEqualTo(4);
    }
  }

  @Test
  void running_nothingIsCompared_theStatusHasThePinAllTheSame() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.OFF))) {
      arrive(learner, 2 * BATCH, false);
      store.rollBack(new ApplicationPartition("app", 0), 1, "worse");
      learner.pass(5_000);
      assertThat(newestEvent().status().pinned().version()).isEqualTo(1);
      assertThat(of(DecisionEvent.Type.ROLLED_BACK)).isEmpty();
    }
  }

  @Test
  void running_thePinIsDamaged_whatWasKnownStays() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.ROLL_BACK))) {
      arrive(learner, 2 * BATCH, false);
      store.pin(store.read("app", 0, 1), 0, "the audit wants it");
      learner.pass(5_000);
      Files.writeString(folder.resolve("app/0/pin.json"), "{");
      learner.pass(5_000);
      arrive(learner, BATCH, false);
      assertThat(newestEvent().status().pinned().version()).isEqualTo(1);
      assertThat(published()).containsExactly(1L, 2L, 3L);
    }
  }

  @Test
  void restored_theVersionInServiceIsOfAnotherLineage_nothingIsComparedWithIt() {
    ServedVersion found = new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>()));
    ReleaseGate foreign = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 0);
    foreign.restored(found, false);
    assertThat(foreign.accepted(0)).as("published at once").isFalse();
    assertThat(foreign.rival()).isNull();
    assertThat(foreign.inServiceVersion()).isEqualTo(7);
    ReleaseGate own = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 0);
    own.restored(found, true);
    assertThat(own.accepted(0)).isTrue();
    assertThat(own.rival()).isNotNull();
  }

  /** So many samples that both models predicted rightly. */
  private static ScoredBatch scoredAlike(int count) {
    return scoredAlike(count, 1);
  }

  private static ScoredBatch scoredAlike(int count, long model) {
    float[] right = new float[count];
    Arrays.fill(right, 1);
    Sample sample = new Sample("s", new float[] {1}, new int[0], 1);
    return new ScoredBatch(
        ScoringBatch.toCompare(
            new long[count], Collections.nCopies(count, sample), IdVectors.NONE, IdVectors.NONE),
        new float[count],
        right,
        "",
        new ScoredBatch.Rival(1, model, new float[count], right));
  }

  /**
   * Scoring is slower than updates: the samples that decide were all scored by the model before.
   */
  @Test
  void accepted_theVersionInServiceScoredNothing_isNoBaseline() {
    ReleaseGate gate = new ReleaseGate(gate(Action.OFF, AfterPublishing.ROLL_BACK), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    gate.accepted(0);
    gate.published(new ServedVersion(8, "digest", 4, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(512, 1));
    gate.accepted(1);
    gate.published(new ServedVersion(9, "digest", 5, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(88, 1));
    gate.accepted(2);
    assertThat(gate.baselineUpdate()).as("of the version that was found good").isEqualTo(3);
    assertThat(gate.opened()).isTrue();
  }

  @Test
  void accepted_theVersionInServiceScoredTheLastSamples_isTheBaseline() {
    ReleaseGate gate = new ReleaseGate(gate(Action.OFF, AfterPublishing.ROLL_BACK), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    gate.accepted(0);
    gate.published(new ServedVersion(8, "digest", 4, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(512, 1));
    gate.accepted(1);
    gate.published(new ServedVersion(9, "digest", 5, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(88, 2));
    gate.accepted(2);
    assertThat(gate.baselineUpdate()).isEqualTo(5);
  }

  @Test
  void hold_trustedSamplesTakeLong_nothingIsSaidBeforeTheLast() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    assertThat(gate.accepted(0)).isTrue();
    gate.add(scoredAlike(256));
    assertThat(gate.doubtful()).as("a newer model may not take its place").isFalse();
    assertThat(gate.look(9_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    gate.add(scoredAlike(256));
    assertThat(gate.look(18_000, false)).as("the scorer works").isEqualTo(ReleaseGate.Step.NOTHING);
    gate.add(scoredAlike(88));
    assertThat(gate.look(27_000, false)).isEqualTo(ReleaseGate.Step.RELEASE);
  }

  @Test
  void hold_trustedSamplesAreNotScored_isSaidAndPublished() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    assertThat(gate.accepted(0)).isTrue();
    gate.add(scoredAlike(256));
    assertThat(gate.look(5_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.look(14_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.look(15_000, false)).isEqualTo(ReleaseGate.Step.RELEASE_UNCOMPARED);
  }

  @Test
  void add_firstTrainings_forgetsTheOldestBeyondTheLimit() {
    FirstTrainings trained = new FirstTrainings();
    trained.add(1, new long[FirstTrainings.MOST - 1]);
    trained.add(2, new long[] {5});
    trained.add(3, new long[] {6, 7});
    assertThat(trained.takeAfter(0)).containsExactly(5, 6, 7);
    assertThat(trained.takeAfter(0)).isEmpty();
  }

  @Test
  void warn_theNewestModelIsWorse_saysSoAndServesOn() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.WARN, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      arrive(learner, 150, false);
      assertThat(of(DecisionEvent.Type.WORSE)).hasSize(1);
      assertThat(of(DecisionEvent.Type.WORSE).get(0).message()).endsWith("it serves on");
      assertThat(servedVersion()).isEqualTo(4);
    }
  }

  @Test
  void off_trainedOnWrongLabels_isPublishedAndNothingIsCompared() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.OFF, AfterPublishing.OFF))) {
      arrive(learner, 3 * BATCH + 170, false);
      arrive(learner, 30, true);
      arrive(learner, 150, false);
      assertThat(servedVersion()).isEqualTo(4);
      assertThat(events.get(events.size() - 1).status().gate()).isNull();
    }
  }

  @Test
  void hold_anEndOfInput_isReachedAfterTheWait() throws Exception {
    try (VirtualTimeLearner learner = learner(gate(Action.HOLD, AfterPublishing.OFF))) {
      arrive(learner, BATCH + 50, false);
      learner.arrive(new LearnerEvent.EndOfInput(learner.nextPosition(), "1", new TreeMap<>()));
      learner.pass(5_000);
      assertThat(of(DecisionEvent.Type.FINISHED)).isEmpty();
      learner.pass(20_000);
      assertThat(of(DecisionEvent.Type.FINISHED)).hasSize(1);
      assertThat(published()).containsExactly(1L, 2L);
    }
  }

  @Test
  void newestServes_untilItIsRefusedOrRolledBack() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.ROLL_BACK), 0);
    assertThat(gate.newestServes()).isTrue();
    gate.published(new ServedVersion(1, "a", 1, new ModelArtifact(new TreeMap<>())));
    gate.refused();
    assertThat(gate.newestServes()).isFalse();
    gate.published(new ServedVersion(2, "b", 2, new ModelArtifact(new TreeMap<>())));
    assertThat(gate.newestServes()).isTrue();
    gate.rolledBack(new ServedVersion(2, "b", 2, new ModelArtifact(new TreeMap<>())), false);
    assertThat(gate.newestServes()).isFalse();
  }
}
