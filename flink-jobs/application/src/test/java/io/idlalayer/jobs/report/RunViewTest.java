package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Guarantee;
import io.idlalayer.testkit.Tries;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunViewTest {
  @TempDir Path folder;
  private final RunView view = new RunView();
  private long atMillis;

  private static Status status(long received, long trained, long updates, double accuracy) {
    return new Status(
        new Status.Samples(received, 1, 2, received - trained - 3, trained, 0, 0, 0, 0, 0, 0),
        new Status.Stages(0, trained - 1, 1, 0),
        new Status.Progress(updates, trained, updates, false),
        new PrequentialSummary(
            trained,
            0,
            new PrequentialSummary.Classification(
                1, accuracy, accuracy, 0.5, 0.4, 0.5, 0.4, List.of()),
            null),
        new Status.Incorporation(trained, 2, 5),
        new Status.Ingestion(1, 1, 1, 1),
        Status.HotSamples.NONE,
        new Status.Decision(
            3,
            1.5,
            new Grounds(
                "area",
                "waiting",
                new Charge(10, 40, 10),
                new PredictedSeconds(0, 1, 2),
                new CostBasis(new RuleCosts(0.01, 4, 10), 0.0, 1),
                new Guarantee(1.1, 0, 0))),
        new TreeMap<>(),
        Status.Input.NONE,
        new Status.Engine("onednn 3.1.0", 1, "", List.of()));
  }

  private static UpdateRecord update(long number, long version) {
    return ExampleEvents.published(number, new UpdateRecord.Published(version, version), 10, 5);
  }

  private void event(
      String application, DecisionEvent.Type type, Status status, UpdateRecord update) {
    DecisionEvent event =
        new DecisionEvent(
            1, type, application, 0, ++atMillis, status, update, "", null, null, null, null);
    view.add(DecisionEventCodec.decode(DecisionEventCodec.encode(event)).orElseThrow());
  }

  @Test
  void engine_ofAnOlderJobsEvent_hasNoWarnings() {
    DecisionEvent event =
        DecisionEvent.of(
            DecisionEvent.Type.STATUS,
            new DecisionEvent.Origin("a", 0, 1),
            status(10, 5, 1, 0.5),
            null,
            "");
    String encoded = new String(DecisionEventCodec.encode(event), StandardCharsets.UTF_8);
    assertThat(encoded).contains(",\"warnings\":[]");
    String older = encoded.replace(",\"warnings\":[]", "");
    DecisionEvent read =
        DecisionEventCodec.decode(older.getBytes(StandardCharsets.UTF_8)).orElseThrow();
    assertThat(read).isEqualTo(event);
  }

  @Test
  void restored_undoneUpdates_disappear() {
    for (long i = 1; i <= 5; i++) {
      event("a", DecisionEvent.Type.PUBLISHED, status(100 * i, 50 * i, i, 0.5), update(i, i));
    }
    event("a", DecisionEvent.Type.RESTORED, status(250, 100, 2, 0.5), null);
    assertThat(view.updates()).extracting(UpdateRecord::number).containsExactly(1L, 2L);
    event("a", DecisionEvent.Type.PUBLISHED, status(400, 150, 3, 0.5), update(3, 6));
    event("a", DecisionEvent.Type.PUBLISHED, status(400, 150, 3, 0.5), update(3, 6));
    assertThat(view.updates())
        .extracting(update -> update.requirePublished().version())
        .containsExactly(1L, 2L, 6L);
  }

  @Test
  void updates_whoseModelsWaitOrAreSuperseded_areThereWithoutAVersion() {
    UpdateRecord first = update(1, 1);
    UpdateRecord staged = new UpdateRecord(1, first.firing(), first.training(), null);
    UpdateRecord second = update(2, 1);
    event("a", DecisionEvent.Type.STAGED, status(100, 50, 1, 0.5), staged);
    assertThat(view.updates()).containsExactly(staged);
    event("a", DecisionEvent.Type.STAGED, status(200, 100, 2, 0.5), second);
    event("a", DecisionEvent.Type.PUBLISHED, status(200, 100, 2, 0.5), second);
    assertThat(view.updates()).containsExactly(staged, second);
  }

  @Test
  void reached_namesOneEndOfOneApplication() {
    Status.Input ends = new Status.Input(0, List.of(), 0, 0, List.of("mine", "theirs"));
    event("a", DecisionEvent.Type.FINISHED, status(10, 5, 1, 0.5), null);
    assertThat(view.reached("mine", "a", 1)).as("some other end").isFalse();
    event("b", DecisionEvent.Type.FINISHED, status(10, 5, 1, 0.5).with(ends), null);
    assertThat(view.reached("mine", "a", 1)).as("another application").isFalse();
    event("a", DecisionEvent.Type.STATUS, status(10, 5, 1, 0.5).with(ends), null);
    assertThat(view.reached("mine", "a", 1)).isTrue();
    assertThat(view.reached("mine", "a", 2)).as("the other learner is not so far").isFalse();
  }

  @Test
  void theBalance_ofLostInput_doesNotHoldAndSaysWhatIsMissing() {
    Status.LostRange range = new Status.LostRange("t-0", 10, 3_510, "retention");
    Status.Input lost = new Status.Input(3_500, List.of(range), 2, 1, List.of());
    event("a", DecisionEvent.Type.STATUS, status(100, 50, 1, 0.5).with(lost), null);
    var balance = RunReport.of(view, 1).get("balance");
    assertThat(balance.get("accounted")).isEqualTo(balance.get("received"));
    assertThat(balance.get("holds").asBoolean()).isFalse();
    assertThat(balance.get("lostOffsets").asLong()).isEqualTo(3_500);
    assertThat(balance.get("lost").get(0).get("input").asText()).isEqualTo("t-0");
    assertThat(balance.get("reread").asLong()).isEqualTo(2);
  }

  @Test
  void statusThatComesLateByItsOwnTopic_isPassedOver() {
    event("a", DecisionEvent.Type.PUBLISHED, status(100, 50, 1, 0.5), update(1, 1));
    event("a", DecisionEvent.Type.FINISHED, status(120, 60, 1, 0.5), null);
    atMillis -= 2;
    event("a", DecisionEvent.Type.STATUS, status(110, 50, 0, 0.5), null);
    event("a", DecisionEvent.Type.STATUS, status(119, 50, 0, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(120);
    assertThat(view.updates()).hasSize(1);
    event("a", DecisionEvent.Type.STATUS, status(121, 50, 1, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(121);
  }

  @Test
  void add_afterTheClockWasSetBack_statusesGoOn() {
    event("a", DecisionEvent.Type.PUBLISHED, status(100, 50, 1, 0.5), update(1, 1));
    atMillis -= 3_600_000;
    event("a", DecisionEvent.Type.STATUS, status(130, 60, 1, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(130);
    event("a", DecisionEvent.Type.PUBLISHED, status(140, 70, 2, 0.5), update(2, 2));
    event("a", DecisionEvent.Type.STATUS, status(150, 70, 2, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(150);
  }

  @Test
  void add_anUpdateIsTrained_theDecisionKnowsMoreThanTheStatusBefore() {
    event("a", DecisionEvent.Type.STATUS, status(100, 50, 1, 0.5), null);
    event("a", DecisionEvent.Type.FINISHED, status(100, 90, 1, 0.5), null);
    assertThat(view.learners().get(0).status().trainedNewSamples()).isEqualTo(90);
    event("a", DecisionEvent.Type.STATUS, status(100, 90, 1, 0.75), null);
    assertThat(view.learners().get(0).status().prequential().classification())
        .returns(0.75, PrequentialSummary.Classification::accuracy);
  }

  @Test
  void add_afterARestore_statusesFromBeforeAreReplaced() {
    event("a", DecisionEvent.Type.STATUS, status(200, 60, 2, 0.5), null);
    event("a", DecisionEvent.Type.RESTORED, status(100, 50, 1, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(100);
    event("a", DecisionEvent.Type.STATUS, status(200, 60, 2, 0.5), null);
    event("a", DecisionEvent.Type.STATUS, status(110, 50, 1, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(110);
  }

  @Test
  void reopen_aRunThatBeganWithLess_isShownAsItIs() {
    event("a", DecisionEvent.Type.PUBLISHED, status(100, 50, 1, 0.5), update(1, 1));
    view.reopen();
    event("a", DecisionEvent.Type.STATUS, status(10, 5, 0, 0.5), null);
    assertThat(view.learners().get(0).status().samples().received()).isEqualTo(10);
    assertThat(view.updates()).isEmpty();
  }

  @Test
  void manyEvents_leaveTheNewestUpdates_andExactTotals() {
    Runtime runtime = Runtime.getRuntime();
    long last = Tries.choose(200_000, 1_000_000);
    DecisionEvent.Origin origin = new DecisionEvent.Origin("a", 0, 1);
    long heldBefore = 0;
    for (long number = 1; number <= last; number++) {
      Status status = status(10 * number, 5 * number, number, 0.5);
      view.add(DecisionEvent.of(DecisionEvent.Type.FIRED, origin, status, null, ""));
      view.add(
          DecisionEvent.of(
              DecisionEvent.Type.PUBLISHED, origin, status, update(number, number), ""));
      view.add(DecisionEvent.of(DecisionEvent.Type.STATUS, origin, status, null, ""));
      if (number == 2 * RunView.UPDATES) {
        heldBefore = held(runtime);
      }
    }
    // All of them would take a hundred or more; other threads of the process hold a few now and
    // then.
    assertThat(held(runtime) - heldBefore).isLessThan(16L << 20);
    assertThat(view.updates()).hasSize(RunView.UPDATES);
    assertThat(view.updates().get(0).number()).isEqualTo(last + 1 - RunView.UPDATES);
    ObjectNode report = RunReport.of(view, 1);
    assertThat(report.get("updatesTotal").asLong()).isEqualTo(last);
    assertThat(report.get("updatesShown").asLong()).isEqualTo(RunView.UPDATES);
    assertThat(report.get("samples").get("received").asLong()).isEqualTo(10 * last);
  }

  private static long held(Runtime runtime) {
    System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  void manyLearners_shareTheUpdatesThatAreShown() {
    for (int learner = 0; learner < 200; learner++) {
      for (long number = 1; number <= 300; number++) {
        event(
            "a" + learner,
            DecisionEvent.Type.PUBLISHED,
            status(10 * number, 5 * number, number, 0.5),
            update(number, number));
      }
    }
    assertThat(view.learners().get(199).updates()).hasSize(RunView.UPDATES_EACH);
    event("a0", DecisionEvent.Type.PUBLISHED, status(4000, 1505, 301, 0.5), update(301, 301));
    assertThat(view.learners().get(0).updates()).hasSize(RunView.UPDATES_EACH);
  }

  @Test
  void report_severalLearners_addsThemUpAndChecksTheBalance() throws Exception {
    event("a", DecisionEvent.Type.PUBLISHED, status(100, 50, 1, 0.5), update(1, 1));
    event("b", DecisionEvent.Type.FINISHED, status(200, 150, 1, 0.9), null);
    ObjectNode report = RunReport.of(view, 12);
    assertThat(report.get("samples").get("received").asLong()).isEqualTo(300);
    assertThat(report.get("trainedNewSamples").asLong()).isEqualTo(200);
    assertThat(report.at("/prequential/classification/accuracy").asDouble()).isEqualTo(0.8);
    assertThat(report.get("balance").get("holds").asBoolean()).isTrue();
    assertThat(report.get("applications")).hasSize(2);
    assertThat(report.get("applications").get(0).get("updates")).hasSize(1);
    assertThat(report.get("environment").get("cores").asInt()).isPositive();
    Path file = folder.resolve("deep/report.json");
    RunReport.write(report, file);
    assertThat(Files.readString(file)).contains("\"wallSeconds\" : 12.0");
  }

  @Test
  void report_ofARun_saysWhatItSavedAndLeavesOutTheRest() {
    event("a", DecisionEvent.Type.PUBLISHED, status(100, 50, 1, 0.5), update(1, 1));
    SavedState.Checkpoints none = new SavedState.Checkpoints(0, 2, null, null, null);
    SavedState.Start start = new SavedState.Start("checkpoints/a/run-000001/chk-7", 4096, 3.5);
    ObjectNode report =
        RunReport.of(view, 1, new SavedState(start, none, null), "ND4J 1.0, 1 threads");
    assertThat(report.at("/start/from").asText()).endsWith("chk-7");
    assertThat(report.at("/start/bytes").asLong()).isEqualTo(4096);
    assertThat(report.at("/checkpoints/failed").asLong()).isEqualTo(2);
    assertThat(report.get("checkpoints").has("seconds")).isFalse();
    assertThat(report.has("savepoint")).isFalse();
    assertThat(report.get("updatesTotal").asLong()).isEqualTo(1);
  }

  @Test
  void report_everyField_isDocumented() throws Exception {
    event("a", DecisionEvent.Type.PUBLISHED, status(100, 50, 1, 0.5), update(1, 1));
    String page = Files.readString(Path.of("../../docs/report.md"));
    SavedState.Bytes bytes = new SavedState.Bytes(1, 2, 3, 4);
    SavedState saved =
        new SavedState(
            new SavedState.Start("chk-7", 1, 2),
            new SavedState.Checkpoints(1, 0, new SavedState.Seconds(1, 2, 3, 4), bytes, bytes),
            new SavedState.Savepoint(1, 2));
    RunReport.of(view, 1, saved, "ND4J 1.0, 1 threads")
        .properties()
        .forEach(
            field -> {
              assertThat(page).contains("`" + field.getKey());
              field
                  .getValue()
                  .properties()
                  .forEach(
                      inner ->
                          assertThat(page)
                              .as(inner.getKey())
                              .containsIgnoringCase(
                                  inner
                                      .getKey()
                                      .replaceAll("(trainingRuntime|maxHeapBytes)", "heap")));
            });
  }
}
