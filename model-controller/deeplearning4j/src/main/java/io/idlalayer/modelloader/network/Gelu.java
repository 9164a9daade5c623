package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.function.ActivationFormulas;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.BaseActivationFunction;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The Gaussian error linear unit (Hendrycks 2016) as PyTorch, Keras and ONNX know it, in
 * Deeplearning4j, whose own GELU is another function.
 */
public final class Gelu extends BaseActivationFunction {
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
  public INDArray getActivation(INDArray in, boolean training) {
    return replaced(in, exact() ? ActivationFormulas::gelu : ActivationFormulas::geluTanh);
  }

  @Override
  public Pair<INDArray, @Nullable INDArray> backprop(INDArray in, INDArray errors) {
    assertShape(in, errors);
    replaced(in, exact() ? ActivationFormulas::geluSlope : ActivationFormulas::geluTanhSlope);
    return new Pair<>(in.muli(errors), null);
  }

  private static INDArray replaced(INDArray in, DoubleUnaryOperator function) {
    for (long i = 0; i < in.length(); i++) {
      in.putScalar(i, function.applyAsDouble(in.getDouble(i)));
    }
    return in;
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
