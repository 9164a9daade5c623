package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Products of vectors and sums of columns, compared with their definitions. */
final class DotProductsTest {
  private static final int ROWS = 70;
  private static final int DIM = 3;

  /** Vectors in a row of each input. */
  private static final int[] COUNTS = {1, 4, 2};

  private static final int ALL = Arrays.stream(COUNTS).sum();

  private final FloatMemory memory = new FloatMemory(1 << 15);
  private final SplittableRandom random = new SplittableRandom(3);
  private long used;

  @AfterEach
  void free() {
    memory.close();
  }

  private Tensor tensor(int length) {
    Tensor tensor = new Tensor("t" + used, Tensor.Kind.ACTIVATIONS, length);
    tensor.place(memory.part(used, length));
    used += length;
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) (2 * random.nextDouble() - 1);
    }
    tensor.floats().put(0, values, 0, length);
    return tensor;
  }

  private List<Tensor> inputs() {
    return Arrays.stream(COUNTS).mapToObj(count -> tensor(ROWS * count * DIM)).toList();
  }

  /** All vectors of a row. */
  private static float[][] vectors(List<Tensor> inputs, int row) {
    List<float[]> all = new ArrayList<>();
    for (int i = 0; i < COUNTS.length; i++) {
      float[] values = inputs.get(i).floats().toArray();
      for (int k = 0; k < COUNTS[i]; k++) {
        int from = (row * COUNTS[i] + k) * DIM;
        all.add(Arrays.copyOfRange(values, from, from + DIM));
      }
    }
    return all.toArray(float[][]::new);
  }

  @Test
  void forward_multipliesEachPairOnce() {
    List<Tensor> inputs = inputs();
    Tensor outputs = tensor(ROWS * ALL * (ALL - 1) / 2);
    new DotProducts(inputs, ROWS, DIM).forward(outputs).run();
    float[] found = outputs.floats().toArray();
    int at = 0;
    for (int row = 0; row < ROWS; row++) {
      float[][] vectors = vectors(inputs, row);
      for (int i = 0; i < ALL; i++) {
        for (int j = i + 1; j < ALL; j++) {
          double sum = 0;
          for (int k = 0; k < DIM; k++) {
            sum += (double) vectors[i][k] * vectors[j][k];
          }
          assertThat((double) found[at++]).isCloseTo(sum, within(1e-6));
        }
      }
    }
    assertThat(at).isEqualTo(found.length);
  }

  @Test
  void backward_givesEachVectorTheOthersTimesTheirErrors() {
    List<Tensor> inputs = inputs();
    Tensor errors = tensor(ROWS * ALL * (ALL - 1) / 2);
    List<Tensor> filled = inputs();
    List<@Nullable Tensor> before = new ArrayList<>(filled);
    before.set(1, null);
    float[] untouched = filled.get(1).floats().toArray();
    new DotProducts(inputs, ROWS, DIM).backward(errors, before).run();
    float[] given = errors.floats().toArray();
    int at = 0;
    for (int row = 0; row < ROWS; row++) {
      float[][] vectors = vectors(inputs, row);
      double[][] expected = new double[ALL][DIM];
      for (int i = 0; i < ALL; i++) {
        for (int j = i + 1; j < ALL; j++) {
          for (int k = 0; k < DIM; k++) {
            expected[i][k] += (double) given[at] * vectors[j][k];
            expected[j][k] += (double) given[at] * vectors[i][k];
          }
          at++;
        }
      }
      float[][] found = vectors(filled, row);
      for (int i : new int[] {0, 5, 6}) {
        for (int k = 0; k < DIM; k++) {
          assertThat((double) found[i][k]).isCloseTo(expected[i][k], within(1e-6));
        }
      }
    }
    assertThat(filled.get(1).floats().toArray()).isEqualTo(untouched);
  }

  @Test
  void addColumns_fresh_setsAllOthersToZeroAndAddsLater() {
    Tensor from = tensor(ROWS * 2);
    Tensor to = tensor(ROWS * 5);
    CopyColumns.Columns source = new CopyColumns.Columns(from, 2, 0);
    new AddColumns(source, new CopyColumns.Columns(to, 5, 1), 2, true).run();
    new AddColumns(source, new CopyColumns.Columns(to, 5, 2), 2, false).run();
    float[] added = from.floats().toArray();
    float[] found = to.floats().toArray();
    for (int row = 0; row < ROWS; row++) {
      float one = added[2 * row];
      float other = added[2 * row + 1];
      assertThat(Arrays.copyOfRange(found, 5 * row, 5 * row + 5))
          .containsExactly(0, one, other + one, other, 0);
    }
  }
}
