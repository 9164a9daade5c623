package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.ArrivalOutcome.Fate;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WeightsTest {
  private final SampleCodec codec = new SampleCodec();
  private final InMemorySampleStore store = new InMemorySampleStore();
  private DataController controller = open(Double.NaN);

  private DataController open(double defaultWeight) {
    return new DataController(DataSettings.defaults().withDefaultWeight(defaultWeight), store, 1);
  }

  private ArrivalOutcome arrive(Sample sample) {
    return controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), 1);
  }

  private static Sample event(String id, double x, double label, double weight) {
    return new Sample(id, new double[] {x}, new int[0], label).withWeight(weight);
  }

  private List<Double> trainedWeights() {
    return controller
        .begin(controller.select(1, controller.waiting().size()))
        .load(codec::decode)
        .rows()
        .stream()
        .map(TrainingRow::sample)
        .map(Sample::weight)
        .toList();
  }

  private void train(long update) {
    Selection selection = controller.select(update, controller.waiting().size());
    controller
        .begin(selection)
        .accept(
            Arrays.stream(selection.trainedIds())
                .mapToObj(id -> new Contribution(id, 1, 0.5f))
                .toList(),
            1);
  }

  @Test
  void select_samplesOfWeightZero_arePassedOverAndNeverReplayed() {
    arrive(event("", 1, 0, 2));
    long nothing = arrive(event("", 2, 0, 0)).sampleId();
    arrive(event("", 3, 0, 0.5));
    Selection selection = controller.select(1, 3);
    assertThat(selection.newIds()).hasSize(3);
    assertThat(selection.passedIds()).containsExactly(nothing);
    train(1);
    assertThat(controller.waiting().size()).isZero();
    assertThat(controller.samples().explain(nothing).orElseThrow().stage())
        .isEqualTo(LifeStage.DISCARD);
    assertThat(controller.upcoming(2)).hasSize(2).doesNotContain(nothing);
  }

  @Test
  void select_onlyWeightZero_leavesOneSoThatTheUpdateHasARow() {
    arrive(event("", 1, 0, 0));
    arrive(event("", 2, 0, 0));
    assertThat(controller.select(1, 2).trainedIds()).hasSize(1);
    train(1);
    assertThat(controller.usage().stages().discard()).isEqualTo(2);
    assertThat(controller.upcoming(2)).as("replayed").isEmpty();
  }

  @Test
  void select_weightZeroAfterARestart_isPassedOverAgain() {
    arrive(event("", 1, 0, 1));
    long nothing = arrive(event("", 2, 0, 0)).sampleId();
    byte[] snapshot = controller.snapshot();
    controller = open(Double.NaN);
    controller.restore(snapshot);
    controller.rebuild(samples -> {});
    assertThat(controller.select(1, 2).passedIds()).containsExactly(nothing);
  }

  @Test
  void arrive_weightWithTheLabel_joinsTheEvent() {
    assertThat(arrive(event("e", 1, Sample.NO_LABEL, Sample.NO_WEIGHT)).fate())
        .isEqualTo(Fate.UNLABELED);
    assertThat(arrive(Sample.labelOf("e", 1).withWeight(3)).fate()).isEqualTo(Fate.LABEL_JOINED);
    assertThat(trainedWeights()).containsExactly(3.0);
  }

  @Test
  void arrive_weightBeforeTheLabel_isKept() {
    arrive(event("e", 1, Sample.NO_LABEL, 3));
    arrive(Sample.labelOf("e", 1).withWeight(Sample.NO_WEIGHT));
    arrive(event("e", 1, 1, Sample.NO_WEIGHT));
    assertThat(trainedWeights()).containsExactly(3.0);
  }

  @Test
  void arrive_labelledEventsWithoutAnyWeight_areIncomplete() {
    assertThat(arrive(event("a", 1, 1, Sample.NO_WEIGHT)).fate()).isEqualTo(Fate.INCOMPLETE);
    arrive(event("b", 1, Sample.NO_LABEL, Sample.NO_WEIGHT));
    assertThat(arrive(Sample.labelOf("b", 1).withWeight(Sample.NO_WEIGHT)).fate())
        .isEqualTo(Fate.INCOMPLETE);
    arrive(Sample.labelOf("c", 1).withWeight(Sample.NO_WEIGHT));
    assertThat(arrive(event("c", 1, Sample.NO_LABEL, Sample.NO_WEIGHT)).fate())
        .isEqualTo(Fate.INCOMPLETE);
    assertThat(controller.waiting().size()).isZero();
  }

  @Test
  void arrive_withADefault_takesItOnceTheSampleIsWhole() {
    controller = open(0.25);
    arrive(event("a", 1, 1, Sample.NO_WEIGHT));
    assertThat(arrive(event("a", 1, 1, Sample.NO_WEIGHT)).fate()).isEqualTo(Fate.DUPLICATE);
    arrive(event("b", 2, Sample.NO_LABEL, Sample.NO_WEIGHT));
    arrive(Sample.labelOf("b", 1).withWeight(Sample.NO_WEIGHT));
    arrive(event("c", 3, Sample.NO_LABEL, 4));
    arrive(Sample.labelOf("c", 1).withWeight(Sample.NO_WEIGHT));
    assertThat(trainedWeights()).containsExactlyInAnyOrder(0.25, 0.25, 4.0);
  }

  @Test
  void arrive_anotherWeightOfATrainedEvent_correctsIt() {
    arrive(event("e", 1, 1, 2));
    assertThat(arrive(event("e", 1, 1, 2)).fate()).isEqualTo(Fate.DUPLICATE);
    train(1);
    assertThat(arrive(event("e", 1, 1, 5)).fate()).isEqualTo(Fate.CORRECTED);
    assertThat(trainedWeights()).containsExactly(5.0);
  }
}
