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
 * Compares a mixed model with its baseline on this learner's samples that neither has trained on:
 * those that wait for their training, and those that arrive. A scorer of its own scores them; while
 * it is behind, samples that arrive are left out. Confined to one thread.
 */
final class CandidateTest implements AutoCloseable {
  /** Most samples that are scored at once, and that are collected meanwhile. */
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

  /** Why no more samples are compared; "" if they are. */
  private String problem = "";

  /**
   * What was found since the last time.
   *
   * @param differences for each sample that was scored by how much the model is worse
   * @param problem why no more samples are compared, to be told once; "" if there is nothing to
   *     tell
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
   * Begins to compare a model. A comparison that is open ends.
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

  /** Ends the comparison of a round, and those of rounds before. */
  void end(long judged) {
    if (judged >= round) {
      open = false;
      collected = new ArrayList<>();
    }
  }

  boolean isOpen() {
    return open;
  }

  /** Returns whether samples are with the scorer, or to be passed to it. */
  boolean isBusy() {
    PrequentialScorer mine = scorer;
    return open && (!said || !collected.isEmpty() || (mine != null && mine.inFlight() > 0));
  }

  /** Takes a labelled sample that has just arrived. */
  void arrived(Sample sample) {
    if (open && problem.isEmpty() && collected.size() < MOST_SAMPLES) {
      collected.add(sample);
    }
  }

  /**
   * Returns what was found since the last call. The first answer may have no differences: it says
   * that no samples wait.
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
