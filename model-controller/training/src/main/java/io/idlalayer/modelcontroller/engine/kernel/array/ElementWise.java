package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Computes each number of a tensor from the numbers at the same position in two other tensors. The
 * tensors have equal lengths. The result can be the same tensor as an input.
 */
public final class ElementWise implements RepeatableKernel {
  /** Number of elements per piece: small enough for two pieces in the first-level cache. */
  private static final int PIECE = 1_024;

  private final Operation operation;
  private final Tensor left;
  private final Tensor right;
  private final Tensor result;
  private final float[] lefts = new float[PIECE];
  private final float[] rights = new float[PIECE];

  /** The operation on the two numbers at one position. */
  public enum Operation {
    ADD,
    SUBTRACT,
    MULTIPLY
  }

  public ElementWise(Operation operation, Tensor left, Tensor right, Tensor result) {
    this.operation = operation;
    this.left = left;
    this.right = right;
    this.result = result;
  }

  @Override
  public void run() {
    for (int from = 0; from < result.length(); from += PIECE) {
      int count = Math.min(PIECE, result.length() - from);
      left.floats().get(from, lefts, 0, count);
      right.floats().get(from, rights, 0, count);
      combine(count);
      result.floats().put(from, lefts, 0, count);
    }
  }

  private void combine(int count) {
    switch (operation) {
      case ADD -> {
        for (int i = 0; i < count; i++) {
          lefts[i] += rights[i];
        }
      }
      case SUBTRACT -> {
        for (int i = 0; i < count; i++) {
          lefts[i] -= rights[i];
        }
      }
      case MULTIPLY -> {
        for (int i = 0; i < count; i++) {
          lefts[i] *= rights[i];
        }
      }
    }
  }
}
