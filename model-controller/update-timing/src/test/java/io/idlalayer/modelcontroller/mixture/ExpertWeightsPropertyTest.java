package io.idlalayer.modelcontroller.mixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

final class ExpertWeightsPropertyTest {
  private static final double ROUNDING = 1e-9;

  /** Gives each expert a likelihood for the next sample, knowing the weights. */
  private interface Stream {
    double[] next(double[] weights, SplittableRandom random);
  }

  private static double[] random(double[] weights, SplittableRandom random) {
    double[] given = new double[weights.length];
    for (int i = 0; i < given.length; i++) {
      given[i] = Math.max(1e-6, random.nextDouble());
    }
    return given;
  }

  /** The expert with the largest weight is always as wrong as can be. */
  private static double[] adverse(double[] weights, SplittableRandom random) {
    double[] given = new double[weights.length];
    int trusted = 0;
    for (int i = 0; i < given.length; i++) {
      given[i] = 0.5 + 0.5 * random.nextDouble();
      trusted = weights[i] > weights[trusted] ? i : trusted;
    }
    given[trusted] = 1e-6;
    return given;
  }

  private static void checkBound(
      Stream stream,
      int experts,
      double rate,
      double share,
      int samples,
      long seed,
      boolean weighs) {
    ExpertWeights weights = new ExpertWeights(experts, rate, share);
    SplittableRandom random = new SplittableRandom(seed);
    double mixture = 0;
    double[] alone = new double[experts];
    for (int t = 0; t < samples; t++) {
      double[] now = weights.weights();
      double[] given = stream.next(now, random);
      double importance = weighs ? random.nextDouble() / rate : 1;
      double mixed = 0;
      for (int i = 0; i < experts; i++) {
        mixed += now[i] * given[i];
        alone[i] -= importance * Math.log(given[i]);
      }
      mixture -= importance * Math.log(mixed);
      weights.add(given, 0, importance);
    }
    double bound = (Math.log(experts) - samples * Math.log1p(-share)) / rate;
    for (double loss : alone) {
      assertThat(mixture).isLessThanOrEqualTo(loss + bound + ROUNDING * samples);
    }
  }

  @Property(tries = 50)
  void add_randomLikelihoods_noExpertIsBetterByMoreThanTheBound(
      @ForAll @IntRange(min = 1, max = 6) int experts,
      @ForAll @DoubleRange(min = 0.01, max = 1) double rate,
      @ForAll @DoubleRange(min = 0, max = 0.01) double share,
      @ForAll boolean weighs,
      @ForAll long seed) {
    checkBound(ExpertWeightsPropertyTest::random, experts, rate, share, 400, seed, weighs);
  }

  @Property(tries = 50)
  void add_mostTrustedExpertIsWrong_noExpertIsBetterByMoreThanTheBound(
      @ForAll @IntRange(min = 1, max = 6) int experts,
      @ForAll @DoubleRange(min = 0.01, max = 1) double rate,
      @ForAll @DoubleRange(min = 0, max = 0.01) double share,
      @ForAll boolean weighs,
      @ForAll long seed) {
    checkBound(ExpertWeightsPropertyTest::adverse, experts, rate, share, 400, seed, weighs);
  }

  @Property(tries = 50)
  void add_anyNumbers_weightsStayADistribution(
      @ForAll @IntRange(min = 1, max = 5) int experts,
      @ForAll double[] given,
      @ForAll double importance) {
    ExpertWeights weights = new ExpertWeights(experts, 0.05, 1e-5);
    for (int i = 0; i + experts <= given.length; i++) {
      weights.add(given, i, Math.abs(importance));
    }
    double sum = 0;
    for (double weight : weights.weights()) {
      assertThat(weight).isBetween(0.0, 1.0 + ROUNDING);
      sum += weight;
    }
    assertThat(sum).isCloseTo(1, within(1e-9));
  }

  @Property(tries = 50)
  void likelihood_meanOfPredictions_isAtLeastTheMeanOfLikelihoods(
      @ForAll @DoubleRange(min = 0.1, max = 1_000) double scale, @ForAll long seed) {
    // So the squared error of the weighted mean keeps the bound of the mixture's likelihood.
    SplittableRandom random = new SplittableRandom(seed);
    double weight = random.nextDouble();
    double[] errors = {
      scale * (2 * random.nextDouble() - 1), scale * (2 * random.nextDouble() - 1)
    };
    double mixed = weight * errors[0] + (1 - weight) * errors[1];
    double square = scale * scale;
    double mean =
        weight * ErrorScale.likelihood(errors[0] * errors[0], square)
            + (1 - weight) * ErrorScale.likelihood(errors[1] * errors[1], square);
    assertThat(ErrorScale.likelihood(mixed * mixed, square))
        .isGreaterThanOrEqualTo(mean - ROUNDING);
  }
}
