package io.idlalayer.jobs.learner.comparison;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.learner.publish.ArtifactState;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.QualityReading;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the model, which each update renews, with two of its published versions. The first is
 * the version that was the first to have learned the events of a whole interval. It is never
 * replaced, and represents a model that is trained once. The second is the version that was the
 * newest at the end of the last interval. It represents a model that is replaced every night.
 *
 * <p>One of {@link #ONE_OF} events that have tested the model also tests both versions. Separate
 * threads score the versions, so that updates do not wait. The model and the two versions are
 * judged on the same events: if a scorer is too slow or fails, the event counts for none of the
 * three. There is no comparison if the application switches it off, if the model has embedding
 * tables (whose older rows are not kept), or if the model is mixed from several learners. A model
 * with more than {@link #MOST_BYTES} bytes is not kept. Confined to one thread.
 */
public final class VersionComparison implements AutoCloseable {
  /** One of this number of tested events also tests the older versions. */
  public static final int ONE_OF = 4;

  /** Largest total size of the files of a version that is kept, in bytes. */
  public static final long MOST_BYTES = 64L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(VersionComparison.class);
  private static final int MOST_PICKED = 256;
  private static final int MOST_IN_FLIGHT = 2;
  private static final int MOST_RELEARNED = 4_096;
  private static final StateFormat SUMS = StateFormat.first("comparison of versions");
  private static final StateFormat VERSIONS = StateFormat.first("compared versions");

  private final int every;
  private final QualityMetric metric;
  private final Supplier<PrequentialEvaluator> evaluators;
  private final Supplier<PrequentialScorer> scorers;
  private final PickedScores picked = new PickedScores(MOST_PICKED);

  /**
   * Scores of the model itself for the batches that the scorers of the older versions have not
   * returned yet, oldest first.
   */
  private final Deque<ScoredBatch> inFlight = new ArrayDeque<>();

  private @Nullable Comparison comparison;

  /**
   * Number of the next events that an older version has possibly learned. These events do not test
   * the older versions.
   */
  private int skipped;

  /**
   * Samples that came again with another label and are not scored yet. They do not test the older
   * versions.
   */
  private final Set<Long> relearned = new LinkedHashSet<>();

  private boolean failed;

  /** Whether the comparison has ended because a scorer accepts no more batches. */
  private boolean ended;

  /** A comparison that has begun. */
  private static final class Comparison {
    final PrequentialEvaluator model;
    final OlderVersion once;
    final OlderVersion renewed;

    /** Number of events that have tested the model since the beginning. */
    long tested;

    Comparison(PrequentialEvaluator model, OlderVersion once, OlderVersion renewed) {
      this.model = model;
      this.once = once;
      this.renewed = renewed;
    }

    /** Counts the samples that the model and both versions have predicted. */
    void count(ScoredBatch ofModel, ScoredBatch ofOnce, ScoredBatch ofRenewed) {
      int[] counted =
          IntStream.range(0, size(ofModel))
              .filter(
                  i ->
                      model.counts(ofModel, i)
                          && once.results.counts(ofOnce, i)
                          && renewed.results.counts(ofRenewed, i))
              .toArray();
      model.scored(PickedScores.of(ofModel, counted));
      once.results.scored(PickedScores.of(ofOnce, counted));
      renewed.results.scored(PickedScores.of(ofRenewed, counted));
    }

    /** Returns whether both results of the oldest batch are available. */
    boolean answered() {
      // Both scorers are polled, so that a scorer that hangs is noticed.
      boolean byOnce = once.answered();
      boolean byRenewed = renewed.answered();
      return byOnce && byRenewed;
    }
  }

  VersionComparison(
      int every,
      QualityMetric metric,
      Supplier<PrequentialEvaluator> evaluators,
      Supplier<PrequentialScorer> scorers) {
    this.every = every;
    this.metric = metric;
    this.evaluators = evaluators;
    this.scorers = scorers;
  }

  /**
   * Creates the comparison of an application. The application can have switched it off.
   *
   * @param scorers creates a scorer that tests one older version; called when the comparison begins
   */
  public static VersionComparison of(
      ApplicationSettings settings, Supplier<PrequentialScorer> scorers) {
    boolean possible = settings.model().embeddings().tables().isEmpty() && !settings.mixing().on();
    return new VersionComparison(
        possible ? settings.comparison().every() : 0,
        settings.metric(),
        () ->
            new PrequentialEvaluator(
                settings.model().schema().label(), settings.model().loss().level()),
        scorers);
  }

  // ---- versions -------------------------------------------------------------------------------

  /**
   * Records a published version, and keeps the version if it ends an interval.
   *
   * @param learned number of events that the version has learned
   * @param awaited number of events whose scores by the model are not known yet; the version has
   *     possibly learned them, so they do not test the version
   * @return whether the version is kept
   */
  public boolean published(long version, long learned, ModelArtifact artifact, int awaited) {
    if (every == 0 || ended || learned < every) {
      return false;
    }
    ModelArtifact served = new ModelArtifact(artifact.served());
    if (served.bytes() > MOST_BYTES) {
      return false;
    }
    OlderVersion.Kept now = new OlderVersion.Kept(version, learned, served);
    Comparison begun = comparison;
    if (begun == null) {
      begin(now, now);
      skipped = awaited;
      return true;
    }
    OlderVersion.Kept last = begun.renewed.kept();
    if (last != null && learned / every <= last.learned() / every) {
      return false;
    }
    // The samples picked so far belong to the previous version.
    offer(begun);
    picked.clear();
    begun.renewed.keep(now);
    skipped = awaited;
    return true;
  }

  /**
   * Begins anew with the next versions, because the model has forgotten samples that the older
   * versions have learned.
   */
  public void beginAnew() {
    close();
    comparison = null;
    picked.clear();
    inFlight.clear();
    relearned.clear();
    skipped = 0;
    ended = false;
  }

  private Comparison begin(OlderVersion.Kept first, OlderVersion.Kept last) {
    Comparison begun = new Comparison(evaluators.get(), older(first), older(last));
    comparison = begun;
    return begun;
  }

  private OlderVersion older(OlderVersion.Kept version) {
    OlderVersion older = new OlderVersion(scorers.get(), evaluators.get());
    older.keep(version);
    return older;
  }

  // ---- events ---------------------------------------------------------------------------------

  /**
   * Records that a sample came again with another label. Older versions have learned the sample
   * with its earlier label, so the sample does not test these versions.
   */
  public void relearned(long sampleId) {
    if (comparison != null && relearned.add(sampleId) && relearned.size() > MOST_RELEARNED) {
      // The sample was not scored, because the scorer was too slow.
      relearned.remove(relearned.iterator().next());
    }
  }

  /** Adds the scores that the model itself has given to new events before it learned them. */
  public void scored(ScoredBatch batch) {
    Comparison begun = comparison;
    if (begun == null || ended) {
      return;
    }
    int first = Math.min(skipped, size(batch));
    skipped -= first;
    if (!batch.failure().isEmpty()) {
      return;
    }
    for (int i = first; i < size(batch); i++) {
      if (relearned.remove(batch.sampleIds()[i])) {
        continue;
      }
      if (begun.tested++ % ONE_OF == 0 && !picked.isFull()) {
        picked.add(batch, i);
      }
    }
  }

  /**
   * Passes picked events to the scorers, and counts the finished tests.
   *
   * @return whether there were finished tests
   */
  public boolean poll() {
    Comparison begun = comparison;
    if (begun == null) {
      return false;
    }
    boolean before = count(begun);
    offer(begun);
    boolean now = count(begun);
    return before || now;
  }

  private void offer(Comparison begun) {
    if (ended || picked.isEmpty() || inFlight.size() == MOST_IN_FLIGHT) {
      return;
    }
    ScoredBatch ofModel = picked.take();
    if (begun.once.offer(ofModel.batch()) && begun.renewed.offer(ofModel.batch())) {
      inFlight.add(ofModel);
    } else {
      // A scorer with so few batches accepts more, unless too many of its threads hang.
      LOG.warn("An older version cannot be tested any more; the results so far stay");
      ended = true;
      inFlight.clear();
    }
  }

  private boolean count(Comparison begun) {
    boolean any = false;
    while (!inFlight.isEmpty() && begun.answered()) {
      ScoredBatch ofModel = inFlight.remove();
      ScoredBatch once = begun.once.take();
      ScoredBatch renewed = begun.renewed.take();
      String why = once.failure() + renewed.failure();
      if (why.isEmpty()) {
        begun.count(ofModel, onTerms(ofModel, once), onTerms(ofModel, renewed));
        any = true;
      } else if (!failed) {
        failed = true;
        LOG.warn("An older version could not be tested on {} events: {}", size(ofModel), why);
      }
    }
    return any;
  }

  private static int size(ScoredBatch batch) {
    return batch.sampleIds().length;
  }

  /**
   * Returns the scores of an older version with labels as the model counts them: only the model
   * knows which targets are outliers now.
   */
  private static ScoredBatch onTerms(ScoredBatch ofModel, ScoredBatch older) {
    return ScoredBatch.of(ofModel.batch(), older.losses(), older.predicted(), older.confidence())
        .counting(ofModel.targets());
  }

  /** Returns whether no picked event can still be counted. */
  public boolean idle() {
    return ended || (picked.isEmpty() && inFlight.isEmpty());
  }

  // ---- results --------------------------------------------------------------------------------

  /**
   * Returns the results so far; null before the comparison has begun, and if there is no
   * comparison.
   */
  public @Nullable ComparedVersions results() {
    Comparison begun = comparison;
    OlderVersion.Kept once = begun == null ? null : begun.once.kept();
    OlderVersion.Kept renewed = begun == null ? null : begun.renewed.kept();
    if (begun == null || once == null || renewed == null) {
      return null;
    }
    PrequentialSummary model = begun.model.summary();
    Optional<QualityReading> read = QualityReading.all(metric, model);
    return new ComparedVersions(
        read.map(QualityReading::measure).orElse(metric.key()),
        read.map(QualityReading::higherIsBetter).orElse(true),
        every,
        model.scored(),
        quality(begun.model),
        version(once, begun.once),
        version(renewed, begun.renewed));
  }

  private ComparedVersions.KeptVersion version(OlderVersion.Kept kept, OlderVersion tested) {
    return new ComparedVersions.KeptVersion(
        kept.version(), kept.learned(), quality(tested.results));
  }

  private ComparedVersions.MetricValues quality(PrequentialEvaluator results) {
    PrequentialSummary summary = results.summary();
    return new ComparedVersions.MetricValues(
        QualityReading.all(metric, summary).map(QualityReading::value).orElse(null),
        QualityReading.recent(metric, summary).map(QualityReading::value).orElse(null));
  }

  // ---- state ----------------------------------------------------------------------------------

  /** Returns the results as bytes for {@link #restore}; null if no comparison has begun. */
  public byte @Nullable [] snapshot() {
    Comparison begun = comparison;
    return begun == null
        ? null
        : SUMS.writer()
            .putLong(1, begun.tested)
            .putBytes(2, begun.model.snapshot())
            .putBytes(3, begun.once.results.snapshot())
            .putBytes(4, begun.renewed.results.snapshot())
            .bytes();
  }

  /** Returns the versions as bytes for {@link #restore}; null if no comparison has begun. */
  public byte @Nullable [] versionsSnapshot() {
    Comparison begun = comparison;
    OlderVersion.Kept once = begun == null ? null : begun.once.kept();
    OlderVersion.Kept renewed = begun == null ? null : begun.renewed.kept();
    if (once == null || renewed == null) {
      return null;
    }
    StateWriter out =
        VERSIONS
            .writer()
            .putLong(1, once.version())
            .putLong(2, once.learned())
            .putBytes(3, ArtifactState.snapshot(once.artifact()))
            .putLong(4, renewed.version())
            .putLong(5, renewed.learned());
    return renewed.version() == once.version()
        ? out.bytes()
        : out.putBytes(6, ArtifactState.snapshot(renewed.artifact())).bytes();
  }

  /**
   * Continues a comparison, unless comparisons are switched off now. Events that were being tested
   * at the checkpoint are not counted.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not snapshots
   *     of this class
   */
  public void restore(byte[] snapshot, byte[] versionsSnapshot) {
    if (every == 0) {
      return;
    }
    StateReader versions = VERSIONS.reader(versionsSnapshot);
    ModelArtifact first = ArtifactState.restore(versions.getBytes(3));
    Comparison begun =
        begin(
            new OlderVersion.Kept(versions.getLong(1), versions.getLong(2), first),
            new OlderVersion.Kept(
                versions.getLong(4),
                versions.getLong(5),
                versions.getLong(4) == versions.getLong(1)
                    ? first
                    : ArtifactState.restore(versions.getBytes(6))));
    StateReader sums = SUMS.reader(snapshot);
    begun.tested = sums.getLong(1);
    begun.model.restore(sums.getBytes(2));
    begun.once.results.restore(sums.getBytes(3));
    begun.renewed.results.restore(sums.getBytes(4));
  }

  /** Frees the older versions and their scorers. */
  @Override
  public void close() {
    Comparison begun = comparison;
    if (begun != null) {
      try {
        begun.once.close();
      } finally {
        begun.renewed.close();
      }
    }
  }
}
