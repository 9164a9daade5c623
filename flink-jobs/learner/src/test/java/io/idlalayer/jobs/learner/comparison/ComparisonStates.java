package io.idlalayer.jobs.learner.comparison;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Example states of a comparison. */
public final class ComparisonStates {
  private static final SampleSchema.Label LABEL =
      new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1"));

  private ComparisonStates() {}

  private static VersionComparison comparison(List<SlowScorer> scorers) {
    return new VersionComparison(
        10,
        QualityMetric.ACCURACY,
        () -> new PrequentialEvaluator(LABEL),
        () -> {
          SlowScorer made = new SlowScorer();
          scorers.add(made);
          return made;
        });
  }

  private static ModelArtifact always(int label) {
    return new ModelArtifact(new TreeMap<>(Map.of("class", new byte[] {(byte) label})));
  }

  private static VersionComparison example() {
    List<SlowScorer> scorers = new ArrayList<>();
    VersionComparison comparison = comparison(scorers);
    comparison.published(3, 12, always(0), 0);
    comparison.published(5, 21, always(1), 0);
    long[] ids = new long[9];
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      ids[i] = i;
      samples.add(new Sample("s" + i, new double[] {i}, new int[0], i % 2));
    }
    double[] before = new double[ids.length];
    comparison.scored(SlowScorer.always(1, new ScoringBatch(ids, samples, before, before)));
    comparison.poll();
    scorers.forEach(SlowScorer::work);
    comparison.poll();
    return comparison;
  }

  public static byte[] sums() {
    return Objects.requireNonNull(example().snapshot());
  }

  public static byte[] versions() {
    return Objects.requireNonNull(example().versionsSnapshot());
  }

  /** Returns what is written after a comparison has read sums. */
  public static byte[] readAndWrittenSums(byte[] sums) {
    VersionComparison comparison = comparison(new ArrayList<>());
    comparison.restore(sums, versions());
    return Objects.requireNonNull(comparison.snapshot());
  }

  /** Returns what is written after a comparison has read versions. */
  public static byte[] readAndWrittenVersions(byte[] versions) {
    VersionComparison comparison = comparison(new ArrayList<>());
    comparison.restore(sums(), versions);
    return Objects.requireNonNull(comparison.versionsSnapshot());
  }
}
