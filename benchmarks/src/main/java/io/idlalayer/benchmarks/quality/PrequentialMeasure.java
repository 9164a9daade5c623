package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.ObservedModel;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.TestedModels;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tallies every event of a stream by the model that was in service when it came. Listens to what
 * the learner predicts to score its new samples; predicts itself what the learner does not score
 * because it has an equal sample already. Confined to one thread.
 */
final class PrequentialMeasure implements Scorer.ModelFactory {
  private final DriftStream stream;
  private final TestedModels models;
  private final Tally tally;

  /** Events that came and were not predicted yet. */
  private final IdentityHashMap<Sample, Integer> open = new IdentityHashMap<>();

  private @Nullable TaskModel serving;
  private long cpuNanos;

  /**
   * @param models loads what predicts
   */
  PrequentialMeasure(DriftStream stream, TestedModels models) {
    this.stream = stream;
    this.models = models;
    tally = new Tally(stream.classes(), stream.size());
  }

  Tally tally() {
    return tally;
  }

  /** Processor time of loading models and of predicting. */
  long cpuNanos() {
    return cpuNanos;
  }

  /**
   * An event comes; one that only repeats another does not count.
   *
   * @throws IllegalArgumentException if its sample is the object of another event that is open
   */
  void arrived(int event) {
    arrived(event, stream.samples()[event]);
  }

  /**
   * An event comes, in its context.
   *
   * @param sample the event's sample with its context
   */
  void arrived(int event, Sample sample) {
    if (stream.repeated()[event]) {
      return;
    }
    Integer other = open.put(sample, event);
    if (other != null) {
      throw new IllegalArgumentException(
          "events %d and %d of %s share a sample object".formatted(other, event, stream.name()));
    }
  }

  /** A model is put in service: what came before has none, or had the one that was closed. */
  @Override
  public TaskModel load(ModelArtifact artifact) throws IOException {
    finish();
    long start = CpuTime.nanos();
    TaskModel model = models.load(artifact);
    cpuNanos += CpuTime.nanos() - start;
    serving = model;
    return new ObservedModel(model, new LearnerPredictions());
  }

  /** Tallies what is still open. */
  void finish() {
    List<Map.Entry<Sample, Integer>> left =
        open.entrySet().stream().sorted(Map.Entry.comparingByValue()).toList();
    TaskModel model = serving;
    if (model == null) {
      left.forEach(each -> tally.guessed(each.getValue()));
      open.clear();
    } else if (!left.isEmpty()) {
      predict(model, left.stream().map(Map.Entry::getKey).toList());
    }
  }

  private void predict(TaskModel model, List<Sample> samples) {
    long start = CpuTime.nanos();
    double[][] predictions = model.predict(samples);
    cpuNanos += CpuTime.nanos() - start;
    tally(samples, predictions);
  }

  private void tally(List<Sample> samples, double[][] predictions) {
    for (int i = 0; i < predictions.length; i++) {
      Integer event = open.remove(samples.get(i));
      if (event != null) {
        int given = (int) samples.get(i).label();
        tally.predicted(event, predictions[i], stream.trueLabels()[event], given);
      }
    }
  }

  /** Tallies what the learner predicts. */
  private final class LearnerPredictions implements ObservedModel.Observer {
    @Override
    public void predicted(List<Sample> samples, double[][] predictions, long took) {
      // With a history the learner gives its samples contexts of their own, so that they are
      // predicted here once more.
      if (stream.schema().history() == null) {
        cpuNanos += took;
      }
      tally(samples, predictions);
    }

    /** What came while the model was in service is predicted by it. */
    @Override
    public void ends() {
      finish();
      serving = null;
    }
  }
}
