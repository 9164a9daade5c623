package io.idlalayer.modelcontroller.quality.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class TargetMeasuresTest {
  private static final double TINY = 1e-9;

  @Test
  void metrics_fourTargets_areThoseComputedByHand() {
    TargetMeasures measures = new TargetMeasures();
    measures.add(new TargetAnswer(10, 12, Double.NaN, 1));
    measures.add(new TargetAnswer(14, 13, 10, 1));
    measures.add(new TargetAnswer(12, 8, 14, 1));
    measures.add(new TargetAnswer(20, 21, 12, 1));
    assertThat(measures.errors().meanAbsolute()).isEqualTo(2);
    assertThat(measures.errors().rootMeanSquared()).isCloseTo(Math.sqrt(5.5), within(TINY));
    assertThat(measures.noChangeErrors().meanAbsolute()).isCloseTo(14 / 3.0, within(TINY));
    TargetMetrics metrics = measures.metrics();
    // Mean 14, squares 16 + 0 + 4 + 36.
    assertThat(metrics.deviation()).isCloseTo(Math.sqrt(14), within(TINY));
    assertThat(metrics.rSquared()).isCloseTo(1 - 22 / 56.0, within(TINY));
    assertThat(metrics.mase()).as("without the first sample").isCloseTo(6 / 14.0, within(TINY));
    // Too small by 5 in all, too large by 3.
    assertThat(metrics.quantileLoss10()).isCloseTo((0.1 * 5 + 0.9 * 3) / 4, within(TINY));
    assertThat(metrics.quantileLoss90()).isCloseTo((0.9 * 5 + 0.1 * 3) / 4, within(TINY));
  }

  @Test
  void metrics_constantTarget_explainNothing() {
    TargetMeasures measures = new TargetMeasures();
    for (int i = 0; i < 10; i++) {
      measures.add(new TargetAnswer(0.1, 0.2, 0.1, 1));
    }
    assertThat(measures.metrics().rSquared()).isNull();
    assertThat(measures.metrics().mase()).as("the last value is never wrong").isNull();
    assertThat(measures.errors().meanAbsolute()).isCloseTo(0.1, within(TINY));
  }

  @Test
  void metrics_beforeTheFirstSample_areUndefined() {
    assertThat(new TargetMeasures().metrics().rSquared()).isNull();
    assertThat(new TargetMeasures().metrics().mase()).isNull();
    assertThat(new TargetMeasures().errors()).isEqualTo(new TargetErrors(0, 0, 0, 0));
  }

  @Test
  void metrics_weightZero_countsForNothing() {
    TargetMeasures measures = new TargetMeasures();
    measures.add(new TargetAnswer(1e9, 0, 0, 0));
    assertThat(measures.metrics()).isEqualTo(new TargetMeasures().metrics());
    measures.add(new TargetAnswer(1, 2, 3, 1));
    measures.add(new TargetAnswer(3, 2, 1, 1));
    assertThat(measures.metrics().deviation()).isEqualTo(1);
    assertThat(measures.metrics().mase()).isEqualTo(0.5);
  }

  @Test
  void metrics_largeLevel_doesNotHideTheVariance() {
    TargetMeasures measures = new TargetMeasures();
    for (int i = 0; i < 1_000; i++) {
      measures.add(new TargetAnswer(1e9 + i % 2, 1e9 + 0.5, Double.NaN, 1));
    }
    assertThat(measures.metrics().deviation()).isCloseTo(0.5, within(1e-6));
    assertThat(measures.metrics().rSquared()).isCloseTo(0, within(1e-6));
  }

  @Test
  void answer_numbersThatAreNone_areRefused() {
    assertThatThrownBy(() -> new TargetAnswer(Double.NaN, 0, 0, 1))
        .hasMessageContaining("label is NaN");
    assertThatThrownBy(() -> new TargetAnswer(0, 0, 0, -1)).hasMessageContaining("weight is -1.0");
  }

  @Property(tries = 40)
  void add_partsThatWereWrittenAndRead_equalLoopsOverTheSamples(
      @ForAll int seed,
      @ForAll @IntRange(min = 1, max = 100) int count,
      @ForAll @IntRange(min = 0, max = 100) int split) {
    Random random = new Random(seed);
    List<TargetAnswer> answers = new ArrayList<>();
    TargetMeasures first = new TargetMeasures();
    TargetMeasures second = new TargetMeasures();
    double weights = 0;
    double labels = 0;
    double squares = 0;
    for (int i = 0; i < count; i++) {
      TargetAnswer answer =
          new TargetAnswer(
              100 + random.nextGaussian(),
              100 + random.nextGaussian(),
              100 + random.nextGaussian(),
              1 + random.nextInt(3));
      answers.add(answer);
      (i < split ? first : second).add(answer);
      weights += answer.weight();
      labels += answer.weight() * answer.label();
      squares += answer.weight() * Math.pow(answer.label() - answer.predicted(), 2);
    }
    double mean = labels / weights;
    double spread =
        answers.stream().mapToDouble(a -> a.weight() * Math.pow(a.label() - mean, 2)).sum();
    first = MeasuredStates.restored(first);
    first.add(MeasuredStates.restored(second));
    assertThat(first.errors().rootMeanSquared())
        .isCloseTo(Math.sqrt(squares / weights), within(TINY));
    assertThat(first.metrics().deviation()).isCloseTo(Math.sqrt(spread / weights), within(TINY));
    if (spread > 1e-6) {
      assertThat(first.metrics().rSquared()).isCloseTo(1 - squares / spread, within(1e-6));
    }
  }
}
