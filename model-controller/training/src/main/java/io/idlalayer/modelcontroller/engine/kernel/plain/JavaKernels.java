package io.idlalayer.modelcontroller.engine.kernel.plain;

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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kernel library in plain Java: a reference for comparisons, and for machines without native
 * kernels.
 */
public final class JavaKernels implements KernelLibrary {
  @Override
  public String name() {
    return "java";
  }

  @Override
  public RepeatableKernel product(Product shape, Tensor left, Tensor right, Tensor result) {
    return () -> {
      float[] a = left.floats().toArray();
      float[] stored = right.floats().toArray();
      float[] b =
          shape.transposeRight() ? transposed(stored, shape.columns(), shape.depth()) : stored;
      float[] c = shape.add() ? result.floats().toArray() : new float[result.length()];
      for (int row = 0; row < shape.rows(); row++) {
        for (int k = 0; k < shape.depth(); k++) {
          float factor =
              shape.transposeLeft() ? a[k * shape.rows() + row] : a[row * shape.depth() + k];
          addRow(shape, factor, b, k, c, row * shape.columns());
        }
      }
      result.floats().put(0, c, 0, c.length);
    };
  }

  /** Adds a row of the right matrix, times a factor, to a row of the result. */
  private static void addRow(Product shape, float factor, float[] b, int k, float[] c, int at) {
    int from = k * shape.columns();
    for (int column = 0; column < shape.columns(); column++) {
      c[at + column] += factor * b[from + column];
    }
  }

  private static float[] transposed(float[] values, int rows, int columns) {
    float[] turned = new float[values.length];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        turned[column * rows + row] = values[row * columns + column];
      }
    }
    return turned;
  }

  @Override
  public RepeatableKernel activation(Activation function, Tensor inputs, Tensor outputs) {
    return new ActivationValues(function, inputs, outputs);
  }

  @Override
  public TapeKernel activationBackward(Activation function, Tensor known, Tensor errors) {
    return new ActivationSlope(function, known, errors);
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
    List<Tensor> reads = bias == null ? List.of(inputs, weights) : List.of(inputs, weights, bias);
    RepeatableKernel kernel =
        () -> {
          float[] y = new float[outputs.length()];
          float[] b = bias == null ? new float[shape.filters()] : bias.floats().toArray();
          int pixels = shape.window().outputPixels();
          for (int i = 0; i < y.length; i++) {
            y[i] = b[i / pixels % shape.filters()];
          }
          JavaConvolution of = new JavaConvolution(shape, images);
          of.forward(inputs.floats().toArray(), weights.floats().toArray(), y);
          outputs.floats().put(0, y, 0, y.length);
        };
    return step("convolution", reads, List.of(outputs), kernel);
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
    List<Tensor> writes =
        biasGradient == null ? List.of(gradient) : List.of(gradient, biasGradient);
    return step(
        "gradients",
        List.of(inputs, errors),
        writes,
        () -> {
          float[] dy = errors.floats().toArray();
          float[] dw = new float[gradient.length()];
          new JavaConvolution(shape, images).gradients(inputs.floats().toArray(), dy, dw);
          gradient.floats().put(0, dw, 0, dw.length);
          if (biasGradient != null) {
            float[] db = new float[shape.filters()];
            int pixels = shape.window().outputPixels();
            for (int i = 0; i < dy.length; i++) {
              db[i / pixels % shape.filters()] += dy[i];
            }
            biasGradient.floats().put(0, db, 0, db.length);
          }
        });
  }

  @Override
  public List<KernelStep> convolutionErrors(
      String name,
      Convolution shape,
      int images,
      Tensor weights,
      Tensor errors,
      Tensor inputErrors) {
    return step(
        "errors",
        List.of(weights, errors),
        List.of(inputErrors),
        () -> {
          float[] dx = new float[inputErrors.length()];
          float[] dy = errors.floats().toArray();
          new JavaConvolution(shape, images).errors(weights.floats().toArray(), dy, dx);
          inputErrors.floats().put(0, dx, 0, dx.length);
        });
  }

  @Override
  public PlannedKernel pooling(
      String name, Pooling shape, int images, Tensor inputs, Tensor outputs, boolean training) {
    JavaPooling pooling = new JavaPooling(shape);
    List<Tensor> kept =
        training && shape.kind() == Pooling.Kind.MAX
            ? List.of(new Tensor(name + ".chosen", Tensor.Kind.WORKSPACE, outputs.length()))
            : List.of();
    RepeatableKernel kernel = () -> pooling.forward(inputs, outputs, kept);
    return new PlannedKernel(kernel, kept);
  }

  @Override
  public PlannedKernel poolingErrors(
      String name,
      Pooling shape,
      int images,
      PlannedKernel forward,
      Tensor errors,
      Tensor inputErrors) {
    JavaPooling pooling = new JavaPooling(shape);
    return planned(() -> pooling.errors(errors, inputErrors, forward.workspaces()));
  }

  @Override
  public PlannedKernel dotProducts(
      String name, DotProducts shape, int rows, List<Tensor> inputs, Tensor outputs) {
    return planned(new JavaDotProducts(shape, rows, inputs).forward(outputs));
  }

  @Override
  public PlannedKernel dotProductErrors(
      String name,
      DotProducts shape,
      int rows,
      List<Tensor> inputs,
      Tensor errors,
      List<@Nullable Tensor> inputErrors) {
    return planned(new JavaDotProducts(shape, rows, inputs).errors(errors, inputErrors));
  }

  private static List<KernelStep> step(
      String name, List<Tensor> reads, List<Tensor> writes, TapeKernel kernel) {
    return List.of(new KernelStep(name, kernel, reads, writes));
  }

  private static PlannedKernel planned(TapeKernel kernel) {
    return new PlannedKernel(kernel, List.of());
  }
}
