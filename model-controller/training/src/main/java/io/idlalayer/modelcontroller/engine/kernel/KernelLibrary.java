package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates the kernels whose speed depends on the machine. With equal inputs and the same number of
 * threads, results are equal bit for bit. Another library can give other bits. All kernels of a
 * forward pass are {@linkplain RepeatableKernel repeatable}. The library is thread-safe; its
 * kernels are not.
 */
public interface KernelLibrary {
  /**
   * Returns the name and version of the library, which are part of the lineage of trained models.
   */
  String name();

  /** Returns the kernel for the product of two matrices. */
  RepeatableKernel product(Product shape, Tensor left, Tensor right, Tensor result);

  /**
   * Returns the kernel that computes the activation of each value; the function must not be the
   * identity.
   *
   * @param outputs receives the activations; can be the tensor of the inputs
   */
  RepeatableKernel activation(Activation function, Tensor inputs, Tensor outputs);

  /**
   * Returns the kernel that multiplies each error by the slope of the activation.
   *
   * @param known outputs of the activation, or its inputs if {@link Activation#needsInputs} returns
   *     true
   */
  TapeKernel activationBackward(Activation function, Tensor known, Tensor errors);

  /**
   * Returns the steps of a convolution of images.
   *
   * @param name name of the layer, used in the names of workspaces
   * @param inputs images; shape [images, channels, height, width]
   * @param bias one number for each filter; null if there is no bias
   * @param outputs outputs; shape [images, filters, output height, output width]
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
   * Returns the steps that compute the gradients of the weights of a convolution and of its bias.
   *
   * @param errors errors of the outputs
   * @param biasGradient gradient of the bias; null if there is no bias
   */
  List<KernelStep> convolutionGradients(
      String name,
      Convolution shape,
      int images,
      Tensor inputs,
      Tensor errors,
      Tensor gradient,
      @Nullable Tensor biasGradient);

  /**
   * Returns the steps that compute the errors of the inputs of a convolution from the errors of its
   * outputs.
   */
  List<KernelStep> convolutionErrors(
      String name,
      Convolution shape,
      int images,
      Tensor weights,
      Tensor errors,
      Tensor inputErrors);

  /**
   * Returns the kernel that pools images.
   *
   * @param training whether the workspaces store the data that {@link #poolingErrors} needs
   */
  PlannedKernel pooling(
      String name, Pooling shape, int images, Tensor inputs, Tensor outputs, boolean training);

  /**
   * Returns the kernel that computes the errors of the inputs of a pooling from the errors of its
   * outputs.
   *
   * @param forward the kernel of the forward pass, created for training
   */
  PlannedKernel poolingErrors(
      String name,
      Pooling shape,
      int images,
      PlannedKernel forward,
      Tensor errors,
      Tensor inputErrors);

  /**
   * Returns the kernel for the dot products of all pairs of vectors.
   *
   * @param name name of the layer, used in the names of workspaces
   * @param inputs the matrices that hold the vectors
   * @param outputs dot products; shape [rows, pairs]
   */
  PlannedKernel dotProducts(
      String name, DotProducts shape, int rows, List<Tensor> inputs, Tensor outputs);

  /**
   * Returns the kernel that computes the errors of the vectors from the errors of their dot
   * products.
   *
   * @param errors errors of the products
   * @param inputErrors receives the errors of the vectors, one tensor for each input; null for an
   *     input whose errors are not needed
   */
  PlannedKernel dotProductErrors(
      String name,
      DotProducts shape,
      int rows,
      List<Tensor> inputs,
      Tensor errors,
      List<@Nullable Tensor> inputErrors);
}
