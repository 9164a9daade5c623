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
 * Tallies for every event of a stream the prediction of the model that was in service when the
 * event came. The learner predicts new samples to score them, and this class takes these
 * predictions. The learner does not score a sample if it already has an equal sample; this class
 * predicts such samples itself. Confined to one thread.
 */
final class PrequentialMeasure implements Scorer.ModelFactory {
  private final DriftStream stream;
  private final TestedModels models;
  private final Tally tally;

  /** Events that have come and are not predicted yet. */
  private final IdentityHashMap<Sample, Integer> open = new IdentityHashMap<>();

  private @Nullable TaskModel serving;
  private long cpuNanos;

  /**
   * @param models loads the models that predict
   */
  PrequentialMeasure(DriftStream stream, TestedModels models) {
    this.stream = stream;
    this.models = models;
    tally = new Tally(stream.classes(), stream.size());
  }

  Tally tally() {
    return tally;
  }

  /** Returns the processor time of loading models and of predicting, in nanoseconds. */
  long cpuNanos() {
    return cpuNanos;
  }

  /**
   * Records that an event has come. An event that only repeats another event does not count.
   *
   * @throws IllegalArgumentException if another event that is not predicted yet has the same sample
   *     object
   */
  void arrived(int event) {
    arrived(event, stream.samples()[event]);
  }

  /**
   * Records that an event has come in its context.
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

  /**
   * Puts a model in service. If no model was in service before, events that are not predicted yet
   * are counted as guesses.
   */
  @Override
  public TaskModel load(ModelArtifact artifact) throws IOException {
    finish();
    long start = CpuTime.nanos();
    TaskModel model = models.load(artifact);
    cpuNanos += CpuTime.nanos() - start;
    serving = model;
    return new ObservedModel(model, new LearnerPredictions());
  }

  /** Tallies the events that are not predicted yet. */
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

  /** Tallies the predictions of the learner. */
  private final class LearnerPredictions implements ObservedModel.Observer {
    @Override
    public void predicted(List<Sample> samples, double[][] predictions, long took) {
      // With a history, the learner creates its own samples with contexts. The events are then
      // predicted once more by this class, and only that time is counted.
      if (stream.schema().history() == null) {
        cpuNanos += took;
      }
      tally(samples, predictions);
    }

    /**
     * Lets the model predict the remaining events that came while it was in service, before it is
     * closed.
     */
    @Override
    public void ends() {
      finish();
      serving = null;
    }
  }
}
