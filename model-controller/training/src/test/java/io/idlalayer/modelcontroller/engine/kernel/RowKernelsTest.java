package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels that copy several rows at a time give the bits of row after row. */
final class RowKernelsTest {
  private static final int[] ROWS = {1, 2, 31, 129, 200};
  private static final int[] WIDTHS = {1, 2, 3, 15, 16, 17, 64, 255, 256, 257, 600};

  private final FloatMemory memory = new FloatMemory(1 << 18);
  private final SplittableRandom random = new SplittableRandom(9);
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
      values[i] = (float) (random.nextDouble() * 8 - 4);
    }
    tensor.floats().put(0, values, 0, length);
    return tensor;
  }

  /** What is done with rows of a width. */
  private interface Check {
    void of(int rows, int width);
  }

  private void each(Check check) {
    for (int rows : ROWS) {
      for (int width : WIDTHS) {
        used = 0;
        check.of(rows, width);
      }
    }
  }

  @Test
  void rowBias_isInEveryRow() {
    each(
        (rows, width) -> {
          Tensor bias = tensor(width);
          Tensor target = tensor(rows * width);
          RowBias kernel = new RowBias(bias, target);
          kernel.run();
          float[] other = tensor(width).floats().toArray();
          bias.floats().put(0, other, 0, width);
          kernel.run();
          float[] written = target.floats().toArray();
          for (int i = 0; i < written.length; i++) {
            assertThat(written[i]).isEqualTo(other[i % width]);
          }
        });
  }

  @Test
  void columnSums_areThoseOfRowAfterRow() {
    each(
        (rows, width) -> {
          Tensor errors = tensor(rows * width);
          Tensor gradient = tensor(width);
          ColumnSums kernel = new ColumnSums(errors, gradient);
          kernel.run();
          kernel.run();
          float[] values = errors.floats().toArray();
          float[] sums = new float[width];
          for (int i = 0; i < values.length; i++) {
            sums[i % width] += values[i];
          }
          assertThat(gradient.floats().toArray()).isEqualTo(sums);
        });
  }

  @Test
  void softmax_isThatOfEachRow() {
    each(
        (rows, width) -> {
          Tensor logits = tensor(rows * width);
          float[] expected = logits.floats().toArray();
          // Two that are the largest.
          expected[width - 1] = 5;
          expected[0] = 5;
          logits.floats().put(0, expected, 0, expected.length);
          new Softmax(logits, width).run();
          for (int row = 0; row < rows; row++) {
            replace(expected, row * width, width);
          }
          assertThat(logits.floats().toArray()).isEqualTo(expected);
        });
  }

  private static void replace(float[] logits, int from, int width) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int i = from; i < from + width; i++) {
      largest = Math.max(largest, logits[i]);
    }
    double[] powers = new double[width];
    double sum = 0;
    for (int i = 0; i < width; i++) {
      powers[i] = Math.exp((double) logits[from + i] - largest);
      sum += powers[i];
    }
    for (int i = 0; i < width; i++) {
      logits[from + i] = (float) ((float) powers[i] / sum);
    }
  }

  @Test
  void softmax_ofWhatIsNotFinite_isNotANumber() {
    for (float odd : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
      Tensor logits = tensor(6);
      logits.floats().put(0, new float[] {1, odd, 2, 1, 2, 3}, 0, 6);
      new Softmax(logits, 3).run();
      float[] values = logits.floats().toArray();
      assertThat(values[1]).isNaN();
      assertThat(values[3] + values[4] + values[5]).isBetween(0.999f, 1.001f);
    }
  }
}
