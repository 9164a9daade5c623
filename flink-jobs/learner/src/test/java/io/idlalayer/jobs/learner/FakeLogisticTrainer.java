package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Logistic regression of two classes in plain Java: the same bits on every machine. */
final class FakeLogisticTrainer implements Trainer {
  private static final String FILE = "weights";
  private static final double RATE = 0.1;

  @Override
  public TrainingResult train(TrainingRequest request) {
    List<TrainingRow> rows = request.batch().rows();
    ModelArtifact base = request.base();
    double[] weights =
        base == null ? new double[rows.get(0).sample().dense().length + 1] : weights(base);
    double[] before = losses(weights, rows);
    for (TrainingRow row : rows) {
      Sample sample = row.sample();
      double error = sample.label() - probability(weights, sample.dense());
      for (int i = 0; i < sample.dense().length; i++) {
        weights[i] += RATE * error * sample.dense()[i];
      }
      weights[weights.length - 1] += RATE * error;
    }
    double[] after = losses(weights, rows);
    List<Contribution> contributions = new ArrayList<>();
    double sumBefore = 0;
    double sumAfter = 0;
    for (int i = 0; i < before.length; i++) {
      contributions.add(
          new Contribution(rows.get(i).sampleId(), (float) before[i], (float) after[i]));
      sumBefore += before[i];
      sumAfter += after[i];
    }
    ByteBuffer bytes = ByteBuffer.allocate(weights.length * Double.BYTES);
    for (double weight : weights) {
      bytes.putDouble(weight);
    }
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put(FILE, bytes.array());
    int n = Math.max(1, before.length);
    return new TrainingResult(
        new ModelArtifact(files), contributions, 0, n, sumBefore / n, sumAfter / n, null);
  }

  private static double[] losses(double[] weights, List<TrainingRow> rows) {
    return rows.stream().mapToDouble(row -> loss(weights, row.sample())).toArray();
  }

  private static double loss(double[] weights, Sample sample) {
    double p = probability(weights, sample.dense());
    return -StrictMath.log(Math.max(1e-7, sample.label() == 1 ? p : 1 - p));
  }

  private static double probability(double[] weights, double[] x) {
    double sum = weights[weights.length - 1];
    for (int i = 0; i < x.length; i++) {
      sum += weights[i] * x[i];
    }
    return 1 / (1 + StrictMath.exp(-sum));
  }

  private static double[] weights(ModelArtifact artifact) {
    ByteBuffer bytes = ByteBuffer.wrap(artifact.files().get(FILE));
    double[] weights = new double[bytes.remaining() / Double.BYTES];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = bytes.getDouble();
    }
    return weights;
  }

  @Override
  public void close() {}

  /** Predicts with the weights of a model. */
  record Model(ModelArtifact artifact) implements TaskModel {
    @Override
    public double[][] predict(List<Sample> samples) {
      double[] weights = weights(artifact);
      double[][] rows = new double[samples.size()][];
      for (int i = 0; i < rows.length; i++) {
        double p = (float) probability(weights, samples.get(i).dense());
        rows[i] = new double[] {1 - p, p};
      }
      return rows;
    }

    @Override
    public float[] losses(List<Sample> samples, double[][] predictions) {
      double[] weights = weights(artifact);
      float[] losses = new float[samples.size()];
      for (int i = 0; i < losses.length; i++) {
        losses[i] = (float) loss(weights, samples.get(i));
      }
      return losses;
    }

    @Override
    public void close() {}
  }
}
