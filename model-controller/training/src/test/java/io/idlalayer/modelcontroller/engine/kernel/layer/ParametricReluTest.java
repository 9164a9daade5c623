package io.idlalayer.modelcontroller.engine.kernel.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rectifier against its definition (He 2015, section 2.1), in doubles. */
final class ParametricReluTest {
  private static final double STEP = 1e-5;

  private final FloatMemory memory = new FloatMemory(1 << 16);
  private final SplittableRandom random = new SplittableRandom(3);
  private long used;

  @AfterEach
  void free() {
    memory.close();
  }

  private Tensor tensor(float... values) {
    Tensor tensor = new Tensor("t" + used, Tensor.Kind.ACTIVATIONS, values.length);
    tensor.place(memory.part(used, values.length));
    used += values.length;
    tensor.floats().put(0, values, 0, values.length);
    return tensor;
  }

  private Tensor drawn(int length) {
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) random.nextDouble(-2, 2);
    }
    return tensor(values);
  }

  private static double[] doubles(Tensor tensor) {
    float[] floats = tensor.floats().toArray();
    double[] doubles = new double[floats.length];
    for (int i = 0; i < floats.length; i++) {
      doubles[i] = floats[i];
    }
    return doubles;
  }

  private static double[] rectified(double[] x, int width, double[] slopes) {
    double[] y = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      double slope = slopes[i % width / (width / slopes.length)];
      y[i] = Math.max(0, x[i]) + slope * Math.min(0, x[i]);
    }
    return y;
  }

  @Test
  void forward_zeros_staysZero() {
    Tensor outputs = drawn(3);
    new ParametricRelu(3, tensor(5, 5, 5)).forward(tensor(0f, -0f, -1e-30f), outputs).run();
    assertThat(outputs.floats().toArray()).containsExactly(0f, -0f, -5e-30f);
  }

  @Test
  void backward_zero_takesItAsPositive() {
    Tensor errors = tensor(3, 3);
    Tensor gradient = drawn(1);
    new ParametricRelu(1, tensor(0.5f)).backward(tensor(0, -2), errors, gradient, errors).run();
    assertThat(errors.floats().toArray()).containsExactly(3, 1.5f);
    assertThat(gradient.floats().toArray()).containsExactly(-6);
  }

  @ParameterizedTest
  @CsvSource({"1, 7, 1", "5, 3, 3", "9, 64, 4", "3, 300, 100", "4, 1, 1", "2, 512, 2"})
  void passes_areThoseOfTheDefinition(int rows, int width, int count) {
    Tensor inputs = drawn(rows * width);
    Tensor outputs = drawn(rows * width);
    Tensor errors = drawn(rows * width);
    Tensor slopes = drawn(count);
    Tensor ofSlopes = drawn(count);
    double[] x = doubles(inputs);
    double[] dy = doubles(errors);
    double[] factors = doubles(slopes);
    ParametricRelu kernel = new ParametricRelu(width, slopes);
    kernel.forward(inputs, outputs).run();
    assertThat(doubles(outputs)).containsExactly(rectified(x, width, factors), within(1e-6));

    kernel.backward(inputs, errors, ofSlopes, errors).run();
    for (int i = 0; i < x.length; i += Math.max(1, x.length / 50)) {
      assertThat(doubles(errors)[i])
          .isCloseTo(difference(x, i, dy, x, width, factors), within(1e-4));
    }
    for (int i = 0; i < count; i++) {
      assertThat(doubles(ofSlopes)[i])
          .isCloseTo(difference(factors, i, dy, x, width, factors), within(1e-4));
    }
  }

  /** Returns by how much the sum of the outputs times their errors changes with one number. */
  private static double difference(
      double[] changed, int i, double[] errors, double[] x, int width, double[] slopes) {
    double before = changed[i];
    changed[i] = before + STEP;
    double high = product(errors, rectified(x, width, slopes));
    changed[i] = before - STEP;
    double low = product(errors, rectified(x, width, slopes));
    changed[i] = before;
    return (high - low) / (2 * STEP);
  }

  private static double product(double[] errors, double[] values) {
    double sum = 0;
    for (int i = 0; i < values.length; i++) {
      sum += errors[i] * values[i];
    }
    return sum;
  }
}
