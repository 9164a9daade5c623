package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.function.ActivationFormulas;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The Gaussian error linear unit (Hendrycks 2016) as PyTorch, Keras and ONNX know it, in
 * Deeplearning4j, whose own GELU is another function.
 */
public final class Gelu extends NumberActivation {
  private static final long serialVersionUID = 1L;

  private static final String NONE = "none";
  private static final String TANH = "tanh";

  private String approximate = NONE;

  /** Called by Deeplearning4j, which sets the approximation afterwards. */
  public Gelu() {}

  /**
   * @param approximate {@code none}, or {@code tanh} for the approximation by a hyperbolic tangent
   */
  public Gelu(String approximate) {
    setApproximate(approximate);
  }

  public String getApproximate() {
    return approximate;
  }

  public void setApproximate(String approximate) {
    if (!approximate.equals(NONE) && !approximate.equals(TANH)) {
      throw new IllegalArgumentException(
          "the approximation of GELU is 'none' or 'tanh', not '%s'".formatted(approximate));
    }
    this.approximate = approximate;
  }

  private boolean exact() {
    return approximate.equals(NONE);
  }

  @Override
  DoubleUnaryOperator function() {
    return exact() ? ActivationFormulas::gelu : ActivationFormulas::geluTanh;
  }

  @Override
  DoubleUnaryOperator slope() {
    return exact() ? ActivationFormulas::geluSlope : ActivationFormulas::geluTanhSlope;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Gelu that && approximate.equals(that.approximate);
  }

  @Override
  public int hashCode() {
    return approximate.hashCode();
  }

  @Override
  public String toString() {
    return "Gelu(" + approximate + ")";
  }
}
