package io.idlalayer.modelcontroller.mixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ExpertWeightsTest {
  private static final double RATE = 0.05;
  private static final double SHARE = 1e-5;

  private static void repeat(ExpertWeights weights, int samples, double... given) {
    for (int i = 0; i < samples; i++) {
      weights.add(given, 0, 1);
    }
  }

  @Test
  void weights_noSampleYet_areEqual() {
    assertThat(new ExpertWeights(4, RATE, SHARE).weights()).containsExactly(0.25, 0.25, 0.25, 0.25);
  }

  @Test
  void add_oneExpertIsBetter_getsNearlyAllWeight() {
    ExpertWeights weights = new ExpertWeights(2, RATE, SHARE);
    repeat(weights, 1_000, 0.8, 0.5);
    assertThat(weights.weights()[0]).isGreaterThan(0.99);
  }

  @Test
  void add_betterExpertChanges_weightsFollowWithinSomeHundredSamples() {
    ExpertWeights weights = new ExpertWeights(2, RATE, SHARE);
    repeat(weights, 100_000, 0.8, 0.4);
    repeat(weights, 300, 0.2, 0.4);
    assertThat(weights.weights()[1]).isGreaterThan(0.9);
  }

  @Test
  void add_expertTooSureOfItself_keepsPartOfTheWeight() {
    // Right in 8 of 10 cases, and surer than that: alone it loses to a fair coin.
    ExpertWeights weights = new ExpertWeights(2, RATE, SHARE);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 5_000; i++) {
      boolean right = random.nextDouble() < 0.8;
      weights.add(new double[] {right ? 0.999 : 0.001, 0.5}, 0, 1);
    }
    assertThat(weights.weights()[0]).isBetween(0.4, 0.8);
  }

  @Test
  void add_sampleWithoutWeight_changesNothing() {
    ExpertWeights weights = new ExpertWeights(2, RATE, SHARE);
    weights.add(new double[] {0.9, 0.1}, 0, 0);
    assertThat(weights.weights()).containsExactly(0.5, 0.5);
  }

  @Test
  void add_heavySample_countsAtMostAsBayesRule() {
    ExpertWeights weights = new ExpertWeights(2, RATE, 0);
    weights.add(new double[] {0.9, 0.1}, 0, 1e9);
    assertThat(weights.weights()[0]).isCloseTo(0.9, within(1e-12));
  }
}
