package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.intake.StoredLabels;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.predictions.PredictedEvent;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Compares the product's learner with the {@link ReferenceLearner}. */
final class ReferenceComparison {
  private static final double TOLERANCE = 1e-9;

  private final ReferenceForm form;
  private final JsonSampleDecoder decoder;
  private final SampleCodec codec = new SampleCodec();

  /**
   * @param decoder tells the bucket of a category
   */
  ReferenceComparison(ReferenceForm form, JsonSampleDecoder decoder) {
    this.form = form;
    this.decoder = decoder;
  }

  /**
   * All counts agree, and with them the balance.
   *
   * @param idle whether no update runs; what it trains on is pending for the reference only
   */
  void compareCounts(ReferenceLearner reference, Status status, boolean idle, String history) {
    Status.Samples found = status.samples();
    ReferenceLearner.Counts expected = reference.counts();
    ReferenceLearner.Counts counts =
        new ReferenceLearner.Counts(
            found.received(),
            found.malformed(),
            found.unlabeled(),
            found.duplicates(),
            found.merged(),
            found.labelsGivenUp(),
            found.labelsWaiting(),
            idle ? status.decision().pending() : expected.pending(),
            found.quarantined(),
            status.trainedNewSamples(),
            found.passedOver(),
            found.changed(),
            found.joined(),
            found.revived(),
            found.stored(),
            found.evicted());
    assertThat(counts).as(history).isEqualTo(expected);
    if (idle) {
      assertThat(expected.accounted()).as(history).isEqualTo(expected.received());
    }
  }

  /** The learner has refused the same events for the same reasons. */
  void compareLetters(ReferenceLearner reference, List<DeadLetter> letters, String history) {
    List<ReferenceLearner.Refused> expected = reference.refused();
    assertThat(letters).as(history).hasSameSizeAs(expected);
    for (int i = 0; i < letters.size(); i++) {
      assertThat(letters.get(i).offset()).as(history).isEqualTo(expected.get(i).offset());
      assertThat(letters.get(i).reason()).as(history).contains(expected.get(i).what());
    }
  }

  /**
   * An update has trained each sample that it began with, as it was then, except for culprits and
   * samples without weight; and has trained again what was trained before.
   *
   * @param replayable what could be trained again when it began
   */
  void compareTraining(
      Map<Long, ReferenceSample> began, Map<Long, String> replayable, List<TrainingRow> rows) {
    Map<Long, String> expected = new TreeMap<>();
    boolean anyWeight = began.values().stream().anyMatch(each -> !each.weightless());
    began.forEach(
        (number, sample) -> {
          if (!sample.culprit() && !(sample.weightless() && anyWeight)) {
            expected.put(number, shown(sample));
          }
        });
    Map<Long, String> fresh = new TreeMap<>();
    for (TrainingRow row : rows) {
      if (row.fresh()) {
        fresh.put(row.sampleId(), shown(row.sampleId(), row.sample()));
      } else {
        ReferenceSample justTrained = began.get(row.sampleId());
        assertThat(shown(row.sampleId(), row.sample()))
            .as("trained again")
            .isEqualTo(justTrained == null ? replayable.get(row.sampleId()) : shown(justTrained));
      }
    }
    if (anyWeight || began.isEmpty()) {
      assertThat(fresh).isEqualTo(expected);
    } else {
      assertThat(fresh).as("one of %s", expected).hasSize(1);
      assertThat(expected).containsAllEntriesOf(fresh);
    }
  }

  /** Returns what can be trained again now, by the numbers of the samples. */
  Map<Long, String> replayable(ReferenceLearner reference) {
    Map<Long, String> all = new TreeMap<>();
    for (ReferenceSample each : reference.samples()) {
      if (each.stage == ReferenceSample.Stage.TRAINED && !each.weightless()) {
        all.put(each.number, shown(each));
      }
    }
    return all;
  }

  /** What is stored, with its stage, and how often each sample was trained as new. */
  void compareStored(ReferenceLearner reference, LearnerState state)
      throws MalformedSampleException {
    SampleStore store = state.samples();
    Map<Long, SampleMetadata> all = new TreeMap<>();
    store.forEachMetadata(all::put);
    Map<Long, String> found = new TreeMap<>();
    for (Map.Entry<Long, SampleMetadata> each : all.entrySet()) {
      byte[] payload = store.payloads(new long[] {each.getKey()}).get(0);
      SampleMetadata metadata = each.getValue();
      boolean early = metadata.identity().labelOnly();
      Sample sample = codec.decode(early ? StoredLabels.sample(payload) : payload);
      boolean labelled = early || metadata.labeled();
      String shown = shown(each.getKey(), labelled ? sample : sample.withLabel(Sample.NO_LABEL));
      found.put(each.getKey(), metadata.stage() + " " + shown);
    }
    Map<Long, String> expected = new TreeMap<>();
    for (ReferenceSample each : reference.samples()) {
      expected.put(each.number, stage(each) + " " + shown(each));
    }
    assertThat(found).isEqualTo(expected);
    Map<Long, Integer> trainings = new TreeMap<>();
    AcceptedModel model = LearnerWorld.accepted(state);
    if (model != null) {
      FakeLineageTrainer.read(model.artifact()).forEach(id -> trainings.merge(id, 1, Integer::sum));
    }
    assertThat(trainings).isEqualTo(reference.trainings());
  }

  /** The stage by frequency: what came again is Preserve when an update trains it. */
  private static LifeStage stage(ReferenceSample sample) {
    return switch (sample.stage) {
      case WAITS -> LifeStage.NEWBORN;
      case TRAINED -> sample.frequency > 1 ? LifeStage.PRESERVE : LifeStage.MATURE;
      case PASSED_OVER, QUARANTINED -> LifeStage.DISCARD;
    };
  }

  /** Each labelled event was tested once, with its label and weight; so base rates agree. */
  void compareLabels(
      ReferenceLearner reference, List<PredictedEvent> rows, PrequentialSummary summary) {
    List<ReferenceLearner.Labelled> found = new ArrayList<>();
    for (PredictedEvent row : rows) {
      found.add(new ReferenceLearner.Labelled(row.offset(), row.id(), row.label(), row.weight()));
    }
    assertThat(found).isEqualTo(reference.labelled());
    double[] weights = new double[2];
    for (int i = 0; i < rows.size(); i++) {
      if (rows.get(i).reason().isEmpty() && !form.targets()) {
        weights[(int) reference.labelled().get(i).label()] += reference.labelled().get(i).weight();
      }
    }
    double all = weights[0] + weights[1];
    if (all > 0) {
      assertThat(baseRateLogLoss(summary))
          .isCloseTo(entropy(weights[0] / all) + entropy(weights[1] / all), within(TOLERANCE));
    }
  }

  private static double baseRateLogLoss(PrequentialSummary summary) {
    return Objects.requireNonNull(Objects.requireNonNull(summary.classification()).metrics())
        .baseRateLogLoss();
  }

  private static double entropy(double share) {
    return share == 0 ? 0 : -share * Math.log(share);
  }

  private String shown(ReferenceSample sample) {
    Map<String, String> features = new LinkedHashMap<>();
    sample.features.forEach(
        (name, value) ->
            features.put(name, name.equals("site") ? "\"" + value + "\"" : "" + value));
    ReferenceEvent whole =
        new ReferenceEvent(
            sample.id,
            features,
            sample.label == null ? null : "" + sample.label,
            form.weighted() && sample.weight != null ? "" + sample.weight : null,
            false);
    try {
      return shown(sample.number, decoder.decode(whole.json().getBytes(StandardCharsets.UTF_8)));
    } catch (MalformedSampleException malformed) {
      throw new IllegalStateException(whole.json(), malformed);
    }
  }

  /** Without a label and an id, nothing ever asks for the weight. */
  private static String shown(long number, Sample sample) {
    boolean weighs = sample.labeled() || !sample.id().isEmpty();
    return "%d '%s' %s %s label %s weight %s"
        .formatted(
            number,
            sample.id(),
            Arrays.toString(sample.dense()),
            Arrays.toString(sample.categorical()),
            sample.label(),
            weighs ? sample.weight() : "");
  }
}
