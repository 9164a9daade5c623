package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Makes the kernels whose speed depends on the machine. The same inputs and the same number of
 * threads give the same bits; another library gives others. Safe for several threads, unlike the
 * kernels it makes.
 */
public interface KernelLibrary {
  /** Name and version, part of the lineage of what is trained with it. */
  String name();

  /** The product of two matrices. */
  Kernel product(Product shape, Tensor left, Tensor right, Tensor result);

  /** Replaces each value by its activation, which is not the identity. */
  Kernel activation(Activation function, Tensor values);

  /**
   * Multiplies each error by the slope of the activation.
   *
   * @param outputs of the activation
   */
  Kernel activationBackward(Activation function, Tensor outputs, Tensor errors);
}
