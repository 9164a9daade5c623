package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * The experts whose weighted mean is served, judged on new samples before these are trained. It
 * knows their weights ({@link ExpertWeights}), the prior of the labels, which is one of them, and
 * how well each predicted alone. Each published version contains the weights and the prior of the
 * moment at which its training began. Confined to one thread.
 */
public final class ExpertMixture {
  private static final StateFormat FORMAT = StateFormat.first("expert mixture");

  /** How fast weights follow a class: slowly, because they approach the best mixture. */
  private static final double CLASS_RATE = 0.05;

  /** How fast weights follow a target, whose likelihoods differ less. */
  private static final double TARGET_RATE = 0.2;

  private static final double SHARE = 1e-5;

  private static final int WEIGHTS = 2;
  private static final int TALLY = WEIGHTS + ExpertWeights.FIELDS;
  private static final int PRIOR = TALLY + ExpertTally.FIELDS;
  private static final int SCALE = PRIOR + TargetPrior.FIELDS;

  private final List<String> experts;
  private final boolean classes;
  private final ClassPrior frequencies;
  private final TargetPrior mean = new TargetPrior();
  private final ErrorScale scale;
  private final ExpertWeights weights;
  private final ExpertTally tally;
  private final double[] likelihoods;

  /**
   * @param experts names of the experts, in the order of their scores
   * @param label label of the samples
   */
  public ExpertMixture(List<String> experts, Label label) {
    this.experts = List.copyOf(experts);
    classes = label.task() == Task.CLASSIFICATION;
    frequencies = new ClassPrior(Math.max(1, label.classes().size()));
    scale = new ErrorScale(experts.size());
    weights = new ExpertWeights(experts.size(), classes ? CLASS_RATE : TARGET_RATE, SHARE);
    tally = new ExpertTally(experts.size());
    likelihoods = new double[experts.size()];
  }

  /**
   * Adds the next label of the stream. Classes count as they arrive, targets when they are scored,
   * because only the model knows how far an outlier counts.
   *
   * @param weight importance weight of its sample, at least 0
   */
  public void label(double label, double weight) {
    if (classes) {
      frequencies.add((int) label, weight);
    }
  }

  /** Adds the scores of a batch. */
  public void scored(ScoredBatch batch) {
    if (!batch.failure().isEmpty()) {
      return;
    }
    ExpertScores scores = batch.experts();
    boolean judged = scores != null && scores.experts().equals(experts);
    for (int i = 0; i < batch.losses().length; i++) {
      double label = batch.batch().samples().get(i).label();
      double importance = batch.batch().samples().get(i).weight();
      if (!(importance > 0)) {
        continue;
      }
      if (scores != null && judged) {
        judge(scores, i, label, importance);
      }
      if (!classes) {
        mean.add(batch.targets()[i], importance);
      }
    }
  }

  private void judge(ExpertScores scores, int sample, double label, double importance) {
    int from = sample * experts.size();
    for (int i = 0; i < experts.size(); i++) {
      if (!Float.isFinite(scores.losses()[from + i])) {
        return;
      }
    }
    double square = classes ? 0 : scale.add(scores.losses(), from, importance);
    tally.sample(importance);
    for (int i = 0; i < experts.size(); i++) {
      double loss = scores.losses()[from + i];
      likelihoods[i] = classes ? Math.exp(-loss) : ErrorScale.likelihood(loss, square);
      tally.add(i, Math.abs(scores.predicted()[from + i] - label), loss, importance);
    }
    weights.add(likelihoods, 0, importance);
  }

  /** Returns the weights of the experts, which add up to 1. */
  public double[] weights() {
    return weights.weights();
  }

  /**
   * Returns what the prior predicts: the probability of each class, or one target; empty while no
   * target was scored.
   */
  public double[] prior() {
    if (classes) {
      return frequencies.probabilities();
    }
    return mean.known() ? new double[] {mean.mean()} : new double[0];
  }

  /** Returns weight and quality of each expert; empty until a sample was judged. */
  public List<ExpertQuality> qualities() {
    List<ExpertQuality> qualities = new ArrayList<>();
    double[] now = weights.weights();
    for (int i = 0; tally.weight() > 0 && i < now.length; i++) {
      qualities.add(
          new ExpertQuality(
              experts.get(i),
              now[i],
              tally.weight(),
              classes ? tally.accuracy(i) : null,
              classes ? null : tally.meanAbsoluteError(i),
              tally.meanLoss(i)));
    }
    return qualities;
  }

  /** Returns the whole state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    StateWriter out = FORMAT.writer().putTexts(1, experts);
    weights.write(out, WEIGHTS);
    tally.write(out, TALLY);
    if (classes) {
      return frequencies.write(out, PRIOR).bytes();
    }
    mean.write(out, PRIOR);
    return scale.write(out, SCALE).bytes();
  }

  /**
   * Replaces the state by that of a snapshot. If that has other experts, the weights stay equal,
   * and only the prior is taken over.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    boolean same = in.getTexts(1).equals(experts);
    if (same) {
      weights.read(in, WEIGHTS);
      tally.read(in, TALLY);
    }
    if (classes) {
      frequencies.read(in, PRIOR);
    } else {
      mean.read(in, PRIOR);
      if (same) {
        scale.read(in, SCALE);
      }
    }
  }
}
