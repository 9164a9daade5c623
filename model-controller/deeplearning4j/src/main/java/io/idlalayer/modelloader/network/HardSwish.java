package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.function.ActivationFormulas;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The number times the hard sigmoid of slope 1/6 (Howard 2019), as PyTorch and ONNX know it. */
public final class HardSwish extends NumberActivation {
  private static final long serialVersionUID = 1L;

  @Override
  DoubleUnaryOperator function() {
    return ActivationFormulas::hardSwish;
  }

  @Override
  DoubleUnaryOperator slope() {
    return ActivationFormulas::hardSwishSlope;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HardSwish;
  }

  @Override
  public int hashCode() {
    return HardSwish.class.hashCode();
  }

  @Override
  public String toString() {
    return "HardSwish";
  }
}
