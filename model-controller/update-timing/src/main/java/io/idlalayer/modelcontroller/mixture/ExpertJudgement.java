package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import java.util.ArrayList;
import java.util.List;

/**
 * The judgement about a list of experts, from their scores on samples: the weights by which their
 * predictions are averaged, and how well each expert predicted alone. Confined to one thread.
 */
final class ExpertJudgement {
  private static final StateFormat FORMAT = StateFormat.first("judgement of experts");

  /**
   * Learning rate of the weights if the label is a class. The rate is low, because the weights
   * should approach the best mixture instead of the best expert.
   */
  private static final double CLASS_RATE = 0.05;

  /**
   * Learning rate of the weights if the label is a target. The rate is higher, because the
   * likelihoods of experts for targets differ less.
   */
  private static final double TARGET_RATE = 0.2;

  private static final double SHARE = 1e-5;

  /** Largest squared error. Sums of such errors stay finite. */
  private static final double LARGEST_LOSS = 1e280;

  private static final int WEIGHTS = 2;
  private static final int TALLY = WEIGHTS + ExpertWeights.FIELDS;
  private static final int SCALE = TALLY + ExpertTally.FIELDS;

  private final List<String> experts;
  private final boolean classes;
  private final ErrorScale scale;
  private final ExpertWeights weights;
  private final ExpertTally tally;
  private final double[] likelihoods;

  /** Loss of each expert for the sample that is judged. */
  private final double[] losses;

  /**
   * @param experts names of the experts, in the order of their scores; at least one
   * @param classes whether the experts predict classes
   */
  ExpertJudgement(List<String> experts, boolean classes) {
    this.experts = List.copyOf(experts);
    this.classes = classes;
    scale = new ErrorScale(experts.size());
    weights = new ExpertWeights(experts.size(), classes ? CLASS_RATE : TARGET_RATE, SHARE);
    tally = new ExpertTally(experts.size());
    likelihoods = new double[experts.size()];
    losses = new double[experts.size()];
  }

  /** Returns whether these are scores of the experts in this order. */
  boolean judges(ExpertScores scores) {
    return scores.experts().equals(experts);
  }

  /**
   * Adds the scores of a sample, unless one is not a finite number.
   *
   * @param label label of the sample, as the losses use it
   * @param weight importance weight of the sample, above 0
   * @param importance importance weight divided by the {@link WeightUnit}; the experts' weights
   *     change in proportion to it
   */
  void judge(ExpertScores scores, int sample, double label, double weight, double importance) {
    int from = sample * experts.size();
    for (int i = 0; i < experts.size(); i++) {
      if (!Float.isFinite(scores.losses()[from + i])) {
        return;
      }
      losses[i] = loss(scores, from + i, label);
    }
    double square = classes ? 0 : scale.add(losses, importance);
    tally.sample(weight);
    for (int i = 0; i < experts.size(); i++) {
      likelihoods[i] = classes ? Math.exp(-losses[i]) : ErrorScale.likelihood(losses[i], square);
      tally.add(i, Math.abs(scores.predicted()[from + i] - label), losses[i], weight);
    }
    weights.add(likelihoods, 0, importance);
  }

  /**
   * Returns the loss of an expert. For a target, this is the squared error in 64 bits, because with
   * 32 bits the squares of very large or very small errors would be infinite or 0.
   */
  private double loss(ExpertScores scores, int at, double label) {
    double error = scores.predicted()[at] - label;
    return classes ? scores.losses()[at] : Math.min(LARGEST_LOSS, error * error);
  }

  /** Returns the weights of the experts, which add up to 1. */
  double[] weights() {
    return weights.weights();
  }

  /** Returns weight and quality of each expert; empty before the first sample. */
  List<ExpertQuality> qualities() {
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
  byte[] snapshot() {
    StateWriter out = FORMAT.writer().putTexts(1, experts);
    weights.write(out, WEIGHTS);
    tally.write(out, TALLY);
    scale.write(out, SCALE);
    return out.bytes();
  }

  /**
   * Replaces the state by the state in a snapshot. Does nothing if the snapshot has other experts.
   */
  void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    if (in.getTexts(1).equals(experts)) {
      weights.read(in, WEIGHTS);
      tally.read(in, TALLY);
      scale.read(in, SCALE);
    }
  }
}
