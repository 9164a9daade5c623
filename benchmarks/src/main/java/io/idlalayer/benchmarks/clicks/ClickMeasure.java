package io.idlalayer.benchmarks.clicks;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.TestedModels;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Listens to what a learner predicts of new samples before it trains on them. One thread. */
final class ClickMeasure implements Scorer.ModelFactory {
  private static final double LEAST_PROBABILITY = 1e-7;

  private final TestedModels models;
  private final List<Prediction> predictions = new ArrayList<>();
  private @Nullable TaskModel latest;
  private boolean listening = true;

  private record Prediction(double probability, boolean positive) {}

  ClickMeasure(TestedModels models) {
    this.models = models;
  }

  @Override
  public TaskModel load(ModelArtifact artifact) throws IOException {
    TaskModel loaded = new Heard(models.load(artifact));
    latest = loaded;
    return loaded;
  }

  /** Whether predictions count from now on. */
  void listen(boolean listens) {
    listening = listens;
  }

  /**
   * Has the model in service predict a sample that never trains; none is asked before the first.
   */
  void test(Sample sample) {
    TaskModel model = latest;
    if (model != null) {
      double[][] unused = model.predict(List.of(sample));
    }
  }

  /** Number of predictions. */
  int count() {
    return predictions.size();
  }

  /** Share of the predictions whose likelier class is the label. */
  double accuracy() {
    return predictions.stream()
        .mapToDouble(it -> it.probability() > 0.5 == it.positive() ? 1 : 0)
        .average()
        .orElse(Double.NaN);
  }

  /** Mean of -ln p(label). */
  double logLoss() {
    return predictions.stream()
        .mapToDouble(it -> loss(it.probability(), it.positive()))
        .average()
        .orElse(Double.NaN);
  }

  /**
   * Returns the log loss of predicting the rate of positives so far, with one added to both
   * classes.
   */
  double rateLogLoss() {
    double positives = 1;
    double all = 2;
    double sum = 0;
    for (Prediction each : predictions) {
      sum += loss(positives / all, each.positive());
      positives += each.positive() ? 1 : 0;
      all++;
    }
    return sum / predictions.size();
  }

  private static double loss(double probability, boolean positive) {
    return -Math.log(Math.max(LEAST_PROBABILITY, positive ? probability : 1 - probability));
  }

  /** Probability that a positive sample is ranked above a negative one; ties count half. */
  double auc() {
    List<Prediction> ascending = new ArrayList<>(predictions);
    ascending.sort(Comparator.comparingDouble(Prediction::probability));
    double ranks = 0;
    long positives = 0;
    for (int from = 0; from < ascending.size(); ) {
      int to = from;
      int tied = 0;
      while (to < ascending.size()
          && ascending.get(to).probability() == ascending.get(from).probability()) {
        tied += ascending.get(to).positive() ? 1 : 0;
        to++;
      }
      ranks += tied * (from + 1 + to) / 2.0;
      positives += tied;
      from = to;
    }
    double negatives = (double) ascending.size() - positives;
    return (ranks - positives * (positives + 1) / 2.0) / (positives * negatives);
  }

  /** A model whose predictions are noted. */
  private final class Heard implements TaskModel {
    private final TaskModel model;

    Heard(TaskModel model) {
      this.model = model;
    }

    @Override
    public double[][] predict(List<Sample> samples) {
      return predict(samples, IdVectors.NONE);
    }

    @Override
    public double[][] predict(List<Sample> samples, IdVectors vectors) {
      double[][] given = model.predict(samples, vectors);
      for (int i = 0; listening && i < given.length; i++) {
        predictions.add(new Prediction(given[i][1], samples.get(i).label() == 1));
      }
      return given;
    }

    @Override
    public float[] losses(List<Sample> samples, double[][] given) {
      return model.losses(samples, given);
    }

    @Override
    public void close() {
      latest = equals(latest) ? null : latest;
      model.close();
    }
  }
}
