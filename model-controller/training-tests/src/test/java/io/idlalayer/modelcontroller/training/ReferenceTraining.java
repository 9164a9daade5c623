package io.idlalayer.modelcontroller.training;

import net.jqwik.api.Assume;
import net.jqwik.api.statistics.Statistics;

/**
 * A training by one engine, whose result others must have too, unless it depends on the last bit of
 * a number. Such a training is passed over; the property fails if these are too many.
 *
 * @param result the file of the network that it made
 */
record ReferenceTraining(
    TrainingEngine engine, long seed, Conditioning.Training training, byte[] result) {
  /** Share of a property's draws that may be skipped, if these are more than a few. */
  private static final int MOST_PASSED_OVER_PERCENT = 40;

  /** Number of draws of which chance may skip a large share. */
  private static final int FEW = 10;

  private static final int LEAST_COMPARED = 2;

  /** Passes over a training that the engine does not repeat after some roundings. */
  void assumeConditioned() throws Exception {
    assumeConditioned(Conditioning.FEW_DRAWS);
  }

  /**
   * Asserts that another engine has made the same. If it has not, the training is looked at once
   * more, with more roundings, before the other engine is blamed.
   */
  void assertSame(String what, byte[] other) throws Exception {
    if (Parity.distance(other, result) >= Parity.TOLERANCE) {
      assumeConditioned(Conditioning.MANY_DRAWS);
    }
    Parity.assertSame(what, other, result);
  }

  private void assumeConditioned(int draws) throws Exception {
    boolean conditioned =
        Conditioning.sensitivity(engine, seed, training, result, draws) < Parity.TOLERANCE / 4;
    Statistics.label("results that depend on the last bit of a number")
        .collect(!conditioned)
        .coverage(all -> all.check(true).count(ReferenceTraining::isBearable));
    Assume.that(conditioned);
  }

  private static boolean isBearable(int passedOver, int draws) {
    return draws <= FEW
        ? draws - passedOver >= Math.min(LEAST_COMPARED, draws)
        : 100 * passedOver <= MOST_PASSED_OVER_PERCENT * draws;
  }
}
