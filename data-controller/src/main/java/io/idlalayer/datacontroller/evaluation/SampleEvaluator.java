package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.SampleFact;
import io.idlalayer.datacontroller.stage.StageAssignment;
import io.idlalayer.datacontroller.stage.StageClassifier;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLifecycle;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.List;

/**
 * Evaluates the samples of each update: how much the update learned from them, their scores and
 * their new stages. This class only decides; it changes no sample. Confined to one thread.
 *
 * <p>If the loss of a sample before or after the training is not finite, the sample counts as
 * trained but not measured. Its contribution and its noise streak do not change. The sample is
 * ranked by its old contribution and by its loss before the training or, if this loss is missing,
 * by the median of the losses.
 */
public final class SampleEvaluator {
  private static final StateFormat FORMAT = StateFormat.first("sample evaluation");
  private static final int NOISE_EVALUATIONS = 3;
  private static final double NOISE_QUANTILE = 0.995;

  private final DataSettings.Staging settings;
  private final SampleIndex index;
  private final Ageing ageing;
  private final WindowQuality window = new WindowQuality();
  private StageAssignment assignment;

  /**
   * @throws IllegalArgumentException with every problem of the rules in the settings
   */
  public SampleEvaluator(DataSettings.Staging settings, SampleIndex index) {
    this.settings = settings;
    this.index = index;
    ageing = new Ageing(settings.maxAgeUpdates(), index);
    try {
      assignment = StageAssignment.of(settings);
    } catch (FclException wrong) {
      throw new IllegalArgumentException(wrong.getMessage(), wrong);
    }
  }

  /**
   * Replaces the FCL rules by which samples are scored from now on.
   *
   * @throws FclException with every problem of the rules; the old rules then remain
   */
  public void useRules(String name, String source) throws FclException {
    assignment =
        StageAssignment.of(
            new DataSettings.Staging(
                settings.contribution(),
                settings.score(),
                source,
                name,
                settings.engine(),
                settings.maxAgeUpdates()));
  }

  /** Records the prequential loss of a new sample, which must be finite. */
  public void scored(float loss) {
    window.add(loss);
  }

  /**
   * Returns by how much the model's quality rose with the previous update; NaN if it is unknown.
   */
  public double qualityGain() {
    return window.gain();
  }

  /** Returns the duration of the previous update's training in seconds. */
  public double lastTrainSeconds() {
    return window.trainSeconds();
  }

  /**
   * The result of evaluating the samples of an update.
   *
   * @param metadata new metadata of the update's samples
   * @param agedSlots slots of samples that go one stage down because no update trained them for a
   *     long time
   * @param report the moves of all these samples
   */
  public record Outcome(MetadataBatch metadata, int[] agedSlots, StageReport report) {}

  /** The measurements of an update's samples, indexed by their position in the update. */
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

  /**
   * Evaluates the samples of one update while they are marked as being in training.
   *
   * @param contributions one for each sample that was trained, {@link #check checked}
   */
  public Outcome evaluate(
      Selection selection, List<Contribution> contributions, double trainSeconds) {
    assignment.scorer().quality(window.mean());
    StageReport report = new StageReport();
    MetadataBatch metadata = evaluated(selection, contributions, report);
    window.next(trainSeconds);
    int[] agedSlots = ageing.due(selection.updateNumber());
    for (int slot : agedSlots) {
      LifeStage stage = index.stage(slot);
      report.add(
          new StageMove(
              index.id(slot),
              stage,
              LifeStageMachine.next(stage, StageEvent.AGED),
              index.score(slot),
              index.contribution(slot),
              StageMove.Cause.AGE));
    }
    return new Outcome(metadata, agedSlots, report);
  }

  private MetadataBatch evaluated(
      Selection selection, List<Contribution> contributions, StageReport report) {
    if (contributions.isEmpty()) {
      // All trained samples were deleted in the meantime.
      MetadataBatch result = new MetadataBatch(selection.passedIds().length);
      pass(selection, report, result);
      return result;
    }
    Batch batch = measure(contributions);
    float[] ranks = ranks(batch.worth());
    float[] lossRanks = ranks(batch.losses());
    double[] facts = new double[SampleFact.COUNT];
    observe(batch, facts);
    float[] scores = new float[ranks.length];
    for (int i = 0; i < scores.length; i++) {
      facts(facts, batch, i, ranks[i], lossRanks[i]);
      scores[i] = (float) assignment.scorer().score(facts);
    }
    StageClassifier classifier = assignment.classifier();
    classifier.observe(scores);
    MetadataBatch result = new MetadataBatch(scores.length + selection.passedIds().length);
    for (int i = 0; i < scores.length; i++) {
      Contribution c = contributions.get(i);
      SampleMetadata old = batch.old()[i];
      if (anew(c.sampleId(), old)) {
        result.put(c.sampleId(), old);
        continue;
      }
      if (old.identity().weightless()) {
        result.put(c.sampleId(), passed(c.sampleId(), report));
        continue;
      }
      boolean noise = batch.noise()[i] >= NOISE_EVALUATIONS;
      StageEvent event =
          noise
              ? StageEvent.EVALUATED_DISCARD
              : kept(classifier.classify(old.stage(), scores[i]), batch.raw()[i]);
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
    pass(selection, report, result);
    return result;
  }

  private void pass(Selection selection, StageReport report, MetadataBatch result) {
    for (long id : selection.passedIds()) {
      result.put(id, passed(id, report));
    }
  }

  /**
   * Returns the ranks of values among the samples of the update; if no score uses ranks, all get
   * the middle rank.
   */
  private float[] ranks(double[] values) {
    if (ranked()) {
      return ContributionMeter.percentiles(values);
    }
    float[] ranks = new float[values.length];
    Arrays.fill(ranks, ContributionMeter.MIDDLE);
    return ranks;
  }

  private boolean ranked() {
    return settings.score() != DataSettings.Score.FREQUENCY;
  }

  /**
   * Returns whether the label of a sample was taken back during the training, even if the sample
   * got another label since.
   */
  private boolean anew(long id, SampleMetadata sample) {
    return !sample.labeled() || !index.inTraining(index.require(id));
  }

  private SampleMetadata passed(long id, StageReport report) {
    SampleMetadata old = index.metadata(index.require(id));
    if (anew(id, old)) {
      return old;
    }
    LifeStage stage = LifeStageMachine.next(old.stage(), StageEvent.PASSED_OVER);
    StageMove.Cause cause =
        old.identity().weightless() ? StageMove.Cause.WEIGHTLESS : StageMove.Cause.KNOWN;
    report.add(new StageMove(id, old.stage(), stage, 0, 0, cause));
    return old.passedOver(stage);
  }

  private Batch measure(List<Contribution> contributions) {
    Batch batch = new Batch(contributions.size());
    double middle = middle(contributions);
    for (int i = 0; i < batch.old().length; i++) {
      Contribution c = contributions.get(i);
      SampleMetadata old = counted(index.require(c.sampleId()));
      float previous = old.measures().contribution();
      boolean measured = Float.isFinite(c.lossBefore()) && Float.isFinite(c.lossAfter());
      batch.old()[i] = old;
      batch.measured()[i] = measured;
      batch.raw()[i] =
          measured
              ? finite(
                  ContributionMeter.raw(
                      settings.contribution(), old.lifecycle().evaluations() == 0, previous, c),
                  previous)
              : previous;
      batch.worth()[i] = ContributionMeter.staged(batch.raw()[i], old.lifecycle().frequency());
      batch.losses()[i] = known(c.lossAfter(), known(c.lossBefore(), middle));
    }
    double outlying = quantile(batch.losses(), NOISE_QUANTILE);
    for (int i = 0; i < batch.old().length; i++) {
      Contribution c = contributions.get(i);
      int streak = batch.old()[i].lifecycle().noiseStreak();
      boolean noGain = c.lossAfter() >= c.lossBefore();
      batch.noise()[i] =
          !batch.measured()[i] ? streak : batch.losses()[i] > outlying && noGain ? streak + 1 : 0;
    }
    return batch;
  }

  /** Returns the metadata of a sample, with the present frequency of its content. */
  private SampleMetadata counted(int slot) {
    return index.metadata(slot).arrived(index.arrivals(slot));
  }

  private static float finite(float value, float otherwise) {
    return Float.isFinite(value) ? value : otherwise;
  }

  private static double known(float value, double otherwise) {
    return Float.isFinite(value) ? value : otherwise;
  }

  /** Returns the median of the known losses; 0 if none is known. */
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
    assignment.scorer().observe(mean);
  }

  private static void facts(double[] facts, Batch batch, int i, float rank, float lossRank) {
    SampleMetadata old = batch.old()[i];
    facts[SampleFact.CONTRIBUTION.at()] = rank;
    facts[SampleFact.LOSS.at()] = lossRank;
    facts[SampleFact.FREQUENCY.at()] = old.lifecycle().frequency();
    facts[SampleFact.TRAININGS.at()] = old.lifecycle().trainings() + 1;
    facts[SampleFact.NOISE.at()] = batch.noise()[i];
    facts[SampleFact.STAGE.at()] = stageCode(old.stage());
    facts[SampleFact.WORTH.at()] = batch.worth()[i];
  }

  /**
   * Returns the facts about a stored sample, as of its last evaluation, from which its score is
   * computed.
   */
  static double[] facts(SampleMetadata sample) {
    SampleLifecycle life = sample.lifecycle();
    double[] facts = new double[SampleFact.COUNT];
    facts[SampleFact.CONTRIBUTION.at()] = sample.measures().contributionRank();
    facts[SampleFact.LOSS.at()] = sample.measures().lossRank();
    facts[SampleFact.FREQUENCY.at()] = life.frequency();
    facts[SampleFact.TRAININGS.at()] = life.trainings();
    facts[SampleFact.NOISE.at()] = life.noiseStreak();
    facts[SampleFact.STAGE.at()] = stageCode(sample.stage());
    facts[SampleFact.WORTH.at()] =
        ContributionMeter.staged(sample.measures().contribution(), life.frequency());
    return facts;
  }

  /**
   * Returns the number of a stage as a fact, in the order of the axis of figure 5.6 (Rang 2021).
   */
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

  /**
   * Returns the event for a sample that is not discarded. If many samples have no gain, their ranks
   * are equal and can be high, so a sample without gain never becomes Preserve.
   */
  private StageEvent kept(StageEvent event, float contribution) {
    boolean nothing =
        settings.contribution() == DataSettings.ContributionMode.GAIN
            && byContribution()
            && contribution == 0;
    return nothing && event == StageEvent.EVALUATED_PRESERVE ? StageEvent.EVALUATED_MATURE : event;
  }

  private boolean byContribution() {
    return switch (settings.score()) {
      case CONTRIBUTION, FITTED -> true;
      case RULES, FREQUENCY -> false;
    };
  }

  private static double quantile(double[] losses, double quantile) {
    double[] sorted = losses.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.floor(quantile * (sorted.length - 1))];
  }

  /**
   * Throws if the contributions do not fit the samples of the selection.
   *
   * @throws IllegalArgumentException if a sample of the selection has none or two contributions
   */
  public static void check(Selection selection, List<Contribution> contributions) {
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
          "update %d reports a contribution of sample %d where one of sample %d is expected"
              .formatted(selection.updateNumber(), reported[differs], trained[differs]));
    }
  }

  /** Explains why a stored sample has its stage. */
  public SampleExplanation explain(int slot) {
    return SampleExplanation.of(
        index.id(slot), index.metadata(slot), assignment.scorer(), ranked());
  }

  /** Returns the evaluator's state as versioned bytes. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putBytes(1, assignment.classifier().snapshot())
        .putBytes(2, assignment.scorer().snapshot())
        .putBytes(3, window.snapshot())
        .bytes();
  }

  /**
   * Restores the state of a {@link #snapshot()}; the state of a score that the settings do not use
   * is skipped.
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    byte[] classifier = in.getBytes(1);
    if (classifier.length > 0) {
      assignment.classifier().restore(classifier);
    }
    assignment.scorer().restore(in.getBytes(2));
    window.restore(in.getBytes(3));
  }
}
