package io.idlalayer.modelloader.network;

import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The exponential linear unit (Clevert 2016) with any alpha. Deeplearning4j's own one is trained
 * with the slope of alpha 1.
 */
public final class Elu extends NumberActivation {
  private static final long serialVersionUID = 1L;

  private double alpha = 1;

  /** Called by Deeplearning4j, which sets alpha afterwards. */
  public Elu() {}

  /**
   * @param alpha limit towards minus infinity, with the opposite sign, above 0
   */
  public Elu(double alpha) {
    setAlpha(alpha);
  }

  public double getAlpha() {
    return alpha;
  }

  public void setAlpha(double alpha) {
    if (!(alpha > 0) || !Float.isFinite((float) alpha)) {
      throw new IllegalArgumentException("alpha of Elu must be a number above 0, not " + alpha);
    }
    this.alpha = alpha;
  }

  @Override
  DoubleUnaryOperator function() {
    return x -> x > 0 ? x : alpha * Math.expm1(x);
  }

  @Override
  DoubleUnaryOperator slope() {
    return x -> x > 0 ? 1 : alpha * Math.exp(x);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Elu that && Double.compare(alpha, that.alpha) == 0;
  }

  @Override
  public int hashCode() {
    return Double.hashCode(alpha);
  }

  @Override
  public String toString() {
    return "Elu(" + alpha + ")";
  }
}
