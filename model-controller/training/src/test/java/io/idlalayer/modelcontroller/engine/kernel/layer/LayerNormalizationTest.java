package io.idlalayer.modelcontroller.engine.kernel.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Normalization against its definition (Ba 2016, section 3), in doubles. */
final class LayerNormalizationTest {
  private static final double EPSILON = 1e-3;
  private static final double STEP = 1e-5;

  private final FloatMemory memory = new FloatMemory(1 << 16);
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
      values[i] = (float) random.nextDouble(-2, 2);
    }
    tensor.floats().put(0, values, 0, length);
    return tensor;
  }

  private static double[] doubles(Tensor tensor) {
    float[] floats = tensor.floats().toArray();
    double[] doubles = new double[floats.length];
    for (int i = 0; i < floats.length; i++) {
      doubles[i] = floats[i];
    }
    return doubles;
  }

  private static double[] normalized(double[] x, double[] scale, double[] shift) {
    int width = scale.length;
    double[] y = new double[x.length];
    for (int from = 0; from < x.length; from += width) {
      double mean = 0;
      for (int i = 0; i < width; i++) {
        mean += x[from + i] / width;
      }
      double variance = 0;
      for (int i = 0; i < width; i++) {
        variance += (x[from + i] - mean) * (x[from + i] - mean) / width;
      }
      for (int i = 0; i < width; i++) {
        y[from + i] = (x[from + i] - mean) / Math.sqrt(variance + EPSILON) * scale[i] + shift[i];
      }
    }
    return y;
  }

  private static double product(double[] errors, double[] values) {
    double sum = 0;
    for (int i = 0; i < values.length; i++) {
      sum += errors[i] * values[i];
    }
    return sum;
  }

  @ParameterizedTest
  @CsvSource({"1, 7", "5, 3", "9, 64", "3, 300", "4, 1"})
  void passes_areThoseOfTheDefinition(int rows, int width) {
    Tensor inputs = tensor(rows * width);
    Tensor outputs = tensor(rows * width);
    Tensor errors = tensor(rows * width);
    Tensor scale = tensor(width);
    Tensor shift = tensor(width);
    Tensor ofScale = tensor(width);
    Tensor ofShift = tensor(width);
    double[] x = doubles(inputs);
    double[] dy = doubles(errors);
    double[] factors = doubles(scale);
    double[] offsets = doubles(shift);
    LayerNormalization kernel = new LayerNormalization(width, EPSILON, scale, shift);
    kernel.forward(inputs, outputs).run();
    assertThat(doubles(outputs)).containsExactly(normalized(x, factors, offsets), within(1e-5));

    kernel.backward(inputs, errors, ofScale, ofShift, errors).run();
    double[] dx = doubles(errors);
    for (int i = 0; i < x.length; i += Math.max(1, x.length / 50)) {
      assertThat(dx[i]).isCloseTo(difference(x, i, dy, x, factors, offsets), within(1e-4));
    }
    for (int i = 0; i < width; i += Math.max(1, width / 20)) {
      assertThat(doubles(ofScale)[i])
          .isCloseTo(difference(factors, i, dy, x, factors, offsets), within(1e-4));
      assertThat(doubles(ofShift)[i])
          .isCloseTo(difference(offsets, i, dy, x, factors, offsets), within(1e-4));
    }
  }

  /** Returns by how much the sum of the outputs times their errors changes with one number. */
  private static double difference(
      double[] changed, int i, double[] errors, double[] x, double[] scale, double[] shift) {
    double before = changed[i];
    changed[i] = before + STEP;
    double high = product(errors, normalized(x, scale, shift));
    changed[i] = before - STEP;
    double low = product(errors, normalized(x, scale, shift));
    changed[i] = before;
    return (high - low) / (2 * STEP);
  }
}
