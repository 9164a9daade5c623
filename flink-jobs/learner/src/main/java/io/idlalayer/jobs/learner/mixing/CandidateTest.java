package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.gate.ModelComparison;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares a mixed model with its baseline on samples of this learner on which neither was trained:
 * samples that wait for their training, and samples that arrive. A separate scorer scores the
 * samples. While this scorer is too slow, arriving samples are left out. Confined to one thread.
 */
final class CandidateTest implements AutoCloseable {
  /**
   * Largest number of samples that are scored at once. It is also the largest number of samples
   * that are collected in the meantime.
   */
  static final int MOST_SAMPLES = 256;

  private static final String LOST =
      "does not know any more which rows it had for the two models, and has not compared them";

  private final Metric metric;
  private final ComparedRows rows;
  private final Supplier<PrequentialScorer> scorers;
  private @Nullable PrequentialScorer scorer;
  private List<Sample> collected = new ArrayList<>();
  private long round;
  private boolean open;
  private boolean said;

  /** Why no more samples are compared; "" if samples are compared. */
  private String problem = "";

  /**
   * The findings since the last poll.
   *
   * @param differences for each scored sample, by how much the model is worse than the baseline
   * @param problem why no more samples are compared, to be reported once; "" if there is nothing to
   *     report
   */
  record Found(double[] differences, String problem) {}

  /**
   * @param rows rows of the models' table
   * @param scorers creates a scorer; called when the first model is tested
   */
  CandidateTest(Metric metric, ComparedRows rows, Supplier<PrequentialScorer> scorers) {
    this.metric = metric;
    this.rows = rows;
    this.scorers = scorers;
  }

  /**
   * Begins to compare a model. An open comparison ends.
   *
   * @param waiting samples that wait for their training
   */
  void begin(CandidateWatch.Candidate candidate, List<Sample> waiting) {
    PrequentialScorer mine = scorer;
    if (mine == null) {
      mine = scorers.get();
      scorer = mine;
    }
    round = candidate.round();
    mine.serve(candidate.model(), new Rival(candidate.baseline(), round, round));
    open = true;
    said = false;
    problem = "";
    collected = new ArrayList<>(waiting.subList(0, Math.min(waiting.size(), MOST_SAMPLES)));
    rows.begin(candidate.contained(), candidate.inBaseline());
  }

  /** Ends the comparisons of a round and of earlier rounds. */
  void end(long judged) {
    if (judged >= round) {
      open = false;
      collected = new ArrayList<>();
    }
  }

  boolean isOpen() {
    return open;
  }

  /**
   * Returns whether the scorer has samples to score, or samples wait to be passed to the scorer.
   */
  boolean isBusy() {
    PrequentialScorer mine = scorer;
    return open && (!said || !collected.isEmpty() || (mine != null && mine.inFlight() > 0));
  }

  /** Adds a labelled sample that has just arrived. */
  void arrived(Sample sample) {
    if (open && problem.isEmpty() && collected.size() < MOST_SAMPLES) {
      collected.add(sample);
    }
  }

  /**
   * Returns the findings since the last call. If no samples wait, the first result has no
   * differences.
   */
  Optional<Found> poll() {
    PrequentialScorer mine = scorer;
    if (mine == null) {
      return Optional.empty();
    }
    boolean loses = open && problem.isEmpty() && !rows.known();
    if (loses) {
      problem = LOST;
      collected = new ArrayList<>();
    }
    boolean collects = !collected.isEmpty();
    boolean none = !collects && mine.inFlight() == 0;
    if (open && collects && mine.inFlight() == 0 && mine.takesMore()) {
      ComparedRows.Vectors vectors = rows.of(collected);
      mine.offer(
          ScoringBatch.toCompare(
              new long[collected.size()], collected, vectors.ofModel(), vectors.ofBaseline()));
      collected = new ArrayList<>();
    }
    List<double[]> parts = new ArrayList<>();
    for (Optional<ScoredBatch> done = mine.poll(); done.isPresent(); done = mine.poll()) {
      ScoredBatch batch = done.get();
      ScoredBatch.Rival rival = batch.rival();
      if (!batch.failure().isEmpty()) {
        parts.add(new double[0]);
      } else if (rival != null && rival.comparison() == round) {
        parts.add(ModelComparison.differences(metric, batch));
      }
    }
    if (!open || (parts.isEmpty() && !loses && (said || !none))) {
      return Optional.empty();
    }
    said = true;
    return Optional.of(
        new Found(parts.stream().flatMapToDouble(Arrays::stream).toArray(), loses ? problem : ""));
  }

  /** Frees the models. */
  @Override
  public void close() {
    PrequentialScorer mine = scorer;
    scorer = null;
    open = false;
    if (mine != null) {
      mine.close();
    }
  }
}
