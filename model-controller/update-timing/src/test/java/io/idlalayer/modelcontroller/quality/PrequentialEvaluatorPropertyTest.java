package io.idlalayer.modelcontroller.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class PrequentialEvaluatorPropertyTest {
  /** Every arrival is a label, a prediction and whether it was scored, packed into a number. */
  @Property(tries = 500)
  void scored_anyHistory_equalsCountingAlsoAfterARestore(
      @ForAll @Size(max = 120) List<@IntRange(min = 0, max = 31) Integer> arrivals,
      @ForAll @IntRange(min = 0, max = 120) int restoreAt) {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(PrequentialEvaluatorTest.CLASSES);
    List<Integer> history = new ArrayList<>();
    int scored = 0;
    int hits = 0;
    int noChangeHits = 0;
    int majorityHits = 0;
    double loss = 0;
    for (int i = 0; i < arrivals.size(); i++) {
      if (i == restoreAt) {
        PrequentialEvaluator restored = new PrequentialEvaluator(PrequentialEvaluatorTest.CLASSES);
        restored.restore(evaluator.snapshot());
        evaluator = restored;
      }
      int label = arrivals.get(i) & 3;
      int predicted = arrivals.get(i) >> 2 & 3;
      evaluator.label(label, 1);
      double noChange = history.isEmpty() ? Double.NaN : history.get(history.size() - 1);
      double majority = majority(history);
      assertThat(evaluator.noChangeLabel()).isEqualTo(Double.valueOf(noChange));
      assertThat(evaluator.majorityLabel()).isEqualTo(Double.valueOf(majority));
      history.add(label);
      if (arrivals.get(i) >= 16) {
        evaluator.scored(
            PrequentialEvaluatorTest.scored(
                new double[] {label},
                new double[] {predicted / 4.0},
                new double[] {predicted},
                new double[] {noChange},
                new double[] {majority}));
        scored++;
        hits += predicted == label ? 1 : 0;
        noChangeHits += noChange == label ? 1 : 0;
        majorityHits += majority == label ? 1 : 0;
        loss += predicted / 4f;
      }
    }
    PrequentialSummary summary = evaluator.summary();
    double n = Math.max(1, scored);
    assertThat(summary.scored()).isEqualTo(scored);
    if (scored == 0) {
      assertThat(summary.classification()).isNull();
      return;
    }
    PrequentialSummary.Classification classification = summary.classification();
    assertThat(classification.accuracy()).isCloseTo(hits / n, within(1e-12));
    assertThat(classification.recentAccuracy()).isCloseTo(hits / n, within(1e-12));
    assertThat(classification.noChangeAccuracy()).isCloseTo(noChangeHits / n, within(1e-12));
    assertThat(classification.majorityAccuracy()).isCloseTo(majorityHits / n, within(1e-12));
    assertThat(classification.logLoss()).isCloseTo(loss / n, within(1e-9));
  }

  /** The most frequent label; of equals the one that got there first. */
  private static double majority(List<Integer> history) {
    int[] counts = new int[4];
    int most = 0;
    double best = Double.NaN;
    for (int label : history) {
      counts[label]++;
      if (counts[label] > most) {
        most = counts[label];
        best = label;
      }
    }
    return best;
  }

  /** A sample of a whole weight counts like that many equal samples, one after another. */
  @Property(tries = 100)
  void scored_wholeWeights_equalRepeatedSamples(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 0, max = 255) Integer> arrivals) {
    PrequentialEvaluator weighted = new PrequentialEvaluator(PrequentialEvaluatorTest.CLASSES);
    PrequentialEvaluator repeated = new PrequentialEvaluator(PrequentialEvaluatorTest.CLASSES);
    for (int arrival : arrivals) {
      int label = arrival & 1;
      int predicted = arrival >> 1 & 1;
      int noChange = arrival >> 2 & 1;
      int weight = arrival >> 6;
      weighted.label(label, weight);
      weighted.scored(one(label, predicted, noChange, weight));
      for (int i = 0; i < weight; i++) {
        repeated.label(label, 1);
        repeated.scored(one(label, predicted, noChange, 1));
      }
      PrequentialEvaluator restored = new PrequentialEvaluator(PrequentialEvaluatorTest.CLASSES);
      restored.restore(weighted.snapshot());
      weighted = restored;
    }
    PrequentialSummary.Classification one = weighted.summary().classification();
    PrequentialSummary.Classification other = repeated.summary().classification();
    assertThat(weighted.summary().scored()).isEqualTo(arrivals.size());
    if (other == null) {
      assertThat(one).isNull();
      return;
    }
    assertThat(one.logLoss()).isCloseTo(other.logLoss(), within(1e-12));
    assertThat(one.accuracy()).isCloseTo(other.accuracy(), within(1e-12));
    assertThat(one.recentAccuracy()).isCloseTo(other.recentAccuracy(), within(1e-12));
    assertThat(one.noChangeAccuracy()).isCloseTo(other.noChangeAccuracy(), within(1e-12));
    assertThat(one.majorityAccuracy()).isCloseTo(other.majorityAccuracy(), within(1e-12));
  }

  private static ScoredBatch one(int label, int predicted, int noChange, double weight) {
    return ScoredBatch.of(
        new ScoringBatch(
            new long[1],
            List.of(Sample.of(new double[] {0}, label).withWeight(weight)),
            new double[] {noChange},
            new double[] {noChange}),
        new float[] {predicted == label ? 0.25f : 1.5f},
        new double[] {predicted});
  }
}
