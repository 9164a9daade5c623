package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Kernels in plain Java: what others are compared with, and for machines without a native one. */
public final class JavaKernels implements KernelLibrary {
  @Override
  public String name() {
    return "java";
  }

  @Override
  public Kernel product(Product shape, Tensor left, Tensor right, Tensor result) {
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
  public Kernel activation(Activation function, Tensor values) {
    return () -> {
      float[] x = values.floats().toArray();
      for (int i = 0; i < x.length; i++) {
        x[i] = function.value(x[i]);
      }
      values.floats().put(0, x, 0, x.length);
    };
  }

  @Override
  public Kernel activationBackward(Activation function, Tensor outputs, Tensor errors) {
    return () -> {
      float[] y = outputs.floats().toArray();
      float[] error = errors.floats().toArray();
      for (int i = 0; i < y.length; i++) {
        error[i] *= function.slope(y[i]);
      }
      errors.floats().put(0, error, 0, error.length);
    };
  }
}
