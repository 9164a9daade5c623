package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The dot products of all pairs of vectors in a row (Naumov 2019, section 2.1). The vectors of a
 * row lie in several matrices, those of the first come first; the products are those of the first
 * vector with each later one, then those of the second, and so on.
 */
public final class DotProducts {
  private final List<Tensor> inputs;
  private final int[] widths;
  private final int rows;
  private final int dim;
  private final int count;
  private final int pairs;

  /** The vectors of one row, of shape [count, dim]. */
  private final float[] vectors;

  private final float[] products;

  /**
   * @param inputs each of shape [rows, some times dim]
   * @param dim length of a vector
   */
  public DotProducts(List<Tensor> inputs, int rows, int dim) {
    this.inputs = List.copyOf(inputs);
    this.rows = rows;
    this.dim = dim;
    widths = inputs.stream().mapToInt(input -> input.length() / rows).toArray();
    count = Arrays.stream(widths).sum() / dim;
    pairs = count * (count - 1) / 2;
    vectors = new float[count * dim];
    products = new float[pairs];
  }

  /**
   * @param outputs of shape [rows, pairs]
   */
  public Kernel forward(Tensor outputs) {
    float[] turned = new float[count * dim];
    return () -> {
      for (int row = 0; row < rows; row++) {
        read(row);
        turn(turned);
        multiply(turned);
        outputs.floats().put(row * pairs, products, 0, pairs);
      }
    };
  }

  private void read(int row) {
    int to = 0;
    for (int i = 0; i < widths.length; i++) {
      inputs.get(i).floats().get(row * widths[i], vectors, to, widths[i]);
      to += widths[i];
    }
  }

  /** So that the products of one vector with all later ones are sums of neighbours. */
  private void turn(float[] turned) {
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < dim; k++) {
        turned[k * count + i] = vectors[i * dim + k];
      }
    }
  }

  private void multiply(float[] turned) {
    Arrays.fill(products, 0);
    int at = 0;
    for (int i = 0; i < count - 1; i++) {
      int later = count - 1 - i;
      for (int k = 0; k < dim; k++) {
        add(vectors[i * dim + k], turned, k * count + i + 1, products, at, later);
      }
      at += later;
    }
  }

  private static void add(float factor, float[] from, int at, float[] to, int into, int length) {
    for (int i = 0; i < length; i++) {
      to[into + i] += factor * from[at + i];
    }
  }

  /**
   * @param errors of the products
   * @param inputErrors one tensor for each input; null where nobody needs them
   */
  public Kernel backward(Tensor errors, List<@Nullable Tensor> inputErrors) {
    float[] before = new float[count * dim];
    return () -> {
      for (int row = 0; row < rows; row++) {
        read(row);
        errors.floats().get(row * pairs, products, 0, pairs);
        multiplyBack(before);
        int from = 0;
        for (int i = 0; i < widths.length; i++) {
          Tensor own = inputErrors.get(i);
          if (own != null) {
            own.floats().put(row * widths[i], before, from, widths[i]);
          }
          from += widths[i];
        }
      }
    };
  }

  /** Each vector's errors are the others, each times the error of their product. */
  private void multiplyBack(float[] before) {
    Arrays.fill(before, 0);
    int at = 0;
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        float error = products[at++];
        add(error, vectors, j * dim, before, i * dim, dim);
        add(error, vectors, i * dim, before, j * dim, dim);
      }
    }
  }
}
