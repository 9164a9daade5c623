package io.idlalayer.modelcontroller.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.ModelComparison.Verdict;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.Collections;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelComparisonTest {
  private static GateSettings settings(double margin) {
    return new GateSettings(
        Action.HOLD,
        AfterPublishing.OFF,
        Metric.ACCURACY,
        margin,
        100,
        10,
        ContinueFrom.NEWEST,
        null);
  }

  /**
   * Samples of class 1.
   *
   * @param lost that only the baseline predicts rightly, first
   * @param won that only the new model does
   * @param count all of them
   */
  private static ScoredBatch scored(int lost, int won, int count) {
    Sample sample = new Sample("s", new double[] {1}, new int[0], 1);
    double[] own = new double[count];
    double[] other = new double[count];
    for (int i = 0; i < count; i++) {
      own[i] = i < lost ? 0 : 1;
      other[i] = i >= lost && i < lost + won ? 0 : 1;
    }
    return ScoredBatch.of(
            ScoringBatch.toCompare(
                new long[count],
                Collections.nCopies(count, sample),
                IdVectors.NONE,
                IdVectors.NONE),
            new float[count],
            own)
        .beside(new ScoredBatch.Rival(1, 1, new float[count], other));
  }

  private static Verdict ofTrusted(int lost, int won) {
    ModelComparison comparison = new ModelComparison(settings(0.01), 1_000);
    comparison.add(scored(lost, won, 1_000));
    return comparison.verdict();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, GOOD",
    "60, 50, GOOD",
    "61, 50, DOUBTFUL",
    "80, 50, DOUBTFUL",
    "130, 50, DOUBTFUL",
    "131, 50, WORSE",
    "34, 0, DOUBTFUL",
    "35, 0, WORSE",
    "50, 130, GOOD",
    "1000, 0, WORSE"
  })
  void verdict_trusted_isWorseOnlyBeyondChance(int lost, int won, Verdict expected) {
    assertThat(ofTrusted(lost, won)).isEqualTo(expected);
  }

  @Test
  void verdict_trusted_isOpenUntilTheLast() {
    ModelComparison comparison = new ModelComparison(settings(0.01), 1_000);
    comparison.add(scored(900, 0, 999));
    assertThat(comparison.verdict()).isEqualTo(Verdict.OPEN);
    comparison.add(scored(0, 0, 1));
    assertThat(comparison.verdict()).isEqualTo(Verdict.WORSE);
  }

  @Test
  void verdict_thatArrive_isWorseAsSoonAsThatIsHardlyChance() {
    ModelComparison comparison = new ModelComparison(settings(0.01), 0);
    comparison.add(scored(10, 0, 10));
    assertThat(comparison.verdict()).isEqualTo(Verdict.OPEN);
    comparison.add(scored(25, 0, 25));
    assertThat(comparison.verdict()).isEqualTo(Verdict.WORSE);
  }

  /**
   * Whatever the order: a file sorted by class, of which a model loses one and wins the other, is
   * as good as a mixed one.
   */
  @Property(tries = 300)
  void verdict_trustedWithoutHarmOnTheWholeFile_isNeverWorse(
      @ForAll @IntRange(max = 3_000) int count,
      @ForAll @DoubleRange(max = 0.2) double margin,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int n = Math.max(1, count);
    int most = (int) (n * (1 + margin) / 2);
    int lost = random.nextInt(most + 1);
    int won = Math.min(n - lost, lost + 1);
    ModelComparison comparison = new ModelComparison(settings(margin), n);
    comparison.add(scored(lost, won, n));
    if (comparison.difference() <= margin) {
      assertThat(comparison.verdict()).isEqualTo(Verdict.GOOD);
    }
  }

  /** Files of samples of which the model loses and wins as often as the margin allows. */
  @Test
  void verdict_trustedAtTheMargin_falseAlarmsAreRare() {
    SplittableRandom random = new SplittableRandom(8);
    int worse = 0;
    for (int file = 0; file < 20_000; file++) {
      int lost = 0;
      int won = 0;
      for (int i = 0; i < 200; i++) {
        double drawn = random.nextDouble();
        lost += drawn < 0.155 ? 1 : 0;
        won += drawn > 0.855 ? 1 : 0;
      }
      ModelComparison comparison = new ModelComparison(settings(0.01), 200);
      comparison.add(scored(lost, won, 200));
      worse += comparison.verdict() == Verdict.WORSE ? 1 : 0;
    }
    assertThat(worse).as("of 20,000; 0.2 are expected at most").isLessThanOrEqualTo(2);
  }
}
