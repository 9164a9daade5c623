package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.contribution.ContributionMeter;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageClassifier;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Turns what an update learned into the new metadata of its samples. Changes nothing itself. */
final class Evaluation {
  static final int NOISE_EVALUATIONS = 3;
  private static final double NOISE_QUANTILE = 0.995;

  private final DataSettings settings;
  private final SampleIndex index;
  private final StageClassifier classifier;

  Evaluation(DataSettings settings, SampleIndex index, StageClassifier classifier) {
    this.settings = settings;
    this.index = index;
    this.classifier = classifier;
  }

  /**
   * Evaluates the samples of one update.
   *
   * @throws IllegalArgumentException if a sample of the selection has none or two contributions, or
   *     naming a sample whose losses are not finite
   */
  SortedMap<Long, SampleMetadata> evaluate(Selection selection, List<Contribution> contributions) {
    check(selection, contributions);
    int n = contributions.size();
    SampleMetadata[] old = new SampleMetadata[n];
    float[] raw = new float[n];
    double[] staged = new double[n];
    double[] losses = new double[n];
    for (int i = 0; i < n; i++) {
      Contribution c = contributions.get(i);
      check(c);
      old[i] = index.metadata(slot(c.sampleId()));
      raw[i] =
          ContributionMeter.raw(
              settings.contribution(),
              old[i].evaluations() == 0,
              old[i].contribution(),
              c.lossBefore(),
              c.lossAfter());
      staged[i] = ContributionMeter.staged(raw[i], old[i].frequency());
      losses[i] = c.lossAfter();
    }
    float[] scores = ContributionMeter.percentiles(staged);
    classifier.observe(scores);
    double outlying = quantile(losses);
    SortedMap<Long, SampleMetadata> result = new TreeMap<>();
    for (int i = 0; i < n; i++) {
      Contribution c = contributions.get(i);
      boolean noGain = c.lossAfter() >= c.lossBefore();
      int noise = losses[i] > outlying && noGain ? old[i].noiseStreak() + 1 : 0;
      StageEvent event =
          noise >= NOISE_EVALUATIONS
              ? StageEvent.EVALUATED_DISCARD
              : kept(classifier.classify(old[i].stage(), scores[i]), raw[i]);
      LifeStage stage = LifeStageMachine.next(old[i].stage(), event);
      Measured measured = new Measured(raw[i], scores[i], c.lossAfter(), noise);
      result.put(c.sampleId(), evaluated(old[i], stage, measured));
    }
    return result;
  }

  /** With many samples of no gain at all ranks are ties; what gained nothing is not preserved. */
  private StageEvent kept(StageEvent event, float contribution) {
    boolean nothing =
        settings.contribution() == DataSettings.ContributionMode.GAIN && contribution == 0;
    return nothing && event == StageEvent.EVALUATED_PRESERVE ? StageEvent.EVALUATED_MATURE : event;
  }

  private record Measured(float contribution, float score, float loss, int noiseStreak) {}

  private static SampleMetadata evaluated(SampleMetadata old, LifeStage stage, Measured measured) {
    return new SampleMetadata(
        old.contentHash(),
        old.idHash(),
        stage,
        old.frequency(),
        measured.contribution(),
        measured.score(),
        measured.loss(),
        old.evaluations() + 1,
        old.trainings() + 1,
        measured.noiseStreak(),
        old.arrivedAtMillis(),
        old.payloadBytes(),
        old.labeled());
  }

  private static double quantile(double[] losses) {
    double[] sorted = losses.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(NOISE_QUANTILE * sorted.length))];
  }

  private static void check(Selection selection, List<Contribution> contributions) {
    if (contributions.size() != selection.size()) {
      throw new IllegalArgumentException(
          "update %d trained %d samples but reports %d contributions"
              .formatted(selection.updateNumber(), selection.size(), contributions.size()));
    }
    long[] reported = contributions.stream().mapToLong(Contribution::sampleId).sorted().toArray();
    int differs = Arrays.mismatch(selection.ids(), reported);
    if (differs >= 0) {
      throw new IllegalArgumentException(
          "update %d reports a contribution of sample %d where sample %d is due"
              .formatted(selection.updateNumber(), reported[differs], selection.ids()[differs]));
    }
  }

  private static void check(Contribution c) {
    if (!Float.isFinite(c.lossBefore()) || !Float.isFinite(c.lossAfter())) {
      throw new IllegalArgumentException(
          "sample %d has loss %s before and %s after its training; both must be finite"
              .formatted(c.sampleId(), c.lossBefore(), c.lossAfter()));
    }
  }

  private int slot(long sampleId) {
    int slot = index.slotOf(sampleId);
    if (slot == SampleIndex.ABSENT) {
      throw new IllegalStateException("sample " + sampleId + " was trained but is not stored");
    }
    return slot;
  }
}
