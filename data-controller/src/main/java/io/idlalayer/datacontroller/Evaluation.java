package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.contribution.ContributionMeter;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.SampleFact;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Turns what an update learned into the new metadata of its samples. Changes none of them.
 *
 * <p>A sample without a finite loss before and after was trained, but not measured: its
 * contribution and its noise streak stay as they were, and among the others it ranks by them and by
 * its loss before, or by the middle of the losses if it has none.
 */
final class Evaluation {
  static final int NOISE_EVALUATIONS = 3;
  private static final double NOISE_QUANTILE = 0.995;

  private final DataSettings.Staging settings;
  private final SampleIndex index;
  private final Staging staging;

  Evaluation(DataSettings.Staging settings, SampleIndex index, Staging staging) {
    this.settings = settings;
    this.index = index;
    this.staging = staging;
  }

  /** New metadata by sample, and who moved. */
  record Outcome(SortedMap<Long, SampleMetadata> metadata, StageReport report) {}

  /** What was measured of the samples of an update, by their place in it. */
  private record Batch(
      SampleMetadata[] old,
      boolean[] measured,
      float[] raw,
      double[] worth,
      double[] losses,
      int[] noise) {
    Batch(int size) {
      this(
          new SampleMetadata[size],
          new boolean[size],
          new float[size],
          new double[size],
          new double[size],
          new int[size]);
    }
  }

  /** Evaluates the samples of one update, which have been {@link #check checked}. */
  Outcome evaluate(Selection selection, List<Contribution> contributions) {
    Batch batch = measure(contributions);
    float[] ranks = ContributionMeter.percentiles(batch.worth());
    float[] lossRanks = ContributionMeter.percentiles(batch.losses());
    double[] facts = new double[SampleFact.COUNT];
    observe(batch, facts);
    float[] scores = new float[ranks.length];
    for (int i = 0; i < scores.length; i++) {
      facts(facts, batch, i, ranks[i], lossRanks[i]);
      scores[i] = (float) staging.scorer().score(facts);
    }
    staging.classifier().observe(scores);
    StageReport report = new StageReport();
    SortedMap<Long, SampleMetadata> result = new TreeMap<>();
    for (int i = 0; i < scores.length; i++) {
      Contribution c = contributions.get(i);
      SampleMetadata old = batch.old()[i];
      if (anew(c.sampleId(), old)) {
        result.put(c.sampleId(), old);
        continue;
      }
      boolean noise = batch.noise()[i] >= NOISE_EVALUATIONS;
      StageEvent event =
          noise
              ? StageEvent.EVALUATED_DISCARD
              : kept(staging.classifier().classify(old.stage(), scores[i]), batch.raw()[i]);
      LifeStage stage = LifeStageMachine.next(old.stage(), event);
      StageMove.Cause cause = noise ? StageMove.Cause.NOISE : StageMove.Cause.SCORE;
      report.add(new StageMove(c.sampleId(), old.stage(), stage, scores[i], batch.raw()[i], cause));
      Measures measures =
          new Measures(
              batch.raw()[i],
              scores[i],
              Float.isFinite(c.lossAfter()) ? c.lossAfter() : Float.NaN,
              Float.isFinite(c.gradientNorm()) ? c.gradientNorm() : Float.NaN,
              batch.measured()[i] ? reducible(old, c) : old.measures().reducibleLoss(),
              ranks[i],
              lossRanks[i]);
      result.put(
          c.sampleId(), old.evaluated(stage, measures, batch.noise()[i], selection.updateNumber()));
    }
    for (long id : selection.passedIds()) {
      result.put(id, passed(id, report));
    }
    return new Outcome(result, report);
  }

  /** Whether its label was taken back while it trained, and maybe another given. */
  private boolean anew(long id, SampleMetadata sample) {
    return !sample.labeled() || !index.inTraining(slot(id));
  }

  private SampleMetadata passed(long id, StageReport report) {
    SampleMetadata old = index.metadata(slot(id));
    if (anew(id, old)) {
      return old;
    }
    LifeStage stage = LifeStageMachine.next(old.stage(), StageEvent.PASSED_OVER);
    report.add(new StageMove(id, old.stage(), stage, 0, 0, StageMove.Cause.KNOWN));
    return old.passedOver(stage);
  }

  private Batch measure(List<Contribution> contributions) {
    Batch batch = new Batch(contributions.size());
    double middle = middle(contributions);
    for (int i = 0; i < batch.old().length; i++) {
      Contribution c = contributions.get(i);
      SampleMetadata old = index.metadata(slot(c.sampleId()));
      float previous = old.measures().contribution();
      boolean measured = Float.isFinite(c.lossBefore()) && Float.isFinite(c.lossAfter());
      batch.old()[i] = old;
      batch.measured()[i] = measured;
      batch.raw()[i] =
          measured
              ? finite(
                  ContributionMeter.raw(
                      settings.contribution(), old.evaluations() == 0, previous, c),
                  previous)
              : previous;
      batch.worth()[i] = ContributionMeter.staged(batch.raw()[i], old.frequency());
      batch.losses()[i] = known(c.lossAfter(), known(c.lossBefore(), middle));
    }
    double outlying = quantile(batch.losses(), NOISE_QUANTILE);
    for (int i = 0; i < batch.old().length; i++) {
      Contribution c = contributions.get(i);
      int streak = batch.old()[i].noiseStreak();
      boolean noGain = c.lossAfter() >= c.lossBefore();
      batch.noise()[i] =
          !batch.measured()[i] ? streak : batch.losses()[i] > outlying && noGain ? streak + 1 : 0;
    }
    return batch;
  }

  private static float finite(float value, float otherwise) {
    return Float.isFinite(value) ? value : otherwise;
  }

  private static double known(float value, double otherwise) {
    return Float.isFinite(value) ? value : otherwise;
  }

  /** The middle of the losses that are known; 0 if none is. */
  private static double middle(List<Contribution> contributions) {
    double[] known =
        contributions.stream()
            .mapToDouble(Contribution::lossAfter)
            .filter(Double::isFinite)
            .toArray();
    return known.length == 0 ? 0 : quantile(known, 0.5);
  }

  private void observe(Batch batch, double[] facts) {
    double[] mean = new double[SampleFact.COUNT];
    for (int i = 0; i < batch.old().length; i++) {
      facts(facts, batch, i, 0.5f, 0.5f);
      for (int j = 0; j < mean.length; j++) {
        mean[j] += facts[j] / batch.old().length;
      }
    }
    staging.scorer().observe(mean);
  }

  private static void facts(double[] facts, Batch batch, int i, float rank, float lossRank) {
    SampleMetadata old = batch.old()[i];
    facts[SampleFact.CONTRIBUTION.at()] = rank;
    facts[SampleFact.LOSS.at()] = lossRank;
    facts[SampleFact.FREQUENCY.at()] = old.frequency();
    facts[SampleFact.TRAININGS.at()] = old.trainings() + 1;
    facts[SampleFact.NOISE.at()] = batch.noise()[i];
    facts[SampleFact.STAGE.at()] = stageCode(old.stage());
    facts[SampleFact.WORTH.at()] = batch.worth()[i];
  }

  /** The facts of a stored sample, as of its last evaluation. */
  static double[] facts(SampleMetadata sample) {
    double[] facts = new double[SampleFact.COUNT];
    facts[SampleFact.CONTRIBUTION.at()] = sample.measures().contributionRank();
    facts[SampleFact.LOSS.at()] = sample.measures().lossRank();
    facts[SampleFact.FREQUENCY.at()] = sample.frequency();
    facts[SampleFact.TRAININGS.at()] = sample.trainings();
    facts[SampleFact.NOISE.at()] = sample.noiseStreak();
    facts[SampleFact.STAGE.at()] = stageCode(sample.stage());
    facts[SampleFact.WORTH.at()] =
        ContributionMeter.staged(sample.measures().contribution(), sample.frequency());
    return facts;
  }

  /** The order of the axis of figure 5.6. */
  private static double stageCode(LifeStage stage) {
    return switch (stage) {
      case DISCARD -> 0;
      case NEWBORN -> 1.0 / 3;
      case MATURE -> 2.0 / 3;
      case PRESERVE -> 1;
    };
  }

  private static float reducible(SampleMetadata old, Contribution c) {
    float now = ContributionMeter.reducible(c);
    float before = old.measures().reducibleLoss();
    return Float.isNaN(now) ? before : ContributionMeter.smoothed(before, now);
  }

  /** With many samples of no gain at all ranks are ties; what gained nothing is not preserved. */
  private StageEvent kept(StageEvent event, float contribution) {
    boolean nothing =
        settings.contribution() == DataSettings.ContributionMode.GAIN
            && settings.score() != DataSettings.Score.RULES
            && contribution == 0;
    return nothing && event == StageEvent.EVALUATED_PRESERVE ? StageEvent.EVALUATED_MATURE : event;
  }

  private static double quantile(double[] losses, double quantile) {
    double[] sorted = losses.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.floor(quantile * (sorted.length - 1))];
  }

  /**
   * Refuses what cannot be evaluated.
   *
   * @throws IllegalArgumentException if a sample of the selection has none or two contributions
   */
  static void check(Selection selection, List<Contribution> contributions) {
    long[] trained = selection.trainedIds();
    if (contributions.size() != trained.length) {
      throw new IllegalArgumentException(
          "update %d trained %d samples but reports %d contributions"
              .formatted(selection.updateNumber(), trained.length, contributions.size()));
    }
    long[] reported = contributions.stream().mapToLong(Contribution::sampleId).sorted().toArray();
    int differs = Arrays.mismatch(trained, reported);
    if (differs >= 0) {
      throw new IllegalArgumentException(
          "update %d reports a contribution of sample %d where sample %d is due"
              .formatted(selection.updateNumber(), reported[differs], trained[differs]));
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
