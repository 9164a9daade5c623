package io.idlalayer.modelloader.network;

import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.BaseActivationFunction;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * An activation of iDlaLayer in Deeplearning4j, which maps each number by itself. It computes one
 * number after the other, as Deeplearning4j is here for comparison: iDlaLayer's engine trains it.
 */
abstract class NumberActivation extends BaseActivationFunction {
  private static final long serialVersionUID = 1L;

  /** Returns the function. */
  abstract DoubleUnaryOperator function();

  /** Returns the slope of the function at its input. */
  abstract DoubleUnaryOperator slope();

  @Override
  public final INDArray getActivation(INDArray in, boolean training) {
    return replaced(in, function());
  }

  @Override
  public final Pair<INDArray, @Nullable INDArray> backprop(INDArray in, INDArray errors) {
    assertShape(in, errors);
    return new Pair<>(replaced(in, slope()).muli(errors), null);
  }

  private static INDArray replaced(INDArray in, DoubleUnaryOperator function) {
    for (long i = 0; i < in.length(); i++) {
      in.putScalar(i, function.applyAsDouble(in.getDouble(i)));
    }
    return in;
  }
}
