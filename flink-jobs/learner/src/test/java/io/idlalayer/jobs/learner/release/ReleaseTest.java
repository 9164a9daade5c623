package io.idlalayer.jobs.learner.release;

import static io.idlalayer.jobs.events.DecisionEvent.Type.ABORTED;
import static io.idlalayer.jobs.events.DecisionEvent.Type.FINISHED;
import static io.idlalayer.jobs.events.DecisionEvent.Type.HELD;
import static io.idlalayer.jobs.events.DecisionEvent.Type.PUBLISHED;
import static io.idlalayer.jobs.events.DecisionEvent.Type.ROLLED_BACK;
import static io.idlalayer.jobs.events.DecisionEvent.Type.UNCOMPARED;
import static io.idlalayer.jobs.events.DecisionEvent.Type.WORSE;
import static io.idlalayer.jobs.learner.GateScenario.BATCH;
import static io.idlalayer.jobs.learner.GateScenario.COMPARED;
import static io.idlalayer.jobs.learner.GateScenario.JUDGED;
import static io.idlalayer.jobs.learner.GateScenario.POISON;
import static io.idlalayer.jobs.learner.GateScenario.TASK_MILLIS;
import static io.idlalayer.jobs.learner.GateScenario.WAIT_MILLIS;
import static io.idlalayer.jobs.learner.GateScenario.gate;
import static io.idlalayer.jobs.learner.GateScenario.holds;
import static io.idlalayer.jobs.learner.GateScenario.inService;
import static io.idlalayer.jobs.learner.GateScenario.rollsBack;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.GateScenario;
import io.idlalayer.jobs.learner.Learner;
import io.idlalayer.jobs.learner.ManualExecutor;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of models that were trained on wrong labels, and what people do about them. */
final class ReleaseTest {
  @TempDir Path folder;

  private GateScenario with(GateSettings gate) {
    return GateScenario.with(folder, gate);
  }

  // ---- held ----------------------------------------------------------------------------------

  @Test
  void hold_modelsAreGood_eachIsPublishedAfterItsSamples() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(2).hasPublished(1);
      assertThat(story.comparison().held()).as("the second one waits").isTrue();
      story.judged().hasPublished(2);
      assertThat(story.manifest(2).counts())
          .containsEntry("comparedWith", 1L)
          .hasEntrySatisfying(
              "comparedSamples", n -> assertThat(n).isBetween(COMPARED + 0L, COMPARED + 1L));
      story.right(8 * BATCH - JUDGED);
      assertThat(story.published())
          .as("all but those that gave way to a better one")
          .hasSizeGreaterThanOrEqualTo(8);
      assertThat(story.said(HELD))
          .allMatch(event -> event.message().endsWith("a newer one takes its place"));
    }
  }

  @Test
  void hold_trainedOnWrongLabels_neverReachesThePointer() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(3).judged().hasPublished(3);
      story.poisoned().judged().hasPublished(3).serves(3);
      story
          .saidOnce(HELD)
          .contains("worse by 0.")
          .contains("than version 3 on ")
          .contains("it is not published; the next update continues it");
      story.updates(5);
      assertThat(story.published()).as("clean samples mend it").hasSizeGreaterThan(4);
    }
  }

  /** More wrong labels than are compared before a model is let through. */
  @Test
  void hold_wrongLabelsForLong_areNotFoundBySamplesThatArrive() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(3).judged();
      long before = story.serving();
      story.wrong(5 * BATCH);
      assertThat(story.serving()).as("it looks like a changed world").isGreaterThan(before);
    }
  }

  @Test
  void hold_wrongLabelsForLong_areFoundByTrustedSamples() throws Exception {
    try (GateScenario story = with(holds()).trusting(600).begins()) {
      story.updates(3).judged().hasPublished(3);
      story.wrong(5 * BATCH).settles().serves(3).said(HELD, 5);
      story
          .message(HELD, 4)
          .contains("than version 3 on 600 trusted samples (accuracy)")
          .contains("it is not published");
      assertThat(story.comparison().samples()).isZero();
      story.updates(10);
      assertThat(story.serving()).as("right labels mend it").isGreaterThan(3);
    }
  }

  @Test
  void hold_trustedSamples_decideBeforeAnythingArrives() throws Exception {
    int right = Scoring.MICRO_BATCH + 1;
    GateSettings tolerant =
        gate(Action.HOLD, AfterPublishing.OFF, 0.3, COMPARED, ContinueFrom.NEWEST);
    try (GateScenario story = with(tolerant).trusting(right).begins()) {
      story.updates(3).passes(100).hasPublished(3);
      assertThat(story.manifest(3).counts())
          .containsEntry("comparedWith", 2L)
          .containsEntry("comparedSamples", (long) right);
      story.restarts().updates(1).passes(100).hasPublished(4);
    }
  }

  @Test
  void hold_continueFromInService_forgetsTheBadModel() throws Exception {
    try (GateScenario story = with(inService(holds())).begins()) {
      story.updates(3).judged().poisoned().judged().right(COMPARED);
      story.message(HELD, 0).endsWith("the next update continues version 3");
      assertThat(story.weights(4)).as("both begin with version 3").isEqualTo(story.weights(3));
      story.updates(1);
      assertThat(story.said(PUBLISHED).get(3).update().requireTraining().parentVersion())
          .isEqualTo(3);
    }
  }

  @Test
  void hold_noSamplesCome_isPublishedAfterTheWait() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(2).passes(WAIT_MILLIS - 1_000).hasPublished(1).passes(2_000).hasPublished(2);
    }
  }

  @Test
  void hold_anEndOfInput_isReachedAfterTheWait() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(1).right(COMPARED / 2).ends(WAIT_MILLIS / 2).said(FINISHED, 0);
      story.settles().said(FINISHED, 1).hasPublished(2);
    }
  }

  @Test
  void hold_restartedWhileHeld_holdsAgain() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(3).judged().poisoned().right(20).restarts().hasPublished(3);
      story.judged().said(HELD, 1);
      story.restarts().right(10).settles().hasPublished(3);
      assertThat(story.comparison().heldModels()).as("refused for good").isEqualTo(1);
    }
  }

  @Test
  void hold_trustedSamplesCannotBeRead_modelsAreNotComparedUntilTheyCan() throws Exception {
    try (GateScenario story = with(holds()).trusting(300).trustedIsAway(true).begins()) {
      story.updates(2).hasPublished(2).said(UNCOMPARED, 2);
      for (int i = 0; i < 2; i++) {
        story.saysTrustedIsAway(i);
      }
      story.passes(2 * TrustedWatch.RETRY_MILLIS).wrong(BATCH).hasPublished(3);
      story.trustedIsAway(false).passes(2 * TrustedWatch.RETRY_MILLIS).wrong(BATCH).passes(100);
      story.said(UNCOMPARED, 3).hasPublished(3);
      story
          .saidOnce(HELD)
          .contains("than version 1 on 300 trusted samples")
          .contains("it is not published");
      assertThat(story.said(HELD).get(0).status().gate().heldModels())
          .as("with this one")
          .isEqualTo(1);
    }
  }

  @Test
  void restart_trustedSamplesCannotBeReadAnyMore_theModelThatWaitsIsPublishedAndThatIsSaid()
      throws Exception {
    try (GateScenario story = with(holds()).trusting(10_000).begins()) {
      story.updates(2).hasPublished(1);
      story.trustedIsAway(true).restarts();
      story.said(UNCOMPARED, 1).saysTrustedIsAway(0);
      assertThat(story.said(UNCOMPARED).get(0).update().number()).isEqualTo(2);
      story.hasPublished(2);
    }
  }

  @Test
  void restart_theNewestModelWasRefused_theEndSaysWhatServes() throws Exception {
    try (GateScenario story = with(holds()).trusting(300).begins()) {
      story.updates(3).passes(100).wrong(BATCH).passes(100).said(HELD, 1);
      story.restarts().ends(2 * WAIT_MILLIS);
      story
          .saidOnce(FINISHED)
          .contains(
              "version %d serves, since the newest model is worse".formatted(story.serving()));
    }
  }

  @Test
  void restart_peopleRolledBackWhileAModelIsHeld_isComparedWithWhatTheyChose() throws Exception {
    try (GateScenario story = with(holds()).begins()) {
      story.updates(3).judged().poisoned().right(20).hasPublished(3).said(HELD, 0);
      story.peopleRollBackTo(2, "a customer complains").restarts().judged().hasPublished(3);
      story.serves(2).saidOnce(HELD).contains("than version 2 on");
    }
  }

  @Test
  void restart_peopleRolledBackWhileAModelIsHeld_continuesWhatTheyChose() throws Exception {
    try (GateScenario story = with(inService(holds())).begins()) {
      story.updates(3).judged().poisoned().right(20).hasPublished(3).said(HELD, 0);
      story.peopleRollBackTo(2, "a customer complains").restarts().said(ROLLED_BACK, 1);
      story.updates(3);
      assertThat(story.published()).contains(4L);
      story.continues(4, 2);
    }
  }

  // ---- told ----------------------------------------------------------------------------------

  @Test
  void warn_theNewestModelIsWorse_saysSoAndServesOn() throws Exception {
    try (GateScenario story = with(gate(Action.WARN, AfterPublishing.OFF)).begins()) {
      story.updates(3).badUpdate().judged().serves(4);
      story.saidOnce(WORSE).endsWith("it serves on");
    }
  }

  @Test
  void off_trainedOnWrongLabels_isPublishedAndNothingIsCompared() throws Exception {
    try (GateScenario story = with(gate(Action.OFF, AfterPublishing.OFF)).begins()) {
      story.updates(3).badUpdate().judged().serves(4);
      assertThat(story.last().status().gate()).isNull();
    }
  }

  // ---- rolled back by the gate ---------------------------------------------------------------

  @Test
  void rollBack_theVersionInServiceIsWorse_theOneBeforeServesAgain() throws Exception {
    try (GateScenario story = with(rollsBack()).begins()) {
      story.updates(3).badUpdate().hasPublished(4);
      story.right(COMPARED).serves(3);
      story.servesAgain(3, "0");
      Status.Gate then = story.said(ROLLED_BACK).get(0).status().gate();
      assertThat(then.inServiceVersion()).isEqualTo(3);
      assertThat(then.rollbacks()).isEqualTo(1);
      assertThat(story.notices.get(story.notices.size() - 1).version()).isEqualTo(3);
      story.updates(1);
      assertThat(story.published()).contains(5L);
      assertThat(story.serving()).as("the pin ends with a newer version").isGreaterThanOrEqualTo(5);
    }
  }

  @Test
  void rollBack_trustedSamples_judgeEachVersionByItself() throws Exception {
    try (GateScenario story = with(rollsBack()).trusting(300).begins()) {
      story.updates(3).right(COMPARED).wrong(COMPARED).passes(100).hasPublished(4).serves(3);
      story.saidOnce(ROLLED_BACK).contains("on 300 trusted samples");
      story.servesAgain(3, "0");
    }
  }

  @Test
  void rollBack_theLastTrainingTakesLong_theEndWaitsForTheComparison() throws Exception {
    try (GateScenario story = with(rollsBack()).trusting(10_000).begins()) {
      story.updates(3).wrong(COMPARED).hasPublished(3);
      story.taking(15_000).ends(14_990).taking(0).passes(10).hasPublished(4);
      story.said(FINISHED, 0).passes(5_000);
      story.said(ROLLED_BACK, 1).said(FINISHED, 1).serves(3);
    }
  }

  @Test
  void rollBack_theStoreIsSlow_eventsGoOnAndTheNextModelWaits() throws Exception {
    GateScenario begun = with(rollsBack());
    ManualExecutor slow = begun.slowPins();
    try (GateScenario story = begun.begins()) {
      story.updates(3).badUpdate().updates(2);
      assertThat(slow.busy()).as("it was found").isTrue();
      // Another one is trained, but not known what it is compared with.
      story.serves(4).hasPublished(4).ends(60_000).said(FINISHED, 0);
      assertThat(slow.runOne()).isTrue();
      assertThat(slow.busy()).as("once").isFalse();
      story.serves(3).passes(Learner.POLL_MILLIS);
      story.servesAgain(3, "6\\d{4}");
      // The model that waited, and one of the samples that came meanwhile.
      story.continues(5, 4).hasPublished(6).serves(6).settles().said(FINISHED, 1);
    }
  }

  @Test
  void rollBack_diedBeforeItWasRecorded_isCarriedOutAtTheNextStart() throws Exception {
    GateScenario begun = with(inService(rollsBack()));
    ManualExecutor slow = begun.slowPins();
    try (GateScenario story = begun.begins()) {
      story.updates(3).badUpdate().right(COMPARED);
      assertThat(slow.runOne()).isTrue();
      story.restarts().serves(3);
      story
          .saidOnce(ROLLED_BACK)
          .endsWith("version 3 serves in place of version 4; the next update continues it");
      story.updates(1).continues(5, 3);
    }
  }

  @Test
  void rollBack_aNewerModelIsBeingPublished_doesNotWaitForItAndComparesItAnew() throws Exception {
    try (GateScenario story = with(rollsBack()).taking(TASK_MILLIS).begins()) {
      story.servesABadVersionWithOneOnItsWay(true).hasPublished(2);
      story.right(COMPARED).said(ROLLED_BACK, 1).hasPublished(2).serves(1);
      story.saysThatServes(1);
      story.settles().serves(3).said(ROLLED_BACK, 1);
      story.comparesWith(1);
      assertThat(story.comparison().samples()).isLessThanOrEqualTo(100);
    }
  }

  @Test
  void rollBack_aNewerModelIsBadToo_isFoundOnSamplesThatWait() throws Exception {
    try (GateScenario story = with(rollsBack()).taking(TASK_MILLIS).begins()) {
      story.servesABadVersionWithOneOnItsWay(false).right(COMPARED).serves(1);
      story.settles().hasPublished(3).said(ROLLED_BACK, 2).serves(1);
      story.saysRolledBack(1, 3, 1);
    }
  }

  @Test
  void rollBack_aNewerModelContinuesTheBadOne_isGivenUpWhenItIsPublished() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).taking(TASK_MILLIS).begins()) {
      story.servesABadVersionWithOneOnItsWay(false);
      story.right(COMPARED).said(ROLLED_BACK, 1).serves(1);
      story.settles().said(ROLLED_BACK, 2).serves(1);
      story.saysRolledBack(1, 3, 1);
      story.updates(1).settles().continues(4, 1);
    }
  }

  @Test
  void rollBack_aNewerVersionIsPublishedMeanwhile_thatOneServes() throws Exception {
    GateScenario begun = with(rollsBack()).taking(TASK_MILLIS);
    ManualExecutor slow = begun.slowPins();
    try (GateScenario story = begun.begins()) {
      story.servesABadVersionWithOneOnItsWay(true).right(COMPARED);
      assertThat(slow.busy()).isTrue();
      story.settles().hasPublished(3);
      assertThat(slow.runOne()).isTrue();
      story.settles().serves(3);
      story.saysThatServes(3);
      story.saidOnce(ROLLED_BACK).endsWith("; version 3 has taken its place");
      assertThat(slow.busy()).as("version 3 is good").isFalse();
      assertThat(story.comparison().rollbacks()).as("none took effect").isZero();
    }
  }

  @Test
  void rollBack_theMediumFailsOnce_theTimeCountsFromWhenItWasFound() throws Exception {
    try (GateScenario story = with(rollsBack()).failingRollBacks(1).begins()) {
      story.updates(3).badUpdate().right(COMPARED);
      story.cannotServeAgain(3).contains("the disk is away");
      story.passes(2_000).serves(3);
      story.servesAgain(3, "1\\d{3}");
    }
  }

  @Test
  void rollBack_theOneBeforeIsLongGone_stillServesAgain() throws Exception {
    GateSettings patient =
        gate(Action.OFF, AfterPublishing.ROLL_BACK, 0.01, 5_000, ContinueFrom.NEWEST);
    try (GateScenario story = GateScenario.keeping(2, folder, patient).begins()) {
      story.updates(9).right(BATCH - POISON).poisoned().right(COMPARED).said(ROLLED_BACK, 1);
      // It is kept, though eight are newer.
      story.serves(1);
      assertThat(story.store.list("app", 0)).hasSize(3);
    }
  }

  @Test
  void rollBack_theOneBeforeIsDamaged_isToldOnceAndTheNewestServesOn() throws Exception {
    try (GateScenario story = with(rollsBack()).begins()) {
      story.updates(3).right(BATCH - POISON);
      Files.writeString(folder.resolve("app/0/v0000000003/weights"), "x");
      story.poisoned().judged().settles().said(ROLLED_BACK, 0).serves(4);
      story.cannotServeAgain(3).contains("weights");
    }
  }

  @Test
  void rollBack_continueFromInService_trainsFromTheOneBefore() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(3).badUpdate().updates(1).said(ROLLED_BACK, 1);
      assertThat(story.weights(4)).isEqualTo(story.weights(3));
      story.continues(5, 3);
    }
  }

  // ---- restarted -----------------------------------------------------------------------------

  @Test
  void restart_aNewerModelContinuesTheBadOne_isNotPublished() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).taking(TASK_MILLIS).begins()) {
      story.servesABadVersionWithOneOnItsWay(false).right(COMPARED).said(ROLLED_BACK, 1);
      long incorporated = story.last().status().incorporation().count();
      story.restarts().said(ROLLED_BACK, 2);
      story
          .message(ROLLED_BACK, 1)
          .isEqualTo(
              "version 1 serves in place of version 2; the next update continues it, and the model"
                  + " that was made from version 2 is not published");
      story.settles().hasPublished(2).serves(1);
      // The state says so now.
      story.restarts().said(ROLLED_BACK, 2);
      story.right(BATCH - COMPARED).settles().continues(3, 1);
      assertThat(story.last().status().incorporation().count())
          .as("without those of the model that is not published")
          .isEqualTo(incorporated + BATCH);
    }
  }

  @Test
  void restart_aNewerModelIsBeingPublished_isComparedAnew() throws Exception {
    try (GateScenario story = with(rollsBack()).taking(TASK_MILLIS).begins()) {
      story.servesABadVersionWithOneOnItsWay(false).right(COMPARED).said(ROLLED_BACK, 1);
      // The third one is on its way.
      story.restarts().hasPublished(2);
      story.comparesWith(1);
      story.settles().hasPublished(3).said(ROLLED_BACK, 2).serves(1);
      story.saysRolledBack(1, 3, 1);
    }
  }

  /** A third version is published and left, and the process dies before its state says either. */
  private GateScenario publishesAndLeavesUnrecorded(GateSettings gate) throws Exception {
    GateScenario story = with(gate).taking(TASK_MILLIS).losingTheAnswer(3).begins();
    story.settledUpdates(2).updates(1);
    while (story.newest() < 3) {
      story.passes(1);
    }
    // It does not know of the third one.
    story.hasPublished(2).peopleRollBackTo(2, "worse").restarts().settles();
    assertThat(story.newest()).isEqualTo(3);
    story.serves(2).said(ROLLED_BACK, 1);
    // The state says so now.
    story.restarts().settles().serves(2).said(ROLLED_BACK, 1);
    return story.updates(1).settles().continues(4, 2);
  }

  @Test
  void restart_theModelWasPublishedAndLeft_isNotPublishedAgain() throws Exception {
    try (GateScenario story = publishesAndLeavesUnrecorded(rollsBack())) {
      assertThat(story.weights(3)).isNotEqualTo(story.weights(2));
    }
  }

  @Test
  void restart_theModelWasPublishedAndLeft_givesWayToWhatServes() throws Exception {
    try (GateScenario story = publishesAndLeavesUnrecorded(inService(rollsBack()))) {
      assertThat(story.weights(3)).isEqualTo(story.weights(2));
    }
  }

  @Test
  void restart_afterAnUnrecordedRollBack_continuesTheVersionInService() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(3);
      long newest = story.serving();
      // What a learner does before its state says so.
      story.peopleRollBackTo(newest - 1, "worse").restarts();
      story.saysInPlaceOf(0, newest - 1, newest);
      // The state says so now.
      story.restarts().said(ROLLED_BACK, 1);
      story.updates(1).continues(newest + 1, newest - 1).serves(newest + 1);
    }
  }

  @Test
  void restart_afterARollBackByTwo_continuesItAndComparesTheNextModel() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(4);
      long newest = story.serving();
      story.peopleRollBackTo(newest - 1, "worse").restarts();
      // Before a model was made from it, people go back further.
      story.peopleRollBackTo(newest - 2, "worse too").restarts().said(ROLLED_BACK, 2);
      story.message(ROLLED_BACK, 0).contains("version %d serves".formatted(newest - 1));
      story.message(ROLLED_BACK, 1).contains("version %d serves".formatted(newest - 2));
      story.wrong(BATCH).continues(newest + 1, newest - 2);
      // It is compared with what they chose.
      story.right(BATCH - 1).said(ROLLED_BACK, 3).serves(newest - 2);
    }
  }

  @Test
  void restart_versionPinnedForGood_continuesTheNewest() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(3);
      long newest = story.newest();
      story.peoplePin(newest - 1, "we like it").restarts().updates(1);
      story.continues(newest + 1, newest).said(ROLLED_BACK, 0);
    }
  }

  // ---- rolled back and pinned by people ------------------------------------------------------

  @Test
  void rollBack_peopleHavePinnedAVersion_leavesTheirPin() throws Exception {
    try (GateScenario story = with(rollsBack()).begins()) {
      story.updates(3).right(BATCH - POISON).peoplePin(2, "the audit wants it");
      story.poisoned().judged().said(ROLLED_BACK, 0).serves(2);
      story
          .saidOnce(WORSE)
          .contains("version 2 is pinned until it is unpinned")
          .contains("the audit wants it")
          .doesNotContain("Exception");
    }
  }

  @Test
  void rollBack_peopleHaveGoneFurtherBack_leavesTheirPinAndComparesTheNewerModelAnew()
      throws Exception {
    try (GateScenario story = with(rollsBack()).taking(TASK_MILLIS).begins()) {
      story.settledUpdates(3).servesABadVersionWithOneOnItsWay(false).hasPublished(5);
      story.peopleRollBackTo(1, "a customer complains").right(COMPARED);
      story.serves(1).said(ROLLED_BACK, 0);
      story
          .cannotServeAgain(3)
          .contains("version 1 is pinned until a version above 5 is published")
          .contains("a customer complains");
      story.settles().hasPublished(6);
      story.said(ROLLED_BACK, 1).saysRolledBack(0, 6, 3);
    }
  }

  @Test
  void rollBack_peoplesChoiceWaitsForAPublication_isNotBegun() throws Exception {
    GateScenario begun = with(inService(rollsBack())).taking(2 * TASK_MILLIS);
    ManualExecutor slow = begun.slowPins();
    try (GateScenario story = begun.begins()) {
      story.settledUpdates(3).servesABadVersionWithOneOnItsWay(false);
      story.peopleRollBackTo(1, "a customer complains").passes(2 * ServiceWatch.LOOK_MILLIS);
      story.right(COMPARED).said(WORSE, 1);
      assertThat(slow.busy()).isFalse();
      story.settles().hasPublished(6);
      assertThat(slow.runOne()).as("that was made from the bad one").isTrue();
      story.serves(3);
    }
  }

  @Test
  void running_peopleRollBack_nextUpdateContinuesWhatTheyChose() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(3).peopleRollBackTo(2, "a customer complains").looksAtThePin();
      story.saysInPlaceOf(0, 2, 3).contains("a customer complains").contains("continues version 2");
      Status told = story.said(ROLLED_BACK).get(0).status();
      assertThat(told.pinned().version()).isEqualTo(2);
      assertThat(told.pinned().until()).isEqualTo(3);
      assertThat(told.gate().inServiceVersion()).isEqualTo(2);
      story.updates(1).looksAtThePin().continues(4, 2).said(ROLLED_BACK, 1);
      assertThat(story.last().status().pinned()).as("ended by version 4").isNull();
      assertThat(story.comparison().rollbacks()).isEqualTo(1);
    }
  }

  @Test
  void running_peopleRollBackBehindTheBaseline_samplesOfAllLaterUpdatesAreGivenUp()
      throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(6);
      assertThat(story.comparison().comparedWith()).isGreaterThan(1);
      long trained = story.last().status().trainedNewSamples();
      story.peopleRollBackTo(1, "all were poisoned").looksAtThePin().said(ROLLED_BACK, 1);
      assertThat(story.last().status().stages().discard())
          .as("all but those of the first update")
          .isGreaterThanOrEqualTo(trained - BATCH);
    }
  }

  @Test
  void running_peopleCorrectTheirRollBack_nextUpdateContinuesTheSecondChoice() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(4).peopleRollBackTo(1, "worse").looksAtThePin();
      story.peopleRollBackTo(3, "that was too far").looksAtThePin().said(ROLLED_BACK, 2);
      story.saysInPlaceOf(1, 3, 1).contains("continues version 3");
      story.updates(1).continues(5, 3);
    }
  }

  @Test
  void running_peopleRollBackWhileAnUpdateTrains_itIsGivenUp() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).taking(TASK_MILLIS + 1_000).begins()) {
      story.updates(3).settles().settles();
      long newest = story.newest();
      story.updates(1);
      assertThat(story.last().status().training()).isTrue();
      story.peopleRollBackTo(newest - 1, "worse").passes(TASK_MILLIS);
      story.said(ROLLED_BACK, 1).said(ABORTED, 1);
      story.settles().settles().continues(story.newest(), newest - 1);
    }
  }

  @Test
  void running_peopleRollBackAndTheNewestIsContinued_comparesWithWhatTheyChose() throws Exception {
    try (GateScenario story = with(gate(Action.HOLD, AfterPublishing.ROLL_BACK)).begins()) {
      story.updates(3).right(COMPARED + 20);
      long newest = story.newest();
      story.peopleRollBackTo(newest - 1, "a customer complains").looksAtThePin();
      story.saidOnce(ROLLED_BACK).contains("continues version " + newest);
      story.right(COMPARED);
      story.comparesWith(newest - 1);
      assertThat(story.comparison().held()).isTrue();
      story.updates(1).continues(newest + 1, newest);
    }
  }

  @Test
  void running_peopleRollBackAndUnpin_theNewestIsInServiceAgain() throws Exception {
    try (GateScenario story = with(rollsBack()).begins()) {
      story.updates(3).peopleRollBackTo(1, "by mistake").looksAtThePin();
      story.saysThatServes(1);
      story.peopleUnpin().looksAtThePin();
      story.saysThatServes(3);
      assertThat(story.last().status().pinned()).isNull();
    }
  }

  @Test
  void running_peoplePinForGood_theStatusSaysSoAndLearningGoesOn() throws Exception {
    try (GateScenario story = with(inService(rollsBack())).begins()) {
      story.updates(3).peoplePin(1, "the audit wants it").looksAtThePin();
      Status.Pinned pinned = story.last().status().pinned();
      assertThat(pinned.version()).isEqualTo(1);
      assertThat(pinned.until()).isZero();
      assertThat(pinned.reason()).isEqualTo("the audit wants it");
      story.saysThatServes(1);
      story.updates(1).continues(4, 3).said(ROLLED_BACK, 0);
      assertThat(story.last().status().pinned()).isEqualTo(pinned);
      story.saysThatServes(1);
      story.peopleUnpin().looksAtThePin();
      story.saysThatServes(4);
    }
  }

  @Test
  void running_nothingIsCompared_theStatusHasThePinAllTheSame() throws Exception {
    try (GateScenario story = with(gate(Action.OFF, AfterPublishing.OFF)).begins()) {
      story.updates(2).peopleRollBackTo(1, "worse").looksAtThePin().said(ROLLED_BACK, 0);
      assertThat(story.last().status().pinned().version()).isEqualTo(1);
    }
  }

  @Test
  void running_thePinIsDamaged_whatWasKnownStays() throws Exception {
    try (GateScenario story = with(rollsBack()).begins()) {
      story.updates(2).peoplePin(1, "the audit wants it").looksAtThePin();
      Files.writeString(folder.resolve("app/0/pin.json"), "{");
      story.looksAtThePin().updates(1).hasPublished(3);
      assertThat(story.last().status().pinned().version()).isEqualTo(1);
    }
  }
}
