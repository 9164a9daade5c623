package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.dnnl_sgemm;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.ActivationSlope;
import io.idlalayer.modelcontroller.engine.kernel.ActivationValues;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelStep;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.kernel.Product;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelloader.natives.NativeLibraries;
import java.util.List;
import org.bytedeco.dnnl.dnnl_version_t;
import org.bytedeco.dnnl.global.dnnl;
import org.bytedeco.javacpp.Loader;
import org.jspecify.annotations.Nullable;

/**
 * Creates kernels of oneDNN, which access the tensors by their addresses. The library is loaded
 * once for the process; its threads are those of OpenMP ({@code OMP_NUM_THREADS}).
 */
public final class OneDnnKernels implements KernelLibrary {
  private final OneDnnEngine engine;
  private final String name;

  /**
   * Loads oneDNN for this machine.
   *
   * @throws LinkageError if there is no oneDNN for this machine
   */
  public OneDnnKernels() {
    NativeLibraries.ensure();
    Loader.load(dnnl.class);
    engine = new OneDnnEngine();
    dnnl_version_t version = dnnl.dnnl_version();
    name = "onednn %d.%d.%d".formatted(version.major(), version.minor(), version.patch());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public RepeatableKernel product(Product shape, Tensor left, Tensor right, Tensor result) {
    byte transposeLeft = flag(shape.transposeLeft());
    byte transposeRight = flag(shape.transposeRight());
    long leftStride = shape.transposeLeft() ? shape.rows() : shape.depth();
    long rightStride = shape.transposeRight() ? shape.depth() : shape.columns();
    float keep = shape.add() ? 1 : 0;
    return () ->
        OneDnnEngine.check(
            dnnl_sgemm(
                transposeLeft,
                transposeRight,
                shape.rows(),
                shape.columns(),
                shape.depth(),
                1,
                left.floats().pointer(),
                leftStride,
                right.floats().pointer(),
                rightStride,
                keep,
                result.floats().pointer(),
                shape.columns()),
            "dnnl_sgemm");
  }

  private static byte flag(boolean transposed) {
    return (byte) (transposed ? 'T' : 'N');
  }

  @Override
  public RepeatableKernel activation(Activation function, Tensor inputs, Tensor outputs) {
    return OneDnnActivation.knows(function)
        ? OneDnnActivation.forward(engine, function, inputs, outputs)
        : new ActivationValues(function, inputs, outputs);
  }

  @Override
  public TapeKernel activationBackward(Activation function, Tensor known, Tensor errors) {
    // At 0 oneDNN uses the slope on the left, and Deeplearning4j uses the slope on the right.
    boolean leaky = function.kind() == Activation.Kind.RELU && function.alpha() != 0;
    return leaky || !OneDnnActivation.knows(function)
        ? new ActivationSlope(function, known, errors)
        : OneDnnActivation.backward(engine, function, known, errors);
  }

  @Override
  public List<KernelStep> convolution(
      String name,
      Convolution shape,
      int images,
      Tensor inputs,
      Tensor weights,
      @Nullable Tensor bias,
      Tensor outputs) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnConvolution(engine, forms, name, shape, images, bias != null)
          .forward(inputs, weights, bias, outputs);
    }
  }

  @Override
  public List<KernelStep> convolutionGradients(
      String name,
      Convolution shape,
      int images,
      Tensor inputs,
      Tensor errors,
      Tensor gradient,
      @Nullable Tensor biasGradient) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnConvolution(engine, forms, name, shape, images, biasGradient != null)
          .gradients(inputs, errors, gradient, biasGradient);
    }
  }

  @Override
  public List<KernelStep> convolutionErrors(
      String name,
      Convolution shape,
      int images,
      Tensor weights,
      Tensor errors,
      Tensor inputErrors) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnConvolution(engine, forms, name, shape, images, false)
          .errors(weights, errors, inputErrors);
    }
  }

  @Override
  public PlannedKernel pooling(
      String name, Pooling shape, int images, Tensor inputs, Tensor outputs, boolean training) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnPooling(engine, forms, name, shape, images)
          .forward(inputs, outputs, training);
    }
  }

  @Override
  public PlannedKernel poolingErrors(
      String name,
      Pooling shape,
      int images,
      PlannedKernel forward,
      Tensor errors,
      Tensor inputErrors) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnPooling(engine, forms, name, shape, images)
          .errors(forward, errors, inputErrors);
    }
  }

  @Override
  public PlannedKernel dotProducts(
      String name, DotProducts shape, int rows, List<Tensor> inputs, Tensor outputs) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnDotProducts(engine, forms, name, shape, rows, inputs).forward(outputs);
    }
  }

  @Override
  public PlannedKernel dotProductErrors(
      String name,
      DotProducts shape,
      int rows,
      List<Tensor> inputs,
      Tensor errors,
      List<@Nullable Tensor> inputErrors) {
    try (OneDnnForms forms = new OneDnnForms()) {
      return new OneDnnDotProducts(engine, forms, name, shape, rows, inputs)
          .errors(errors, inputErrors);
    }
  }
}
