package io.idlalayer.benchmarks.source;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.ObservedModel;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.TestedModels;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Samples of classes. The model in service predicts each one when it arrives, before any model has
 * trained on it. Samples before the first model count as predicted with equal probabilities.
 */
final class ClassWorkload implements Workload {
  private final ModelSpec spec;
  private final List<Sample> samples;
  private final EngineChoice engine;
  private final TestedModels tested;
  private final Predictions predictions;

  /** Samples that no model has predicted. */
  private final Set<Sample> open = Collections.newSetFromMap(new IdentityHashMap<>());

  private long judgingNanos;

  ClassWorkload(ModelSpec spec, List<Sample> samples) {
    this.spec = spec;
    this.samples = samples;
    engine = EngineChoice.of(EngineName.ONEDNN, spec, null);
    tested = engine.testedModels();
    predictions = new Predictions(spec.outputWidth());
  }

  @Override
  public ModelSpec spec() {
    return spec;
  }

  @Override
  public List<Sample> samples() {
    return samples;
  }

  @Override
  public int replayBudget() {
    return 256;
  }

  @Override
  public Trainer trainer() {
    return engine.trainer("source", false);
  }

  @Override
  public Scorer.ModelFactory models() {
    return artifact -> {
      long start = CpuTime.nanos();
      TaskModel model = tested.load(artifact);
      judgingNanos += CpuTime.nanos() - start;
      return new ObservedModel(model, this::predicted);
    };
  }

  @Override
  public void arrived(Sample sample) {
    open.add(sample);
  }

  @Override
  public void passed(long millis) {}

  @Override
  public long judgingNanos() {
    return judgingNanos;
  }

  @Override
  public Outcome.Quality quality() {
    open.forEach(unused -> predictions.guessed());
    open.clear();
    return predictions.quality();
  }

  private void predicted(List<Sample> asked, double[][] given, long cpuNanos) {
    long start = CpuTime.nanos();
    for (int i = 0; i < given.length; i++) {
      if (open.remove(asked.get(i))) {
        predictions.predicted(given[i], (int) asked.get(i).label());
      }
    }
    judgingNanos += cpuNanos + CpuTime.nanos() - start;
  }

  /** Keeps what was predicted. One thread. */
  static final class Predictions {
    private static final double LEAST_PROBABILITY = 1e-7;

    private final int classes;
    private final List<Double> losses = new ArrayList<>();
    private double right;

    Predictions(int classes) {
      this.classes = classes;
    }

    /** A sample without a prediction counts as one with equal probabilities of all classes. */
    void guessed() {
      losses.add(Math.log(classes));
      right += 1.0 / classes;
    }

    void predicted(double[] probabilities, int label) {
      losses.add(-Math.log(Math.max(LEAST_PROBABILITY, probabilities[label])));
      int best = 0;
      for (int i = 1; i < probabilities.length; i++) {
        best = probabilities[i] > probabilities[best] ? i : best;
      }
      right += best == label ? 1 : 0;
    }

    Outcome.Quality quality() {
      double sum = losses.stream().mapToDouble(loss -> loss).sum();
      return new Outcome.Quality(right / losses.size(), sum / losses.size());
    }
  }
}
