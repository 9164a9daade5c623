package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;

/** Adds up the answers to samples with targets, in about 100 bytes. Confined to one thread. */
public final class TargetMeasures {
  /** Number of fields that {@link #write} uses. */
  public static final int FIELDS = 3;

  private final ErrorSums model = new ErrorSums();
  private final ErrorSums noChange = new ErrorSums();

  /** Absolute errors of the model on the samples of {@code noChange}. */
  private double besideNoChange;

  /**
   * Mean of the labels. The next field has the sum of the squared distances of the labels from
   * their mean.
   */
  private double mean;

  private double spread;

  /** Adds the answers to one sample. */
  public void add(TargetAnswer answer) {
    double label = answer.label();
    double weight = answer.weight();
    if (weight == 0) {
      return;
    }
    model.add(label, answer.predicted(), weight);
    if (!Double.isNaN(answer.noChange())) {
      noChange.add(label, answer.noChange(), weight);
      besideNoChange += weight * Math.abs(label - answer.predicted());
    }
    double distance = label - mean;
    mean += distance * (weight / model.weight());
    spread += weight * distance * (label - mean);
  }

  /** Adds all samples of other measures. */
  public void add(TargetMeasures other) {
    double all = model.weight() + other.model.weight();
    if (all > 0) {
      double distance = other.mean - mean;
      spread += other.spread + distance * distance * (model.weight() / all) * other.model.weight();
      mean += distance * (other.model.weight() / all);
    }
    model.add(other.model);
    noChange.add(other.noChange);
    besideNoChange += other.besideNoChange;
  }

  /** Forgets all samples. */
  public void clear() {
    model.clear();
    noChange.clear();
    besideNoChange = 0;
    mean = 0;
    spread = 0;
  }

  /** Returns the errors of the model; 0 before the first sample. */
  public TargetErrors errors() {
    return model.errors();
  }

  /**
   * Returns the errors of the no-change reference on the samples that have a previous label; 0
   * before the first such sample.
   */
  public TargetErrors noChangeErrors() {
    return noChange.errors();
  }

  /**
   * Returns the metrics of the samples so far, except the model's errors, for a model that was not
   * trained for a quantile.
   */
  public TargetMetrics metrics() {
    return metrics(Double.NaN);
  }

  /**
   * Returns the metrics of the samples so far, except the model's errors.
   *
   * @param level level of the quantile that the model was trained for; NaN if there is none
   */
  public TargetMetrics metrics(double level) {
    Double unexplained = Weights.quotient(model.squared(), spread);
    TargetErrors own = model.errors();
    TargetErrors unchanged = noChange.errors();
    return new TargetMetrics(
        own.quantileLoss10(),
        own.quantileLoss90(),
        unchanged.rootMeanSquared(),
        unchanged.quantileLoss10(),
        unchanged.quantileLoss90(),
        model.weight() == 0 ? 0 : Math.sqrt(spread / model.weight()),
        unexplained == null ? null : (Double) (1 - unexplained),
        Weights.quotient(besideNoChange, noChange.absolute()),
        Double.isNaN(level)
            ? null
            : new QuantileMetrics(level, model.pinball(level), noChange.pinball(level)));
  }

  /** Writes the sums to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  public StateWriter write(StateWriter out, int from) {
    return out.putDoubles(from, model.values())
        .putDoubles(from + 1, noChange.values())
        .putDoubles(from + 2, new double[] {besideNoChange, mean, spread});
  }

  /** Reads the fields that {@link #write} has written. */
  public void read(StateReader in, int from) {
    model.set(in.getDoubles(from, ErrorSums.VALUES));
    noChange.set(in.getDoubles(from + 1, ErrorSums.VALUES));
    double[] rest = in.getDoubles(from + 2, 3);
    besideNoChange = rest[0];
    mean = rest[1];
    spread = rest[2];
  }
}
