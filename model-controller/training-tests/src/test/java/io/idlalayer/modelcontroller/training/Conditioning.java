package io.idlalayer.modelcontroller.training;

import java.io.IOException;
import java.util.SplittableRandom;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Tells trainings whose result depends on the last bit of a number, which two engines round
 * differently, from those that two engines must agree on. A unit near the kink of its activation is
 * of the first kind, and so is Adam where a gradient is all but zero: its step is as long as any
 * other, in a direction that rounding decides.
 */
final class Conditioning {
  /** Enough to pass over most of the first kind. */
  static final int FEW_DRAWS = 2;

  /** Enough to tell why two engines disagree. */
  static final int MANY_DRAWS = 24;

  /** Relative: a few roundings of a float. */
  private static final double MOVE = 5e-7;

  private Conditioning() {}

  /** Trains a network. */
  @FunctionalInterface
  interface Training {
    void train(TrainableNetwork network) throws Exception;
  }

  /**
   * How far an engine's own result moves when what it begins with moves by some roundings: the
   * largest relative distance of parameters and updater state.
   *
   * @param wanted its result without that
   * @param draws how many times it is moved; a unit that is near its kink for a part of them only
   *     is missed by few
   */
  static double sensitivity(
      TrainingEngine engine, long seed, Training training, byte[] wanted, int draws)
      throws Exception {
    byte[] begin;
    try (TrainableNetwork fresh = engine.create(seed)) {
      begin = fresh.encode();
    }
    double worst = 0;
    for (int draw = 1; draw <= draws; draw++) {
      try (TrainableNetwork network = engine.decode(moved(begin, draw))) {
        training.train(network);
        worst = Math.max(worst, Parity.distance(network.encode(), wanted));
      }
    }
    return worst;
  }

  private static byte[] moved(byte[] zip, long draw) throws IOException {
    SplittableRandom random = new SplittableRandom(draw);
    try (Restored restored = Restored.of(zip)) {
      INDArray parameters = restored.parameters();
      for (long i = 0; i < parameters.length(); i++) {
        double sign = random.nextBoolean() ? 1 : -1;
        parameters.putScalar(i, parameters.getDouble(i) * (1 + sign * MOVE));
      }
      return restored.written();
    }
  }
}
