package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.LearnerSimulation;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.AbsentValues;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator on real keyed state with real training, under Flink's harness and its clock. */
final class LearningFunctionTest {
  @TempDir Path folder;
  private long offset;

  private LearnerHarness harness() throws Exception {
    return harness(DataSettings.defaults());
  }

  private LearnerHarness harness(DataSettings data) throws Exception {
    ApplicationSettings settings =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(20))
                .with(new UpdateSettings.Limits(100, 0, 0)),
            data);
    return new LearnerHarness(settings, folder, HarnessEnvironment.in(folder));
  }

  private Arrival arrival(String key, byte kind) {
    return LearnerHarness.arrival(key, kind, "events", offset++);
  }

  private Arrival sample(String key, float x) {
    Sample sample = Sample.of(new double[] {x}, x > 10 ? 1 : 0);
    return LearnerHarness.arrival(key, "events", offset++, sample);
  }

  /** Lets processing time pass until an event of this type was said. */
  private static DecisionEvent await(LearnerHarness harness, DecisionEvent.Type type) {
    return harness.await(type + " event", event -> event.type() == type);
  }

  @Test
  void snapshot_betweenEventsOfTwoLearners_holdsTheCountsOfBoth() throws Exception {
    OperatorSubtaskState snapshot;
    try (var harness = harness()) {
      harness.open();
      harness.snapshot(1, 1);
      harness.processElement(sample("app/0", 1), 0);
      harness.processElement(sample("app/1", 2), 0);
      harness.snapshot(2, 2);
      harness.processElement(sample("app/0", 3), 0);
      harness.processElement(arrival("app/0", Arrival.MALFORMED), 0);
      harness.processElement(sample("app/1", 4), 0);
      snapshot = harness.snapshot(3, 3);
      // What comes after the snapshot belongs to the same keys as before, and not to the snapshot.
      harness.processElement(sample("app/0", 5), 0);
    }
    try (var harness = harness()) {
      harness.initializeState(snapshot);
      harness.open();
      harness.processElement(sample("app/0", 6), 0);
      harness.processElement(arrival("app/1", Arrival.MALFORMED), 0);
      List<String> continued =
          harness.extractOutputValues().stream()
              .filter(event -> event.type() == DecisionEvent.Type.RESTORED)
              .map(event -> event.learner() + ": " + event.message())
              .toList();
      assertThat(continued)
          .containsExactly("app/0: continues after 3 events", "app/1: continues after 2 events");
    }
  }

  /**
   * Without a training before the first event it would be what a learner assumes of any machine.
   */
  @Test
  void open_trainsMadeUpRows_soTheFirstPredictionIsMeasured() throws Exception {
    try (var harness = harness()) {
      // Loading libraries may take longer than the measurement.
      harness.open();
    }
    try (var harness = harness()) {
      harness.open();
      for (int i = 0; i < 20; i++) {
        harness.processElement(sample("app/0", i), 0);
      }
      DecisionEvent fired = harness.extractOutputValues().get(0);
      assertThat(fired.type()).isEqualTo(DecisionEvent.Type.FIRED);
      assertThat(fired.status().decision().grounds().predicted().mean())
          .isPositive()
          .isNotEqualTo(new TrainingCostModel().estimate().seconds(20));
    }
  }

  @Test
  void restore_snapshotDuringATraining_continues() throws Exception {
    OperatorSubtaskState snapshot;
    try (var harness = harness()) {
      harness.open();
      harness.setProcessingTime(1_000);
      for (int i = 0; i < 20; i++) {
        harness.processElement(sample("app/0", i), 0);
      }
      assertThat(harness.extractOutputValues().get(0).type()).isEqualTo(DecisionEvent.Type.FIRED);
      harness.processElement(sample("app/0", 3), 0);
      harness.processElement(arrival("app/0", Arrival.MALFORMED), 0);
      snapshot = harness.snapshot(1, 1);
    }
    try (var harness = harness()) {
      harness.initializeState(snapshot);
      harness.open();
      // No event comes: the restored timer alone must wake the learner.
      DecisionEvent published = await(harness, DecisionEvent.Type.PUBLISHED);
      assertThat(harness.extractOutputValues().get(0).type())
          .isEqualTo(DecisionEvent.Type.RESTORED);
      assertThat(published.status().samples().received()).isEqualTo(22);
      assertThat(published.status().samples().stored()).isEqualTo(21);
      assertThat(published.status().samples().malformed()).isEqualTo(1);
      assertThat(published.status().trainedNewSamples()).isEqualTo(20);
      assertThat(harness.getSideOutput(LearningFunction.NOTICES)).hasSize(1);
      Arrival end = arrival("app/0", Arrival.END);
      end.text = "1";
      harness.processElement(end, 0);
      Status.Input input = await(harness, DecisionEvent.Type.FINISHED).status().input();
      assertThat(input.ends()).containsExactly("1");
      assertThat(input.run()).as("the job says who it is").isNotEmpty();
    }
    assertThat(new ModelStore(folder.resolve("models"), InstantSource.system()).current("app", 0))
        .isPresent();
  }

  @Test
  void label_whoseEventDoesNotCome_isADeadLetterWithItsEvent() throws Exception {
    OperatorSubtaskState snapshot;
    try (var harness = harness()) {
      harness.open();
      Arrival label = LearnerHarness.arrival("app/0", "events", offset++, Sample.labelOf("e1", 1));
      label.origin = "in.jsonl:7";
      label.event = new byte[] {1, 2, 3};
      label.length = 3;
      harness.processElement(label, 0);
      snapshot = harness.snapshot(1, 1);
      assertThat(harness.getSideOutput(LearningFunction.REFUSED)).isNull();
    }
    try (var harness = harness(DataSettings.defaults().withLabelWait(1))) {
      harness.initializeState(snapshot);
      harness.open();
      Arrival end = arrival("app/0", Arrival.END);
      end.text = "1";
      harness.processElement(end, 0);
      Status status = await(harness, DecisionEvent.Type.FINISHED).status();
      assertThat(status.samples().labelsGivenUp()).isEqualTo(1);
      assertThat(harness.getSideOutput(LearningFunction.REFUSED))
          .extracting(StreamRecord::getValue)
          .singleElement()
          .usingRecursiveComparison()
          .isEqualTo(
              new DeadLetter(
                  "app",
                  "events",
                  0,
                  0,
                  "id: no event with the id 'e1' came for its label '1' within 0.001 s"
                      + " (selection.label-wait)",
                  "in.jsonl:7",
                  new byte[] {1, 2, 3},
                  3));
    }
  }

  @Test
  void part_ofWhichNothingIsStored_isADeadLetterWithItsEvent() throws Exception {
    try (var harness = harness()) {
      harness.open();
      BitSet first = new BitSet();
      first.set(0);
      Arrival part =
          LearnerHarness.arrival(
              "app/0",
              "events",
              offset++,
              new Sample(
                  "e1",
                  new double[] {Float.NaN},
                  new int[0],
                  IdLists.NONE,
                  1,
                  AbsentValues.of(first, first)));
      part.origin = "in.jsonl:7";
      part.event = new byte[] {1, 2, 3};
      part.length = 3;
      harness.processElement(part, 0);
      harness.processElement(
          LearnerHarness.arrival(
              "app/0",
              "events",
              offset++,
              new Sample("e1", new double[] {1}, new int[0], Sample.NO_LABEL)),
          0);
      part.offset = offset++;
      harness.processElement(part, 0);

      assertThat(harness.getSideOutput(LearningFunction.REFUSED))
          .extracting(StreamRecord::getValue)
          .singleElement()
          .usingRecursiveComparison()
          .isEqualTo(
              new DeadLetter(
                  "app",
                  "events",
                  0,
                  0,
                  "x: missing, and no earlier event with its id has it",
                  "in.jsonl:7",
                  new byte[] {1, 2, 3},
                  3));
      Arrival end = arrival("app/0", Arrival.END);
      end.text = "1";
      harness.processElement(end, 0);
      Status status = await(harness, DecisionEvent.Type.FINISHED).status();
      assertThat(status.samples().malformed()).isEqualTo(1);
      assertThat(status.samples().joined()).isEqualTo(1);
      assertThat(status.samples().accounted(status.trainedNewSamples())).isEqualTo(3);
    }
  }
}
