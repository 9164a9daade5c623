package io.idlalayer.modelcontroller.engine.kernel.plain;

import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes the dot products of all pairs of vectors, in plain Java. */
final class JavaDotProducts {
  /**
   * Number of rows whose values are stored side by side during the computation, which makes the
   * loops long.
   */
  private static final int BLOCK = 64;

  private final List<Tensor> inputs;
  private final int[] widths;
  private final int rows;
  private final int dim;
  private final int count;
  private final int pairs;

  /** For each number of a row's vectors, its values in all rows of a block. */
  private final float[][] vectors;

  /** For each product of a row, its values or its errors in all rows of a block. */
  private final float[][] products;

  /** Buffer for a block of one matrix, row by row. */
  private final float[] turned;

  JavaDotProducts(DotProducts shape, int rows, List<Tensor> inputs) {
    this.inputs = List.copyOf(inputs);
    this.rows = rows;
    dim = shape.dim();
    widths = shape.widths();
    count = shape.vectors();
    pairs = shape.pairs();
    int width = count * dim;
    vectors = new float[width][BLOCK];
    products = new float[pairs][BLOCK];
    turned = new float[BLOCK * Math.max(width, pairs)];
  }

  RepeatableKernel forward(Tensor outputs) {
    return () -> {
      for (int row = 0; row < rows; row += BLOCK) {
        int block = Math.min(BLOCK, rows - row);
        readVectors(row, block);
        multiply(block);
        write(products, 0, outputs, pairs, row, block);
      }
    };
  }

  TapeKernel errors(Tensor errors, List<@Nullable Tensor> inputErrors) {
    float[][] before = new float[vectors.length][BLOCK];
    return () -> {
      for (int row = 0; row < rows; row += BLOCK) {
        int block = Math.min(BLOCK, rows - row);
        readVectors(row, block);
        read(errors, pairs, products, 0, row, block);
        multiplyBack(before, block);
        int from = 0;
        for (int i = 0; i < widths.length; i++) {
          Tensor own = inputErrors.get(i);
          if (own != null) {
            write(before, from, own, widths[i], row, block);
          }
          from += widths[i];
        }
      }
    };
  }

  private void readVectors(int row, int block) {
    int to = 0;
    for (int i = 0; i < widths.length; i++) {
      read(inputs.get(i), widths[i], vectors, to, row, block);
      to += widths[i];
    }
  }

  /** Copies a block of rows of a matrix, transposed, to the arrays from {@code column} on. */
  private void read(Tensor from, int width, float[][] to, int column, int row, int block) {
    from.floats().get(row * width, turned, 0, block * width);
    for (int k = 0; k < width; k++) {
      float[] each = to[column + k];
      for (int i = 0; i < block; i++) {
        each[i] = turned[i * width + k];
      }
    }
  }

  /** Copies arrays from {@code column} on, transposed, to a block of rows of a matrix. */
  private void write(float[][] from, int column, Tensor to, int width, int row, int block) {
    for (int k = 0; k < width; k++) {
      float[] each = from[column + k];
      for (int i = 0; i < block; i++) {
        turned[i * width + k] = each[i];
      }
    }
    to.floats().put(row * width, turned, 0, block * width);
  }

  private void multiply(int block) {
    int at = 0;
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        float[] product = products[at++];
        Arrays.fill(product, 0);
        for (int k = 0; k < dim; k++) {
          add(vectors[i * dim + k], vectors[j * dim + k], product, block);
        }
      }
    }
  }

  /**
   * Computes the errors of the vectors: adds, to the errors of each vector, each other vector times
   * the error of the product of both.
   */
  private void multiplyBack(float[][] before, int block) {
    for (float[] each : before) {
      Arrays.fill(each, 0);
    }
    int at = 0;
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        float[] error = products[at++];
        for (int k = 0; k < dim; k++) {
          add(error, vectors[j * dim + k], before[i * dim + k], block);
          add(error, vectors[i * dim + k], before[j * dim + k], block);
        }
      }
    }
  }

  /**
   * Adds the products of the elements of two arrays to the elements of a third array. The method is
   * short, so that it is compiled well.
   */
  private static void add(float[] left, float[] right, float[] to, int block) {
    for (int i = 0; i < block; i++) {
      to[i] += left[i] * right[i];
    }
  }
}
