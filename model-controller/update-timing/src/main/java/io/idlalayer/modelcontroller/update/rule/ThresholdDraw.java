package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.state.StateFormat;
import java.util.SplittableRandom;

/**
 * Draws the threshold factor zeta of a {@link DlaRule}. The factor is fixed, or it is drawn as ln(1
 * + (e-1)*U) with U uniform in [0, 1). With one draw per run, the rule is then e/(e-1)-competitive
 * in expectation (Karlin 2001).
 */
public final class ThresholdDraw {
  private static final StateFormat FORMAT = StateFormat.first("rule dla-random");

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

  public static ThresholdDraw fixed(double factor) {
    return new ThresholdDraw(factor, 0, false);
  }

  /**
   * Returns a factor that is drawn at random.
   *
   * @param everyUpdate whether to draw anew after every update instead of once; costs are lower in
   *     practice, but the competitive ratio is not proved
   */
  public static ThresholdDraw random(long seed, boolean everyUpdate) {
    return new ThresholdDraw(0, seed, everyUpdate);
  }

  private void draw() {
    double u = new SplittableRandom(seed + draws * BitMixer.GOLDEN_RATIO).nextDouble();
    factor = fixed > 0 ? fixed : Math.log1p((Math.E - 1) * u);
  }

  double factor() {
    return factor;
  }

  void updated() {
    if (everyUpdate) {
      draws++;
      draw();
    }
  }

  /** Returns the number of draws so far as bytes; empty if the factor is fixed. */
  byte[] snapshot() {
    return everyUpdate ? FORMAT.writer().putLong(1, draws).bytes() : new byte[0];
  }

  void restore(byte[] snapshot) {
    if (everyUpdate) {
      draws = FORMAT.reader(snapshot).getLong(1);
      draw();
    }
  }
}
