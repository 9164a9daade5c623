package io.idlalayer.modelcontroller.update;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The threshold factor zeta of a {@link DlaRule}: fixed, or drawn as ln(1 + (e-1)*U), which is
 * e/(e-1)-competitive in expectation with one draw per run (Karlin, Kenyon, Randall).
 */
final class ThresholdDraw {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final double fixed;
  private final long seed;
  private final boolean everyUpdate;
  private long draws;
  private double factor;

  private ThresholdDraw(double fixed, long seed, boolean everyUpdate) {
    this.fixed = fixed;
    this.seed = seed;
    this.everyUpdate = everyUpdate;
    draw();
  }

  static ThresholdDraw fixed(double factor) {
    return new ThresholdDraw(factor, 0, false);
  }

  /**
   * A random factor.
   *
   * @param everyUpdate draw anew after every update instead of once: better in practice, not proved
   */
  static ThresholdDraw random(long seed, boolean everyUpdate) {
    return new ThresholdDraw(0, seed, everyUpdate);
  }

  private void draw() {
    double u = new SplittableRandom(seed + draws * GOLDEN).nextDouble();
    factor = fixed > 0 ? fixed : Math.log1p((Math.E - 1) * u);
  }

  double factor() {
    return factor;
  }

  void committed() {
    if (everyUpdate) {
      draws++;
      draw();
    }
  }

  byte[] memory() {
    return everyUpdate ? ByteBuffer.allocate(Long.BYTES).putLong(draws).array() : new byte[0];
  }

  void remember(byte[] memory) {
    if (everyUpdate) {
      draws = ByteBuffer.wrap(memory).getLong();
      draw();
    }
  }
}
