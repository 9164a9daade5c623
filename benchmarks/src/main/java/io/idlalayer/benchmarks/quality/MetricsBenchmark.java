package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.quality.Confidence;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how much time the quality metrics of a tested sample take, and the metrics of a status
 * with new samples.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 8, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class MetricsBenchmark {
  private static final int BATCH = 256;

  /** Number of classes; 0 for targets. */
  @Param({"0", "2", "10", "100"})
  int classes;

  private PrequentialEvaluator evaluator = evaluator(0);
  private ScoredBatch batch = batch(0);
  private ScoredBatch one = batch(0);

  /** Creates an evaluator whose window is full. */
  @Setup(Level.Trial)
  public void fill() {
    evaluator = evaluator(classes);
    batch = batch(BATCH);
    one = batch(1);
    for (int i = 0; i < 2 * PrequentialSummary.WINDOW; i += BATCH) {
      evaluator.scored(batch);
    }
  }

  private static PrequentialEvaluator evaluator(int classes) {
    List<String> names =
        IntStream.range(0, classes).mapToObj(i -> String.format(Locale.ROOT, "k%d", i)).toList();
    return new PrequentialEvaluator(
        new Label("y", classes == 0 ? Task.REGRESSION : Task.CLASSIFICATION, names));
  }

  private ScoredBatch batch(int samples) {
    Random random = new Random(7);
    List<Sample> labelled = new ArrayList<>();
    double[] references = new double[samples];
    double[][] predictions = new double[samples][];
    double[] predicted = new double[samples];
    float[] losses = new float[samples];
    for (int i = 0; i < samples; i++) {
      int label = classes == 0 ? 0 : random.nextInt(classes);
      labelled.add(Sample.of(new double[] {0}, label));
      predictions[i] = random.doubles(Math.max(1, classes)).toArray();
      double sum = 0;
      for (double each : predictions[i]) {
        sum += each;
      }
      for (int k = 0; k < classes; k++) {
        predictions[i][k] /= sum;
      }
      losses[i] = (float) -Math.log(predictions[i][label]);
      predicted[i] = classes == 0 ? predictions[i][0] : ScoredBatch.mostProbable(predictions[i]);
    }
    return ScoredBatch.of(
        new ScoringBatch(new long[samples], labelled, references, references),
        losses,
        predicted,
        Confidence.of(labelled, predictions));
  }

  /** Adds one tested sample. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void sample() {
    evaluator.scored(batch);
  }

  /** Adds one tested sample, and computes the summary for a status. */
  @Benchmark
  public PrequentialSummary status() {
    evaluator.scored(one);
    return evaluator.summary();
  }

  /** Writes the state for a checkpoint. */
  @Benchmark
  public byte[] checkpoint() {
    return evaluator.snapshot();
  }
}
