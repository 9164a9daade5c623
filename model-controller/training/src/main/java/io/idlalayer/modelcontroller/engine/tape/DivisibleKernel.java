package io.idlalayer.modelcontroller.engine.tape;

import java.util.List;

/**
 * A kernel that can work on one range of elements after another, because each element of its
 * results depends only on the elements at the same position in the arguments.
 */
public interface DivisibleKernel extends TapeKernel {
  /**
   * Returns the tensors that the kernel reads, including the tensors that it changes, in the order
   * of its step.
   */
  List<Tensor> operands();

  /**
   * Computes the results for one range of elements.
   *
   * @param parts parts of the {@link #operands}, in their order, with equal lengths
   */
  void run(List<Floats> parts);

  @Override
  default void run() {
    run(operands().stream().map(Tensor::floats).toList());
  }
}
