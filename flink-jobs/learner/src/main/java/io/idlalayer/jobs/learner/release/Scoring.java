package io.idlalayer.jobs.learner.release;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.api.WaitingSamples;
import io.idlalayer.jobs.learner.comparison.VersionComparison;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.predictions.PredictionLog;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Does the test-then-train evaluation: collects new samples into micro-batches for the scorer
 * thread and counts the scores. Batches and model swaps pass through one queue in order, so no
 * sample is scored by a model that was trained on it.
 */
public final class Scoring implements AutoCloseable {
  static final int MICRO_BATCH = 256;
  private static final int MOST_TRUSTED_IN_FLIGHT = 2;

  private final PrequentialScorer scorer;
  private final PrequentialEvaluator evaluator;
  private final References references;
  private final PrequentialEvaluator withoutContext;
  private final VersionComparison comparison;
  private final DataController data;
  private final SampleCodec codec = new SampleCodec();
  private final long[] ids = new long[MICRO_BATCH];
  private final double[] noChange = new double[MICRO_BATCH];
  private final double[] majority = new double[MICRO_BATCH];
  private List<Sample> samples = new ArrayList<>(MICRO_BATCH);
  private final DriftUrgency quality;
  private final @Nullable RowTables rows;
  private final ReleaseGate gate;
  private final AwaitedPredictions predictions;
  private List<Sample> trusted;

  /**
   * Index of the first trusted sample that was not passed to the scorer yet; the number of trusted
   * samples if all were.
   */
  private int nextTrusted;

  /** Number of new samples whose scores the scorer has not returned yet. */
  private int awaited;

  private boolean serving;
  private long servingUpdate;
  private boolean urgencyChanged;

  /**
   * The components that count the scores of new samples.
   *
   * @param withoutContext counts the scores that the model would have without contexts
   * @param comparison has some of the samples scored by older versions too
   */
  public record Counted(
      PrequentialEvaluator evaluator,
      References references,
      PrequentialEvaluator withoutContext,
      VersionComparison comparison) {}

  public Scoring(
      PrequentialScorer scorer,
      Counted counted,
      DataController data,
      DriftUrgency quality,
      @Nullable RowTables rows,
      ReleaseGate gate,
      List<Sample> trusted,
      PredictionLog log) {
    this.gate = gate;
    predictions = new AwaitedPredictions(log);
    this.trusted = List.copyOf(trusted);
    nextTrusted = this.trusted.size();
    this.scorer = scorer;
    evaluator = counted.evaluator();
    references = counted.references();
    withoutContext = counted.withoutContext();
    comparison = counted.comparison();
    this.data = data;
    this.quality = quality;
    this.rows = rows;
  }

  /**
   * Sets the model that scores the following samples. The collected samples must be flushed before
   * the rows of its tables change.
   *
   * @param update number of the update that trained the model
   */
  void serve(ModelArtifact artifact, long update) {
    flush();
    servingUpdate = update;
    scorer.serve(artifact, gate.rival());
    serving = true;
  }

  /**
   * Makes the network with which the learner began score the following samples. No training of this
   * network was accepted yet.
   */
  public void begin(ModelArtifact artifact) {
    serve(artifact, 0);
  }

  /**
   * Stops testing older versions, because they have learned from samples that the model has
   * forgotten.
   */
  public void forgotten() {
    comparison.beginAnew();
  }

  /**
   * Makes the serving model and its rival score the samples that are available for a comparison:
   * the trusted samples, or else the samples that wait for their training. Waiting samples were
   * possibly scored by another model before, so they do not count as tested.
   */
  void compare() {
    if (!trusted.isEmpty()) {
      nextTrusted = 0;
      compareTrusted();
    } else if (scorer.takesMore()) {
      WaitingSamples.Loaded waiting = data.waiting().loadNewest(MICRO_BATCH, codec::decode);
      if (waiting.ids().length > 0) {
        Vectors vectors = vectors(gather(waiting.samples()));
        scorer.offer(
            ScoringBatch.toCompare(
                waiting.ids(), waiting.samples(), vectors.now(), vectors.ofRival()));
      }
    }
  }

  /**
   * Records a published version. Returns whether the version is kept for comparisons with later
   * versions.
   */
  boolean published(AcceptedModel model, long version) {
    return comparison.published(
        version, model.lineage().trainedNewSamples(), model.artifact(), samples.size() + awaited);
  }

  /** Sets the samples on which the next and later models are compared. */
  void trust(List<Sample> known) {
    trusted = List.copyOf(known);
    nextTrusted = trusted.size();
  }

  /** Scores trusted samples, up to a limit that leaves the scorer capacity for arriving samples. */
  private void compareTrusted() {
    boolean scores = scorer.takesMore() || scorer.inFlight() > 0;
    if (!scores || gate.rival() == null) {
      nextTrusted = trusted.size();
    }
    while (nextTrusted < trusted.size()
        && scorer.inFlight() < MOST_TRUSTED_IN_FLIGHT
        && scorer.takesMore()) {
      int end = Math.min(trusted.size(), nextTrusted + MICRO_BATCH);
      List<Sample> some = trusted.subList(nextTrusted, end);
      RowTables all = rows;
      // Trusted samples are scored again with each model, but their rows should not stay in DRAM
      // for that.
      RowBatch looked = all == null ? null : all.look(idsOf(some));
      Vectors vectors = vectors(looked);
      scorer.offer(
          ScoringBatch.toCompare(new long[some.size()], some, vectors.now(), vectors.ofRival()));
      nextTrusted = end;
    }
  }

  /**
   * Adds a new labelled sample, with the reference predictions that were made before its label was
   * known.
   *
   * @param from position of the event that completed the sample
   */
  public void add(
      long sampleId,
      Sample sample,
      double noChangeLabel,
      double majorityLabel,
      InputPosition from) {
    references.label(sample);
    if (!serving) {
      predictions.unpredicted(from, sample, AwaitedPredictions.NO_MODEL);
      return;
    }
    predictions.collected(from);
    int at = samples.size();
    ids[at] = sampleId;
    noChange[at] = noChangeLabel;
    majority[at] = majorityLabel;
    samples.add(sample);
    if (at + 1 == MICRO_BATCH) {
      flush();
    }
  }

  /**
   * Passes the collected samples to the scorer; if the scorer is too slow, they count as unscored.
   */
  public void flush() {
    int count = samples.size();
    if (count == 0) {
      return;
    }
    if (!scorer.takesMore()) {
      untested();
      return;
    }
    Vectors vectors = vectors(gather(samples));
    ScoringBatch batch =
        new ScoringBatch(
            Arrays.copyOf(ids, count),
            samples,
            Arrays.copyOf(noChange, count),
            Arrays.copyOf(majority, count),
            vectors.now(),
            trusted.isEmpty() ? vectors.ofRival() : null);
    if (scorer.offer(batch)) {
      predictions.offered(batch, servingUpdate);
      awaited += count;
      samples = new ArrayList<>(MICRO_BATCH);
    } else {
      untested();
    }
  }

  private void untested() {
    evaluator.unscored(samples.size());
    predictions.behind(samples);
    samples = new ArrayList<>(MICRO_BATCH);
  }

  /**
   * Waits a bounded time for the results of all samples so far and counts them, if a prediction log
   * must have them before a checkpoint. Returns whether there were any.
   */
  public boolean settle(Duration most) throws InterruptedException {
    if (!predictions.wanted()) {
      return false;
    }
    flush();
    scorer.await(most);
    return poll();
  }

  /**
   * Returns the mixture of a version whose training begins now, as its file; empty if there is
   * none.
   */
  public byte[] mixture() {
    return references.file();
  }

  /** Makes the rows of the prediction log so far visible to readers. */
  public void showPredictions() {
    predictions.flush();
  }

  /**
   * The embedding vectors of the ids in some samples, by the compared models.
   *
   * @param now vectors of the model in service
   * @param ofRival vectors of the rival; null if they are unknown
   */
  private record Vectors(IdVectors now, @Nullable IdVectors ofRival) {}

  private @Nullable RowBatch gather(List<Sample> of) {
    RowTables all = rows;
    return all == null ? null : all.gather(idsOf(of));
  }

  private static List<IdLists> idsOf(List<Sample> samples) {
    return samples.stream().map(Sample::ids).toList();
  }

  /**
   * Returns the vectors of the ids in some samples, for the model in service and its rival.
   *
   * @param now rows of the ids; null without tables
   */
  private Vectors vectors(@Nullable RowBatch now) {
    RowTables all = rows;
    if (all == null || now == null) {
      return new Vectors(IdVectors.NONE, IdVectors.NONE);
    }
    long compared = gate.comparedUpdate();
    return new Vectors(now, all.remembers(compared) ? all.asOf(compared, now) : null);
  }

  /**
   * Counts the scores of all batches that the scorer thread has finished. Returns whether it had
   * finished a batch.
   */
  public boolean poll() {
    compareTrusted();
    boolean any = false;
    for (Optional<ScoredBatch> scored = scorer.poll(); scored.isPresent(); scored = scorer.poll()) {
      any = true;
      ScoredBatch batch = scored.get();
      gate.add(batch);
      if (batch.batch().purpose() == ScoringBatch.Purpose.COMPARISON) {
        continue;
      }
      awaited -= batch.sampleIds().length;
      evaluator.scored(batch);
      references.scored(batch);
      comparison.scored(batch);
      ScoredBatch without = batch.withoutContext();
      if (without != null) {
        withoutContext.scored(without);
      }
      predictions.scored(batch);
      if (batch.failure().isEmpty()) {
        // Training can reduce only the loss of the network, so the losses of the other experts do
        // not count here.
        float[] losses = batch.networkLosses();
        for (int i = 0; i < batch.sampleIds().length; i++) {
          data.scored(batch.sampleIds()[i], losses[i]);
          if (batch.batch().samples().get(i).weight() > 0) {
            urgencyChanged |= quality.observe(losses[i]);
          }
        }
      }
    }
    return comparison.poll() || any;
  }

  /**
   * Returns whether the urgency of updates has changed since the last call. It changes when the
   * model loses quality and when it regains it.
   */
  public boolean takeUrgencyChanged() {
    boolean changed = urgencyChanged;
    urgencyChanged = false;
    return changed;
  }

  public boolean idle() {
    return samples.isEmpty()
        && scorer.inFlight() == 0
        && nextTrusted == trusted.size()
        && comparison.idle();
  }

  /** Frees the models that score. */
  @Override
  public void close() {
    try {
      scorer.close();
    } finally {
      comparison.close();
    }
  }
}
