package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a learner does when it is asked to forget a sample. Its model is the list of its samples.
 */
class LearnerForgetTest {
  private static final long WITHIN_MILLIS = 400_000;
  private static final long UPDATE_SAMPLES = 4;

  @TempDir Path folder;

  private LearnerSimulation forgetful() {
    return simulation(DataSettings.defaults().with(new ForgetSettings(WITHIN_MILLIS, 4)));
  }

  private LearnerSimulation simulation(DataSettings data) {
    return new LearnerSimulation(
        UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10),
        data,
        folder.resolve("models"),
        request -> false);
  }

  /** Trains and publishes some updates, of samples s1 to s4, s5 to s8 and so on. */
  private static void learn(LearnerSimulation sim, int from, int updates) throws Exception {
    for (int update = from; update < from + updates; update++) {
      for (long i = 1; i <= UPDATE_SAMPLES; i++) {
        long id = (update - 1) * UPDATE_SAMPLES + i;
        sim.arrive("s" + id, (double) id, (double) (id % 2));
      }
      sim.requestTraining();
      settle(sim);
    }
  }

  private static void settle(LearnerSimulation sim) throws InterruptedException {
    for (int i = 0; i < 200; i++) {
      sim.turn();
    }
  }

  private static void forget(LearnerSimulation sim, String id) throws InterruptedException {
    sim.send(new LearnerEvent.RetractionRequest(sim.next(), id, true, new TreeMap<>()));
  }

  /** Asks for it, and lets the time pass in which requests are collected. */
  private static void forgetInTime(LearnerSimulation sim, String id) throws InterruptedException {
    forget(sim, id);
    sim.pass(WITHIN_MILLIS / 4 + 1);
    settle(sim);
  }

  private static List<String> said(LearnerSimulation sim, DecisionEvent.Type type) {
    return sim.said(type).stream().map(DecisionEvent::message).toList();
  }

  private static ModelManifest current(LearnerSimulation sim) throws IOException {
    return sim.models.current("app", 0).map(ModelCheckpoint::manifest).orElseThrow();
  }

  private static List<Long> versions(LearnerSimulation sim) throws IOException {
    return sim.models.list("app", 0).stream().map(each -> each.manifest().version()).toList();
  }

  @Test
  void forget_afterItsTime_noVersionIsLeftThatHasLearnedIt() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 6);
      long before = current(sim).version();
      sim.models.pin(sim.models.read("app", 0, before - 1), 0, "a test");
      sim.models.alias("good", sim.models.read("app", 0, before - 1));
      forget(sim, "s18");
      assertThat(sim.lineage()).as("it waits").contains(18L);
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);

      assertThat(sim.lineage()).hasSize(23).doesNotContain(18L).contains(1L, 17L, 24L);
      ModelManifest now = current(sim);
      assertThat(now.version()).isEqualTo(before + 1);
      assertThat(now.counts())
          .containsEntry(VersionDrafts.FORGOTTEN, 1L)
          .containsEntry(VersionDrafts.FORGOTTEN_BEFORE, before);
      assertThat(versions(sim)).containsExactly(before + 1);
      assertThat(sim.models.pin("app", 0)).isEmpty();
      assertThat(sim.models.aliases("app", 0)).isEmpty();
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .containsExactly(
              "no version since 7 has learned from s18; 2 updates were trained again from the model"
                  + " of update 4; versions up to 6 are deleted");

      learn(sim, 7, 1);
      assertThat(sim.lineage()).hasSize(27).doesNotContain(18L);
      assertThat(current(sim).counts()).containsEntry(VersionDrafts.FORGOTTEN_BEFORE, before);
    }
  }

  /** Versions that a restore has left behind, and that the restored learner does not know. */
  @Test
  void forget_afterARestore_versionsOfTheOtherBranchAreDeletedToo() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      FakeLearnerState older = sim.checkpoint();
      learn(sim, 3, 2);
      sim.crash(older, sim.position());
      learn(sim, 3, 1);
      long left = current(sim).version();
      assertThat(left).isGreaterThan(4);
      forget(sim, "s6");
      sim.finish();
      assertThat(current(sim).counts()).containsEntry(VersionDrafts.FORGOTTEN_BEFORE, left);
      assertThat(versions(sim)).containsExactly(current(sim).version());
    }
  }

  @Test
  void forget_severalAtOnce_areTrainedOutTogether() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 4);
      forget(sim, "s3");
      forget(sim, "s9");
      forget(sim, "s9");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      assertThat(sim.lineage()).hasSize(14).doesNotContain(3L, 9L);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).hasSize(1);
      forget(sim, "s9");
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .last()
          .isEqualTo("s9 was never trained; there is nothing to forget");
    }
  }

  @Test
  void forget_whatWasNeverTrained_isAnsweredAtOnce() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      sim.arrive("new", 99, 1);
      forget(sim, "new");
      forget(sim, "nobody");
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .containsExactly(
              "new was never trained; there is nothing to forget",
              "nobody was never trained; there is nothing to forget");
      sim.finish();
      assertThat(sim.lineage()).hasSize(8);
    }
  }

  @Test
  void forget_withoutTheSetting_saysWhatToSet() throws Exception {
    try (LearnerSimulation sim = simulation(DataSettings.defaults())) {
      learn(sim, 1, 1);
      forget(sim, "s2");
      settle(sim);
      assertThat(said(sim, DecisionEvent.Type.INPUT))
          .last()
          .asString()
          .contains("set selection.forget");
      assertThat(sim.lineage()).contains(2L);
    }
  }

  @Test
  void forget_whileTheSampleTrains_givesTheTrainingUp() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 1);
      for (int i = 5; i <= 8; i++) {
        sim.arrive("s" + i, i, i % 2);
      }
      sim.requestTraining();
      forget(sim, "s6");
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .containsExactly("s6 was never trained; there is nothing to forget");
      sim.finish();
      assertThat(sim.lineage()).hasSize(7).doesNotContain(6L);
    }
  }

  @Test
  void forget_aLabelThatComesAgain_isLearnedAnew() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      forget(sim, "s3");
      sim.arrive("s3", 3, 1);
      sim.requestTraining();
      settle(sim);
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      assertThat(sim.lineage()).containsExactly(1L, 2L, 4L, 5L, 6L, 7L, 8L, 3L);
    }
  }

  @Test
  void forget_aRestartAtAnyMoment_endsTheSame() throws Exception {
    for (int turns = 0; turns < 30; turns++) {
      try (LearnerSimulation sim =
          new LearnerSimulation(
              UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10),
              DataSettings.defaults().with(new ForgetSettings(WITHIN_MILLIS, 4)),
              folder.resolve("models-" + turns),
              request -> false)) {
        learn(sim, 1, 5);
        forget(sim, "s6");
        sim.arrive("s21", 21, 1);
        sim.pass(WITHIN_MILLIS / 4);
        for (int i = 0; i < turns; i++) {
          sim.turn();
        }
        long served = current(sim).version();
        sim.crash();
        settle(sim);
        assertThat(sim.lineage()).as("after %d turns", turns).hasSize(19).doesNotContain(6L);
        assertThat(current(sim).counts()).containsEntry(VersionDrafts.FORGOTTEN, 1L);
        assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).hasSize(1);
        assertThat(current(sim).version()).isBetween(served, 7L);
        assertThat(versions(sim)).containsExactly(current(sim).version());
        sim.finish();
        assertThat(sim.lineage()).hasSize(20).doesNotContain(6L);
      }
    }
  }

  @Test
  void restore_aCheckpointFromBeforeTheRequest_publishesNothingUntilItHasForgotten()
      throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 3);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      forget(sim, "s6");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      long forgotten = current(sim).version();
      assertThat(current(sim).counts()).containsEntry(VersionDrafts.FORGOTTEN, 1L);

      sim.crash(older, position);
      settle(sim);
      assertThat(sim.lineage()).as("the restored model").contains(6L);
      learn(sim, 4, 1);
      assertThat(current(sim).version()).as("nothing new serves").isEqualTo(forgotten);
      forget(sim, "s6");
      settle(sim);
      assertThat(sim.lineage()).hasSize(15).doesNotContain(6L);
      assertThat(current(sim).version()).isEqualTo(forgotten + 1);
    }
  }

  @Test
  void forget_whatHasLeftTheStore_isFoundInTheLogAndTheRestIsCounted() throws Exception {
    DataSettings defaults = DataSettings.defaults();
    DataSettings small =
        new DataSettings(defaults.staging(), defaults.replay(), 6, defaults.maxBytes(), 100)
            .with(new ForgetSettings(WITHIN_MILLIS, 4));
    try (LearnerSimulation sim = simulation(small)) {
      learn(sim, 1, 4);
      forget(sim, "s3");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      assertThat(sim.lineage()).doesNotContain(3L).contains(13L, 14L, 15L, 16L);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .singleElement()
          .asString()
          .contains("from s3; ", "samples were left out, because they have left the store");
    }
  }

  @Test
  void forget_theClockGoesBackAtARestartDuringTheRetraining_publishesNothingWithTheSample()
      throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 5);
      long served = current(sim).version();
      forget(sim, "s6");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      assertThat(said(sim, DecisionEvent.Type.INPUT)).last().asString().contains("trained again");
      sim.beforeCheckpoint();
      sim.nowMillis -= 10 * WITHIN_MILLIS;
      sim.crash();
      learn(sim, 6, 1);
      assertThat(current(sim).version()).isGreaterThan(served);
      assertThat(sim.lineage()).doesNotContain(6L);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).hasSize(1);
      sim.finish();
      assertThat(sim.lineage()).hasSize(23).doesNotContain(6L).contains(24L);
    }
  }

  @Test
  void forget_theClockGoesBackAtARestart_isDueAsBefore() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      sim.pass(WITHIN_MILLIS);
      forget(sim, "s6");
      sim.nowMillis -= 10 * WITHIN_MILLIS;
      sim.crash();
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      assertThat(sim.lineage()).hasSize(7).doesNotContain(6L);
    }
  }

  /** Returns a learner of these samples and models with another application file. */
  private LearnerSimulation continued(LearnerSimulation before, DataSettings data) {
    FakeLearnerState state = before.checkpoint();
    long position = before.position();
    long now = before.nowMillis;
    before.close();
    LearnerSimulation after = simulation(data);
    after.nowMillis = now;
    after.crash(state, position);
    return after;
  }

  @Test
  void forget_theSettingIsNew_outlivesARestartBeforeTheNextUpdate() throws Exception {
    LearnerSimulation before = simulation(DataSettings.defaults());
    learn(before, 1, 2);
    DataSettings forgetful = DataSettings.defaults().with(new ForgetSettings(WITHIN_MILLIS, 4));
    try (LearnerSimulation sim = continued(before, forgetful)) {
      forget(sim, "s3");
      sim.crash();
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      assertThat(sim.lineage()).doesNotContain(3L);
      learn(sim, 3, 1);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .singleElement()
          .asString()
          .contains("from s3; ");
    }
  }

  @Test
  void restore_theLogWithoutItsAnchors_isRefused() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      FakeLearnerState damaged = sim.checkpoint();
      damaged.put(LearnerState.Slot.ANCHORS, null);
      long position = sim.position();
      assertThatThrownBy(() -> sim.crash(damaged, position))
          .isInstanceOf(LastingFailureException.class)
          .hasMessageContaining(
              "the state for forgetting samples has the log of updates but not the earlier");
    }
  }

  @Test
  void forget_endOfInput_isCarriedOutAtOnce() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      forget(sim, "s2");
      sim.finish();
      assertThat(sim.lineage()).hasSize(7).doesNotContain(2L);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).hasSize(1);
    }
  }

  @Test
  void forget_everythingThatWasTrained_beginsWithANewNetwork() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      sim.arrive("only", 1, 1);
      sim.requestTraining();
      settle(sim);
      forget(sim, "only");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      assertThat(sim.lineage()).isEmpty();
      sim.arrive("next", 2, 0);
      sim.requestTraining();
      settle(sim);
      assertThat(sim.lineage()).containsExactly(2L);
      assertThat(versions(sim)).containsExactly(2L);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).hasSize(1);
      sim.finish();
    }
  }

  /** The request is not in the control topic any more, and someone asks for another sample. */
  @Test
  void restore_anotherSampleIsForgotten_publishesNothingThatKnowsTheFirst() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 3);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      forgetInTime(sim, "s6");
      long forgotten = current(sim).version();

      sim.crash(older, position);
      forgetInTime(sim, "s7");
      forgetInTime(sim, "s7");
      learn(sim, 4, 1);
      assertThat(current(sim).version()).isEqualTo(forgotten);
      forgetInTime(sim, "s6");
      learn(sim, 5, 1);
      assertThat(current(sim).version()).isGreaterThan(forgotten);
      assertThat(sim.lineage()).doesNotContain(6L, 7L);
    }
  }

  @Test
  void forget_twice_countsOnce() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 3);
      forget(sim, "s6");
      forget(sim, "s6");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      settle(sim);
      forgetInTime(sim, "s6");
      learn(sim, 4, 1);
      assertThat(current(sim).counts()).containsEntry(VersionDrafts.FORGOTTEN, 1L);
      assertThat(current(sim).attributes().get(VersionDrafts.FORGOTTEN_EVENTS)).hasSize(16);
    }
  }

  /** The sample and the request are read again before an update trains the sample. */
  @Test
  void restore_aCheckpointFromBeforeTheSample_neverTrainedCountsAsForgotten() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 1);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      learn(sim, 2, 1);
      forgetInTime(sim, "s6");
      long forgotten = current(sim).version();

      sim.crash(older, position);
      for (int i = 5; i <= 8; i++) {
        sim.arrive("s" + i, i, i % 2);
      }
      forget(sim, "s6");
      sim.requestTraining();
      settle(sim);
      learn(sim, 3, 1);
      assertThat(sim.lineage()).hasSize(11).doesNotContain(6L);
      assertThat(current(sim).version()).isGreaterThan(forgotten);
      sim.finish();
    }
  }

  @Test
  void restore_aCheckpointFromBeforeTheSample_theEndOfInputIsReached() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 1);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      learn(sim, 2, 1);
      forgetInTime(sim, "s6");
      long forgotten = current(sim).version();

      sim.crash(older, position);
      for (int i = 5; i <= 8; i++) {
        sim.arrive("s" + i, i, i % 2);
      }
      forget(sim, "s6");
      sim.finish();
      assertThat(sim.lineage()).hasSize(7).doesNotContain(6L);
      assertThat(current(sim).version()).isGreaterThan(forgotten);
    }
  }

  @Test
  void restore_aCheckpointFromBeforeTheFirstUpdate_publishesNothingUntilItHasForgotten()
      throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      settle(sim);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      learn(sim, 1, 2);
      forgetInTime(sim, "s2");
      long forgotten = current(sim).version();

      sim.crash(older, position);
      learn(sim, 1, 3);
      assertThat(sim.lineage()).contains(2L);
      assertThat(current(sim).version()).isEqualTo(forgotten);
      forgetInTime(sim, "s2");
      assertThat(sim.lineage()).hasSize(11).doesNotContain(2L);
      assertThat(current(sim).version()).isEqualTo(forgotten + 1);
    }
  }

  /** Also if it crashes before its first publication. */
  @Test
  void start_fromNothing_owesNothingToTheVersionsBefore() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 2);
      forgetInTime(sim, "s2");
      long forgotten = current(sim).version();

      sim.crash(new FakeLearnerState(), 0);
      settle(sim);
      sim.arrive("s1", 1, 1);
      sim.crash();
      learn(sim, 1, 1);
      assertThat(sim.lineage()).containsExactly(1L, 2L, 3L, 4L);
      assertThat(current(sim).version()).isGreaterThan(forgotten);
    }
  }

  @Test
  void restore_nothingIsLeftToTrain_theEndOfInputIsReached() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      settle(sim);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      sim.arrive("only", 1, 1);
      sim.arrive("s2", 2, 1);
      sim.requestTraining();
      settle(sim);
      forgetInTime(sim, "only");
      forgetInTime(sim, "s2");

      sim.crash(older, position);
      sim.arrive("only", 1, 1);
      forget(sim, "only");
      forget(sim, "s2");
      sim.finish();
      assertThat(sim.lineage()).isEmpty();
    }
  }

  /** Returns models with a method that fails as long as a condition holds. */
  private static UnaryOperator<PublishedModels> failing(
      String name, String why, BooleanSupplier fails) {
    return models ->
        (PublishedModels)
            Proxy.newProxyInstance(
                PublishedModels.class.getClassLoader(),
                new Class<?>[] {PublishedModels.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals(name) && fails.getAsBoolean()) {
                    throw new IOException(why);
                  }
                  try {
                    return method.invoke(models, arguments);
                  } catch (InvocationTargetException failed) {
                    throw failed.getCause();
                  }
                });
  }

  /** Models whose versions cannot be deleted the first times. */
  private static UnaryOperator<PublishedModels> undeletable(AtomicInteger attempts, int failing) {
    return failing("forget", "version 1 is in use", () -> attempts.incrementAndGet() <= failing);
  }

  /** What it has forgotten is in its manifest, and a restored model may have learned from it. */
  @Test
  void restore_versionInServiceCannotBeRead_publishesNothing() throws Exception {
    try (LearnerSimulation sim = forgetful()) {
      learn(sim, 1, 3);
      FakeLearnerState older = sim.checkpoint();
      long position = sim.position();
      forgetInTime(sim, "s6");
      long forgotten = current(sim).version();
      UnaryOperator<PublishedModels> whole = sim.seen;
      sim.seen = failing("current", "the disk is damaged", () -> true);
      assertThatThrownBy(() -> sim.crash(older, position))
          .hasStackTraceContaining(
              "the list of samples that the version in service has forgotten cannot be read")
          .hasStackTraceContaining("leave selection.forget out");
      sim.seen = whole;
      assertThat(current(sim).version()).isEqualTo(forgotten);
    }
  }

  @Test
  void forget_deletionFails_isTriedAgainBeforeItIsReported() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (LearnerSimulation sim = forgetful()) {
      sim.seen = undeletable(attempts, 3);
      sim.crash();
      learn(sim, 1, 3);
      forget(sim, "s6");
      sim.pass(WITHIN_MILLIS / 4 + 1);
      while (attempts.get() < 2) {
        sim.turn();
      }
      sim.turn();
      assertThat(versions(sim)).hasSizeGreaterThan(1);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).isEmpty();
      assertThat(said(sim, DecisionEvent.Type.DROPPED))
          .singleElement()
          .asString()
          .startsWith("versions up to 3, which may have learned from forgotten samples, could not")
          .contains("version 1 is in use")
          .endsWith("; it is tried again");
      sim.crash();
      for (int i = 0; i < 20; i++) {
        sim.work();
        sim.step(5_000);
      }
      assertThat(attempts).hasValue(4);
      assertThat(versions(sim)).containsExactly(4L);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN))
          .singleElement()
          .asString()
          .endsWith("versions up to 3 are deleted");
    }
  }

  @Test
  void forget_deletionFailsAtTheEndOfInput_endsAndSaysSo() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (LearnerSimulation sim = forgetful()) {
      sim.seen = undeletable(attempts, Integer.MAX_VALUE);
      sim.crash();
      learn(sim, 1, 2);
      forget(sim, "s6");
      sim.finish();
      assertThat(attempts).hasValueBetween(2, 10);
      assertThat(said(sim, DecisionEvent.Type.FORGOTTEN)).isEmpty();
      assertThat(said(sim, DecisionEvent.Type.DROPPED))
          .last()
          .asString()
          .endsWith("; the input has ended, so it is not tried again");
    }
  }
}
