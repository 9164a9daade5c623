package io.idlalayer.console.history;

import static io.idlalayer.console.ConsoleEvents.LEARNER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.console.whatif.WhatIf;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.replay.RecordedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class LearnersTest {
  private final Learners learners = new Learners();

  private void update(long number) {
    ConsoleEvents.update(number, 10_000L * number).forEach(learners::take);
  }

  private List<UpdateEntry> updates() {
    return learners.updates(LEARNER, 100).orElseThrow();
  }

  @Test
  void anUpdate_growsFromEventToEvent() {
    List<UpdateEntry.State> states =
        ConsoleEvents.update(1, 10_000).stream()
            .map(
                event -> {
                  learners.take(event);
                  return updates().get(0).state();
                })
            .toList();
    assertThat(states)
        .containsExactly(
            UpdateEntry.State.FIRED, UpdateEntry.State.STAGED, UpdateEntry.State.PUBLISHED);
    UpdateEntry whole = updates().get(0);
    assertThat(whole.firedAtMillis()).isEqualTo(10_000);
    assertThat(whole.stagedAtMillis()).isEqualTo(11_000);
    assertThat(whole.publishedAtMillis()).isEqualTo(12_000);
    assertThat(whole.update().requirePublished().version()).isEqualTo(1);
  }

  @Test
  void afterARestore_numbersAboveTheCheckpointNeverWere() {
    update(1);
    update(2);
    update(3);
    learners.take(
        ConsoleEvents.event(DecisionEvent.Type.RESTORED, 50_000, 4, 1, null, "from checkpoint 1"));
    assertThat(updates()).extracting(UpdateEntry::number).containsExactly(1L);
    update(2);
    assertThat(updates()).extracting(UpdateEntry::number).containsExactly(1L, 2L);
    assertThat(learners.notes(LEARNER, 10).orElseThrow())
        .extracting(Note::message)
        .containsExactly("from checkpoint 1");
  }

  @Test
  void aRunThatWasStartedOver_hasNoUpdatesOfTheOldOne() {
    for (int number = 1; number <= 9; number++) {
      update(number);
    }
    ConsoleEvents.update(1, 200_000).forEach(learners::takeNow);
    assertThat(updates()).extracting(UpdateEntry::number).containsExactly(1L);
    assertThat(updates().get(0).firedAtMillis()).isEqualTo(200_000);
  }

  @Test
  void aPublicationThatFails_isNoFailedTraining() {
    List<DecisionEvent> events = ConsoleEvents.update(1, 10_000);
    learners.take(events.get(0));
    learners.take(events.get(1));
    learners.take(
        ConsoleEvents.event(
            DecisionEvent.Type.DROPPED, 11_500, 4, 1, events.get(1).update(), "the disk is full"));
    assertThat(updates().get(0).state()).isEqualTo(UpdateEntry.State.STAGED);
    assertThat(updates().get(0).stagedAtMillis()).isEqualTo(11_000);
    assertThat(updates().get(0).message()).isEqualTo("the disk is full");
    learners.take(events.get(2));
    assertThat(updates().get(0).state()).isEqualTo(UpdateEntry.State.PUBLISHED);
    learners.take(ConsoleEvents.update(2, 20_000).get(0));
    learners.take(
        ConsoleEvents.event(
            DecisionEvent.Type.DROPPED,
            20_500,
            8,
            1,
            ConsoleEvents.update(2, 20_000).get(0).update(),
            "it diverged"));
    assertThat(updates().get(1).state()).isEqualTo(UpdateEntry.State.TRAINING_FAILED);
  }

  /**
   * The page follows updates by itself; its tests hold it to what the server says of the same
   * events. {@code -Didlalayer.write-updates} writes the file anew.
   */
  @Test
  void updates_arePutTogetherAsThePagesTestsExpect() throws IOException {
    List<DecisionEvent> story = new ArrayList<>(ConsoleEvents.update(1, 10_000));
    story.addAll(ConsoleEvents.update(2, 20_000).subList(0, 2));
    story.add(about(DecisionEvent.Type.DROPPED, story.get(4), "the disk is full"));
    story.add(ConsoleEvents.update(3, 30_000).get(0));
    story.add(about(DecisionEvent.Type.DROPPED, story.get(6), "it diverged"));
    story.addAll(ConsoleEvents.update(4, 40_000).subList(0, 2));
    story.add(about(DecisionEvent.Type.HELD, story.get(9), "it is worse"));
    story.add(ConsoleEvents.update(5, 50_000).get(0));
    story.add(about(DecisionEvent.Type.ABORTED, story.get(11), "a larger one is trained"));
    story.addAll(ConsoleEvents.update(6, 60_000));
    story.add(about(DecisionEvent.Type.WORSE, story.get(15), "it serves on"));
    story.addAll(ConsoleEvents.update(7, 70_000));
    story.add(
        ConsoleEvents.event(DecisionEvent.Type.RESTORED, 80_000, 24, 6, null, "from checkpoint 3"));
    story.add(ConsoleEvents.update(8, 90_000).get(2));
    story.forEach(learners::take);
    assertThat(updates())
        .extracting(UpdateEntry::state)
        .containsExactly(
            UpdateEntry.State.PUBLISHED,
            UpdateEntry.State.STAGED,
            UpdateEntry.State.TRAINING_FAILED,
            UpdateEntry.State.HELD,
            UpdateEntry.State.ABORTED,
            UpdateEntry.State.PUBLISHED,
            UpdateEntry.State.PUBLISHED);

    ObjectMapper json =
        new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);
    ObjectNode both = json.createObjectNode();
    both.putPOJO("events", story);
    both.putPOJO("answers", updates());
    String written = json.writerWithDefaultPrettyPrinter().writeValueAsString(both) + "\n";
    Path file = Path.of("src/test/resources/updates.json");
    if (System.getProperty("idlalayer.write-updates") != null) {
      Files.writeString(file, written);
    }
    assertThat(Files.readString(file)).isEqualTo(written);
  }

  private static DecisionEvent about(DecisionEvent.Type type, DecisionEvent before, String why) {
    return ConsoleEvents.event(
        type, before.atMillis() + 700, 4, before.status().updates(), before.update(), why);
  }

  @Test
  void aClockThatIsSetBack_beginsAnewAndIsNotWaitedFor() {
    learners.takeNow(ConsoleEvents.status(3_600_000, 10));
    learners.takeNow(ConsoleEvents.status(3_590_000, 9));
    assertThat(learners.learners().get(0).last().atMillis()).isEqualTo(3_600_000);
    learners.takeNow(ConsoleEvents.status(10_000, 11));
    learners.takeNow(ConsoleEvents.status(12_000, 12));
    assertThat(learners.learners().get(0).last().status().samples().received()).isEqualTo(12);
    assertThat(learners.table(LEARNER).orElseThrow().atMillis()).containsExactly(10_000, 12_000);
  }

  private static DecisionEvent rules(long atMillis) {
    return ConsoleEvents.event(DecisionEvent.Type.RULES, atMillis, 1, 0, null, "");
  }

  private long[] points() {
    return learners.table(LEARNER).orElseThrow().atMillis();
  }

  private long lastMillis() {
    return learners.learners().get(0).last().atMillis();
  }

  @Test
  void decisionsThatAreReadLate_loseNothing() {
    for (long second = 1; second <= 300; second++) {
      learners.takeNow(ConsoleEvents.status(1_000 * second, second));
    }
    learners.takeNow(rules(5_000));
    learners.takeNow(rules(100_000));
    assertThat(lastMillis()).isEqualTo(300_000);
    assertThat(points()).hasSize(300);
    assertThat(learners.notes(LEARNER, 10).orElseThrow()).hasSize(2);
  }

  @Test
  void statusesThatAreReadLate_loseNothing() {
    learners.takeNow(ConsoleEvents.status(1_000, 1));
    learners.takeNow(rules(300_000));
    learners.takeNow(ConsoleEvents.status(2_000, 2));
    assertThat(lastMillis()).isEqualTo(300_000);
    assertThat(points()).containsExactly(1_000, 300_000);
  }

  @Test
  void setBack_theOtherTopicLags_isNotWaitedFor() {
    learners.takeNow(rules(3_590_000));
    learners.takeNow(ConsoleEvents.status(3_600_000, 1));
    learners.takeNow(ConsoleEvents.status(10_000, 2));
    learners.takeNow(rules(3_595_000));
    assertThat(lastMillis()).isEqualTo(10_000);
    learners.takeNow(ConsoleEvents.status(12_000, 3));
    learners.takeNow(rules(13_000));
    learners.takeNow(ConsoleEvents.status(14_000, 4));
    assertThat(lastMillis()).isEqualTo(14_000);
    assertThat(points()).containsExactly(10_000, 12_000, 13_000, 14_000);
  }

  @Test
  void setBack_ofDecisionsOnly_beginsAnew() {
    learners.takeNow(rules(3_600_000));
    learners.takeNow(rules(10_000));
    learners.takeNow(rules(12_000));
    assertThat(lastMillis()).isEqualTo(12_000);
    assertThat(points()).containsExactly(10_000, 12_000);
  }

  /** Learners of partitions say something. */
  private void takeOf(int firstPartition, int endPartition) {
    DecisionEvent any = ConsoleEvents.status(1_000, 1);
    for (int partition = firstPartition; partition < endPartition; partition++) {
      learners.take(
          DecisionEvent.of(
              DecisionEvent.Type.STATUS,
              new DecisionEvent.Origin("clicks", partition, 1_000),
              any.status(),
              null,
              ""));
    }
  }

  /** 99 other learners say something. */
  private void takeOfOthers() {
    takeOf(1, 100);
  }

  @Test
  void manyLearners_keepLessOfEach() {
    for (int number = 1; number <= 1_000; number++) {
      ConsoleEvents.update(number, 10_000L * number).forEach(learners::take);
    }
    takeOfOthers();
    assertThat(learners.updates(LEARNER, 10_000).orElseThrow()).hasSize(240);
    assertThat(learners.table(LEARNER).orElseThrow().atMillis().length).isLessThanOrEqualTo(576);
    assertThat(learners.<Integer>replayed(LEARNER, run -> run.updates())).hasValue(120);
  }

  /**
   * Sends an update whose samples arrived at a number of different times; it is accepted if its
   * acceptance is read too.
   */
  private void longUpdate(long number, int times, boolean accepted) {
    long atMillis = 1_000_000L * number;
    List<DecisionEvent> events = ConsoleEvents.update(number, atMillis);
    long[] millis = LongStream.range(atMillis - times, atMillis).toArray();
    DecisionEvent.Type type = DecisionEvent.Type.FIRED;
    for (ArrivalTimes part : ArrivalTimes.of(millis).split()) {
      learners.take(
          ConsoleEvents.event(type, atMillis, 4, number - 1, events.get(0).update(), "")
              .with(part));
      type = DecisionEvent.Type.ARRIVALS;
    }
    if (accepted) {
      learners.take(events.get(1));
    }
  }

  private long arrivalTimes() {
    return learners.<Long>replayed(LEARNER, RecordedRun::arrivalTimes).orElseThrow();
  }

  private long arrivals() {
    return learners.<Long>replayed(LEARNER, run -> run.trace().arrivals()).orElseThrow();
  }

  @Test
  void longUpdates_areBoundedByTheirTimes() {
    for (int number = 1; number <= 100; number++) {
      longUpdate(number, 6_000, true);
      assertThat(arrivalTimes()).isLessThanOrEqualTo(500_000);
    }
    assertThat(learners.<Integer>replayed(LEARNER, RecordedRun::updates)).hasValue(83);
    assertThat(arrivals()).isEqualTo(83 * 6_000);
    assertThat(learners.<Long>replayed(LEARNER, RecordedRun::firstArrivalMillis))
        .hasValue(18_000_000L - 6_000);
    takeOfOthers();
    assertThat(arrivalTimes()).isEqualTo(18_000);
    assertThat(learners.<Integer>replayed(LEARNER, RecordedRun::updates)).hasValue(3);
  }

  @Test
  void anUpdateThatIsTooLong_isLeftOutWhole() throws Exception {
    WhatIf whatIf = new WhatIf(learners, any -> Optional.empty());
    WhatIf.Costs costs = new WhatIf.Costs(null, null, null);
    longUpdate(1, 500_001, true);
    assertThat(arrivalTimes()).isZero();
    assertThat(whatIf.answer(LEARNER, costs).orElseThrow().problem())
        .contains("too many arrival times");
    longUpdate(2, 10, true);
    longUpdate(3, 600_000, false);
    assertThat(arrivalTimes()).isEqualTo(10);
    longUpdate(3, 600_000, true);
    assertThat(arrivalTimes()).isEqualTo(10);
    assertThat(arrivals()).isEqualTo(10);
    assertThat(whatIf.answer(LEARNER, costs).orElseThrow().rows())
        .filteredOn(WhatIf.Row::asItHappened)
        .extracting(WhatIf.Row::updates)
        .containsExactly(1L);
    longUpdate(4, 20, true);
    assertThat(arrivals()).isEqualTo(30);
  }

  @Test
  void newest_keepsTheUpdatesWithSoManyArrivalTimes() {
    for (int number = 1; number <= 20; number++) {
      update(number);
    }
    assertThat(learners.<Integer>replayed(LEARNER, run -> run.newest(11).updates())).hasValue(2);
    assertThat(learners.<Long>replayed(LEARNER, run -> run.newest(11).trace().arrivals()))
        .hasValue(8L);
    assertThat(learners.<Integer>replayed(LEARNER, run -> run.newest(1).updates())).hasValue(1);
  }

  @Test
  void whatIf_statusesThatAreReadLate_loseNothing() throws Exception {
    for (int number = 1; number <= 20; number++) {
      update(number);
      learners.take(ConsoleEvents.event(DecisionEvent.Type.STATUS, 10_000, 4, 1, null, ""));
    }
    assertThat(
            new WhatIf(learners, any -> Optional.empty())
                .answer(LEARNER, new WhatIf.Costs(null, null, null))
                .orElseThrow()
                .arrivals())
        .isEqualTo(80);
  }

  @Test
  void anUpdateWhoseBeginningWasNotRead_isKnownFromItsEnd() {
    learners.take(ConsoleEvents.update(7, 70_000).get(2));
    UpdateEntry known = updates().get(0);
    assertThat(known.state()).isEqualTo(UpdateEntry.State.PUBLISHED);
    assertThat(known.firedAtMillis()).isEqualTo(70_000);
  }

  @Test
  void manyUpdates_areBounded() {
    for (int number = 1; number <= UpdateHistory.MOST + 10; number++) {
      learners.take(ConsoleEvents.update(number, number).get(0));
    }
    List<UpdateEntry> all = learners.updates(LEARNER, Integer.MAX_VALUE).orElseThrow();
    assertThat(all).hasSize(UpdateHistory.MOST);
    assertThat(all.get(0).number()).isEqualTo(11);
    assertThat(updates()).hasSize(100);
  }

  @Test
  void moves_areSummedAndThoseOfASampleAreFound() {
    StageMoves moves =
        new StageMoves(
            Map.of("NEWBORN>MATURE", 3),
            List.of(new StageMoves.Move(64, "NEWBORN", "MATURE", 0.5, 0.25, "SCORE")));
    UpdateRecord update = ConsoleEvents.update(1, 10_000).get(1).update();
    learners.take(
        ConsoleEvents.event(DecisionEvent.Type.STAGED, 11_000, 4, 1, update, "").with(moves));
    learners.take(
        ConsoleEvents.event(DecisionEvent.Type.STAGED, 12_000, 4, 1, update, "").with(moves));
    MoveHistory history = learners.moves(LEARNER).orElseThrow();
    assertThat(history.counts()).containsExactly(Map.entry("NEWBORN>MATURE", 6L));
    assertThat(history.points()).hasSize(2);
    assertThat(learners.sample(LEARNER, "#64").orElseThrow().moves()).hasSize(2);
    assertThat(learners.sample(LEARNER, "#65").orElseThrow().moves()).isEmpty();
  }

  @Test
  void plan_newestEvent_isFollowed() {
    assertThat(learners.plan(LEARNER)).isEmpty();
    learners.take(ConsoleEvents.status(1_000, 1));
    assertThat(learners.plan(LEARNER)).contains(FollowedPlan.NONE);
    UpdateRecord update = ConsoleEvents.update(7, 10_000).get(1).update();
    List<Long> bytes = List.of(1L, 2L);
    StepPlan first =
        new StepPlan("autotm", "", 2, 1, -1, -1, 4, 3, bytes, bytes, bytes, bytes, bytes);
    StepPlan second =
        new StepPlan("autovm", "", 2, 1, -1, -1, 4, 3, bytes, bytes, bytes, bytes, bytes);
    DecisionEvent.Type type = DecisionEvent.Type.PLANNED;
    learners.take(ConsoleEvents.event(type, 11_000, 4, 1, update, "").with(first));
    learners.take(ConsoleEvents.event(type, 12_000, 4, 1, update, "").with(second));
    learners.take(ConsoleEvents.status(13_000, 2));
    assertThat(learners.plan(LEARNER)).contains(new FollowedPlan(12_000, 7L, second));
    assertThat(learners.notes(LEARNER, 10).orElseThrow()).isEmpty();
  }

  @Test
  void anAnswer_isFoundByTheIdThatWasAskedFor() {
    SampleView answer =
        new SampleView(
            "event-9", true, 9, "MATURE", true, 0.5, 0.5, Map.of(), Map.of(), 0.1, 1, 1, Map.of());
    learners.take(
        ConsoleEvents.event(DecisionEvent.Type.EXPLAINED, 1_000, 4, 1, null, "").with(answer));
    assertThat(learners.sample(LEARNER, "event-9").orElseThrow().answer()).isEqualTo(answer);
    assertThat(learners.sample(LEARNER, "event-8").orElseThrow().answer()).isNull();
  }

  @Test
  void theNewestEvent_isTheLastByItsTime() {
    learners.take(ConsoleEvents.status(2_000, 2));
    learners.take(ConsoleEvents.status(1_000, 1));
    assertThat(learners.learners()).hasSize(1);
    assertThat(learners.learners().get(0).last().status().samples().received()).isEqualTo(2);
  }

  @Test
  void learnersBeyondTheBound_areLeftOut() {
    takeOf(0, Learners.MOST + 1);
    assertThat(learners.learners()).hasSize(Learners.MOST);
  }

  @Test
  void whatIf_comparesAllRulesWithWhatHappened() throws Exception {
    for (int number = 1; number <= 20; number++) {
      update(number);
    }
    WhatIf.Answer answer =
        new WhatIf(learners, any -> Optional.empty())
            .answer(LEARNER, new WhatIf.Costs(null, null, null))
            .orElseThrow();
    assertThat(answer.problem()).isEmpty();
    assertThat(answer.arrivals()).isEqualTo(80);
    assertThat(answer.fromMillis()).isEqualTo(8_000);
    assertThat(answer.toMillis()).isEqualTo(199_500);
    assertThat(answer.rows()).filteredOn(WhatIf.Row::asItHappened).hasSize(1);
    assertThat(answer.rows())
        .hasSize(11)
        .isSortedAccordingTo(java.util.Comparator.comparingDouble(WhatIf.Row::cost));
    assertThat(answer.rows()).allMatch(row -> row.totalRatio() >= 1 - 1e-9);
    WhatIf.Answer dearer =
        new WhatIf(learners, any -> Optional.empty())
            .answer(LEARNER, new WhatIf.Costs(1e6, 1.0, 0.0))
            .orElseThrow();
    assertThat(dearer.weight()).isEqualTo(1e6);
    assertThat(dearer.optimum().cost()).isGreaterThan(answer.optimum().cost());
  }

  @Test
  void whatIf_withoutUpdatesSaysSo() throws Exception {
    learners.take(ConsoleEvents.status(1_000, 1));
    WhatIf whatIf = new WhatIf(learners, any -> Optional.empty());
    WhatIf.Costs costs = new WhatIf.Costs(null, null, null);
    assertThat(whatIf.answer(LEARNER, costs).orElseThrow().problem())
        .contains("has not read an accepted update");
    assertThat(whatIf.answer("none/0", costs)).isEmpty();
  }
}
