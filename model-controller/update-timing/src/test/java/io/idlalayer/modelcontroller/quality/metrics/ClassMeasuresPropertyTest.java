package io.idlalayer.modelcontroller.quality.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares the sums with loops over all samples, and over all pairs of them. */
final class ClassMeasuresPropertyTest {
  private static final double TINY = 1e-9;

  private static List<ClassAnswer> answers(int seed, int count, int classes) {
    Random random = new Random(seed);
    double skill = random.nextDouble();
    List<ClassAnswer> answers = new ArrayList<>();
    int before = ClassAnswer.NONE;
    for (int i = 0; i < count; i++) {
      int label = random.nextDouble() < 0.6 ? 0 : random.nextInt(classes);
      int predicted = random.nextDouble() < skill ? label : random.nextInt(classes);
      // Many equal scores, and scores near both ends.
      double logit = random.nextInt(4) == 0 ? random.nextInt(3) - 1 : 5 * random.nextGaussian();
      answers.add(
          new ClassAnswer(
              label,
              predicted,
              before,
              i == 0 ? ClassAnswer.NONE : 0,
              3 * random.nextDouble(),
              1 / (1 + Math.exp(-logit - (label == 1 ? 3 * skill : 0))),
              random.nextInt(classes),
              random.nextInt(3) == 0 ? 2.5 : 1));
      before = label;
    }
    return answers;
  }

  private static double sum(List<ClassAnswer> answers, ToDoubleFunction<ClassAnswer> value) {
    return answers.stream().mapToDouble(each -> each.weight() * value.applyAsDouble(each)).sum();
  }

  private static double mean(List<ClassAnswer> answers, ToDoubleFunction<ClassAnswer> value) {
    return sum(answers, value) / sum(answers, each -> 1);
  }

  @Property(tries = 60)
  void auc_anyScores_isWithinItsErrorOfAllPairs(
      @ForAll int seed, @ForAll @IntRange(min = 1, max = 120) int count) {
    List<ClassAnswer> answers = answers(seed, count, 2);
    ClassMeasures measures = new ClassMeasures(2);
    answers.forEach(measures::add);
    double pairs = 0;
    double ordered = 0;
    for (ClassAnswer one : answers) {
      for (ClassAnswer other : answers) {
        if (one.label() == 1 && other.label() == 0) {
          double weight = one.weight() * other.weight();
          pairs += weight;
          ordered += weight * (1 + Math.signum(one.probability() - other.probability())) / 2;
        }
      }
    }
    ClassMetrics metrics = measures.metrics();
    if (pairs == 0) {
      assertThat(metrics.auc()).isNull();
      return;
    }
    assertThat(metrics.auc()).isCloseTo(ordered / pairs, within(metrics.aucError() + TINY));
    assertThat(metrics.aucError()).isBetween(0.0, 0.5);
  }

  @Property(tries = 60)
  void labelMetrics_anyAnswers_equalLoopsOverTheSamples(
      @ForAll int seed,
      @ForAll @IntRange(min = 1, max = 120) int count,
      @ForAll @IntRange(min = 2, max = 7) int classes) {
    List<ClassAnswer> answers = answers(seed, count, classes);
    ClassMeasures measures = new ClassMeasures(classes);
    answers.forEach(measures::add);
    ClassMetrics metrics = measures.metrics();
    double accuracy = mean(answers, each -> each.label() == each.predicted() ? 1 : 0);
    double noChange = mean(answers, each -> each.label() == each.noChange() ? 1 : 0);
    double chance = 0;
    double entropy = 0;
    for (int i = 0; i < classes; i++) {
      int of = i;
      double share = mean(answers, each -> each.label() == of ? 1 : 0);
      chance += share * mean(answers, each -> each.predicted() == of ? 1 : 0);
      entropy -= share == 0 ? 0 : share * Math.log(share);
    }
    assertThat(measures.accuracy()).isCloseTo(accuracy, within(TINY));
    assertThat(measures.noChangeAccuracy()).isCloseTo(noChange, within(TINY));
    assertThat(measures.logLoss()).isCloseTo(mean(answers, ClassAnswer::logLoss), within(TINY));
    if (chance < 1 - TINY) {
      assertThat(metrics.model().kappa())
          .isCloseTo((accuracy - chance) / (1 - chance), within(TINY));
    }
    if (noChange < 1) {
      assertThat(metrics.kappaTemporal())
          .isCloseTo((accuracy - noChange) / (1 - noChange), within(TINY));
    }
    if (entropy > 0) {
      assertThat(metrics.normalizedEntropy())
          .isCloseTo(mean(answers, ClassAnswer::logLoss) / entropy, within(1e-6));
    }
  }

  @Property(tries = 40)
  void curve_anyScores_coversAllSamplesInOrder(
      @ForAll int seed, @ForAll @IntRange(min = 1, max = 400) int count) {
    List<ClassAnswer> answers = answers(seed, count, 2);
    ClassMeasures measures = new ClassMeasures(2);
    answers.forEach(measures::add);
    List<CalibrationBin> curve = measures.calibration();
    assertThat(curve).hasSizeBetween(1, ScoreHistogram.CURVE_BINS);
    assertThat(curve).extracting(CalibrationBin::predicted).isSorted();
    assertThat(curve.stream().mapToDouble(CalibrationBin::samples).sum())
        .isCloseTo(sum(answers, each -> 1), within(TINY));
    assertThat(curve.stream().mapToDouble(each -> each.samples() * each.predicted()).sum())
        .isCloseTo(sum(answers, ClassAnswer::probability), within(TINY * count));
    assertThat(curve.stream().mapToDouble(each -> each.samples() * each.actual()).sum())
        .isCloseTo(sum(answers, each -> each.label()), within(TINY * count));
  }

  @Property(tries = 40)
  void add_partsThatWereWrittenAndRead_equalTheWhole(
      @ForAll int seed,
      @ForAll @IntRange(min = 0, max = 120) int count,
      @ForAll @IntRange(min = 0, max = 120) int split) {
    List<ClassAnswer> answers = answers(seed, count, 2);
    ClassMeasures whole = new ClassMeasures(2);
    answers.forEach(whole::add);
    ClassMeasures first = new ClassMeasures(2);
    ClassMeasures second = new ClassMeasures(2);
    for (int i = 0; i < count; i++) {
      (i < split ? first : second).add(answers.get(i));
    }
    first = MeasuredStates.restored(first, 2);
    first.add(MeasuredStates.restored(second, 2));
    assertThat(first.metrics())
        .usingRecursiveComparison()
        .withComparatorForType((a, b) -> Math.abs(a - b) < TINY ? 0 : 1, Double.class)
        .isEqualTo(whole.metrics());
    assertThat(first.calibration()).hasSameSizeAs(whole.calibration());
    assertThat(first.logLoss()).isCloseTo(whole.logLoss(), within(TINY));
  }
}
