package io.idlalayer.benchmarks.clicks;

import io.idlalayer.benchmarks.measure.ObservedModel;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.TestedModels;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Listens to what a learner predicts of new samples before it trains on them. One thread. */
final class ClickMeasure implements Scorer.ModelFactory {
  private final TestedModels models;
  private final ClickPredictions predictions = new ClickPredictions();
  private @Nullable TaskModel latest;
  private boolean listening = true;

  ClickMeasure(TestedModels models) {
    this.models = models;
  }

  @Override
  public TaskModel load(ModelArtifact artifact) throws IOException {
    TaskModel loaded = new ObservedModel(models.load(artifact), this::predicted);
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

  /** What was predicted of new samples so far. */
  ClickPredictions predictions() {
    return predictions;
  }

  private void predicted(List<Sample> samples, double[][] given, long cpuNanos) {
    for (int i = 0; listening && i < given.length; i++) {
      predictions.add(given[i][1], samples.get(i).label() == 1);
    }
  }
}
