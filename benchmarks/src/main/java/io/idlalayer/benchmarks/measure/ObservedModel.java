package io.idlalayer.benchmarks.measure;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A model whose served predictions an observer sees, whichever way the learner asks for them. One
 * thread.
 */
public final class ObservedModel implements TaskModel {
  private final TaskModel model;
  private final Observer observer;

  /** What is told of each prediction. */
  @FunctionalInterface
  public interface Observer {
    /**
     * Takes what was predicted.
     *
     * @param predictions of each sample, in order, with the experts that are served beside the
     *     network
     * @param cpuNanos processor time of the predictions
     */
    void predicted(List<Sample> samples, double[][] predictions, long cpuNanos);

    /** The model is about to be closed. */
    default void ends() {}
  }

  public ObservedModel(TaskModel model, Observer observer) {
    this.model = model;
    this.observer = observer;
  }

  @Override
  public double[][] predict(List<Sample> samples) {
    return predict(samples, IdVectors.NONE);
  }

  @Override
  public double[][] predict(List<Sample> samples, IdVectors vectors) {
    long start = CpuTime.nanos();
    double[][] predictions = model.predict(samples, vectors);
    observer.predicted(samples, predictions, CpuTime.nanos() - start);
    return predictions;
  }

  @Override
  public @Nullable Experts experts() {
    return model.experts();
  }

  @Override
  public List<NetworkPrediction> predictAlone(List<Sample> samples, IdVectors vectors) {
    long start = CpuTime.nanos();
    List<NetworkPrediction> alone = model.predictAlone(samples, vectors);
    Experts experts = model.experts();
    double[][] predictions = new double[alone.size()][];
    for (int i = 0; i < predictions.length; i++) {
      NetworkPrediction network = alone.get(i);
      predictions[i] = experts == null ? network.mean() : experts.mean(samples.get(i), network);
    }
    observer.predicted(samples, predictions, CpuTime.nanos() - start);
    return alone;
  }

  @Override
  public float[] losses(List<Sample> samples, double[][] predictions) {
    return model.losses(samples, predictions);
  }

  @Override
  public double counted(double label) {
    return model.counted(label);
  }

  @Override
  public void close() {
    observer.ends();
    model.close();
  }
}
