package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /**
   * A convolution of images, in steps.
   *
   * @param name of the layer, after which workspaces are named
   * @param inputs of shape [images, channels, height, width]
   * @param bias of one number for each filter; null for none
   * @param outputs of shape [images, filters, output height, output width]
   */
  List<KernelStep> convolution(
      String name,
      Convolution shape,
      int images,
      Tensor inputs,
      Tensor weights,
      @Nullable Tensor bias,
      Tensor outputs);

  /**
   * Gradients of the weights of a convolution, and of its bias, in steps.
   *
   * @param errors of the outputs
   * @param biasGradient null if there is no bias
   */
  List<KernelStep> convolutionGradients(
      String name,
      Convolution shape,
      int images,
      Tensor inputs,
      Tensor errors,
      Tensor gradient,
      @Nullable Tensor biasGradient);

  /** Errors of the inputs of a convolution, from those of its outputs, in steps. */
  List<KernelStep> convolutionErrors(
      String name,
      Convolution shape,
      int images,
      Tensor weights,
      Tensor errors,
      Tensor inputErrors);

  /**
   * Pools images.
   *
   * @param training whether the workspaces are to hold what {@link #poolingErrors} needs
   */
  PlannedKernel pooling(
      String name, Pooling shape, int images, Tensor inputs, Tensor outputs, boolean training);

  /**
   * Errors of the inputs of a pooling, from those of its outputs.
   *
   * @param forward the kernel of the forward pass, made for training
   */
  PlannedKernel poolingErrors(
      String name,
      Pooling shape,
      int images,
      PlannedKernel forward,
      Tensor errors,
      Tensor inputErrors);

  /**
   * Dot products of all pairs of vectors.
   *
   * @param name of the layer, after which workspaces are named
   * @param inputs the matrices that hold the vectors
   * @param outputs of shape [rows, pairs]
   */
  PlannedKernel dotProducts(
      String name, DotProducts shape, int rows, List<Tensor> inputs, Tensor outputs);

  /**
   * Errors of the vectors, from those of their dot products.
   *
   * @param errors of the products
   * @param inputErrors one tensor for each input; null where nobody needs them
   */
  PlannedKernel dotProductErrors(
      String name,
      DotProducts shape,
      int rows,
      List<Tensor> inputs,
      Tensor errors,
      List<@Nullable Tensor> inputErrors);
}
