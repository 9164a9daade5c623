package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.function.ActivationFormulas;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The hard sigmoid, a half plus alpha times the number, but between 0 and 1. That of Keras,
 * Deeplearning4j and ONNX has alpha 0.2, that of PyTorch 1/6.
 */
public final class HardSigmoid extends NumberActivation {
  private static final long serialVersionUID = 1L;

  private double alpha = 0.2;

  /** Called by Deeplearning4j, which sets alpha afterwards. */
  public HardSigmoid() {}

  /**
   * @param alpha slope between the bounds, above 0
   */
  public HardSigmoid(double alpha) {
    setAlpha(alpha);
  }

  public double getAlpha() {
    return alpha;
  }

  public void setAlpha(double alpha) {
    if (!(alpha > 0) || !Float.isFinite((float) alpha)) {
      throw new IllegalArgumentException(
          "alpha of HardSigmoid must be a number above 0, not " + alpha);
    }
    this.alpha = alpha;
  }

  @Override
  DoubleUnaryOperator function() {
    return x -> ActivationFormulas.hardSigmoid(x, alpha);
  }

  @Override
  DoubleUnaryOperator slope() {
    return x -> Math.abs(alpha * x) < 0.5 ? alpha : 0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HardSigmoid that && Double.compare(alpha, that.alpha) == 0;
  }

  @Override
  public int hashCode() {
    return Double.hashCode(alpha);
  }

  @Override
  public String toString() {
    return "HardSigmoid(" + alpha + ")";
  }
}
