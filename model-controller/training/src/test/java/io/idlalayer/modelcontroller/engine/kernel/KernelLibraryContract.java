package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every library of kernels computes, compared with the definitions. */
public abstract class KernelLibraryContract {
  private static final int ROOM = 1 << 16;

  private final FloatMemory memory = new FloatMemory(ROOM);
  private final SplittableRandom random = new SplittableRandom(5);
  private long used;

  protected abstract KernelLibrary library();

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
      values[i] = (float) (4 * random.nextDouble() - 2);
    }
    tensor.floats().put(0, values, 0, length);
    return tensor;
  }

  private static void run(TapeKernel kernel) {
    try (kernel) {
      kernel.run();
    }
  }

  @Test
  void product_ofEveryForm_isTheSumOfProducts() {
    for (boolean transposeLeft : List.of(false, true)) {
      for (boolean transposeRight : List.of(false, true)) {
        for (boolean add : List.of(false, true)) {
          Product shape = new Product(7, 5, 9, transposeLeft, transposeRight, add);
          Tensor left = tensor(7 * 9);
          Tensor right = tensor(9 * 5);
          Tensor result = tensor(7 * 5);
          float[] before = result.floats().toArray();
          run(library().product(shape, left, right, result));
          assertProduct(shape, left, right, before, result.floats().toArray());
        }
      }
    }
  }

  private static void assertProduct(
      Product shape, Tensor left, Tensor right, float[] before, float[] result) {
    float[] a = left.floats().toArray();
    float[] b = right.floats().toArray();
    for (int row = 0; row < shape.rows(); row++) {
      for (int column = 0; column < shape.columns(); column++) {
        double sum = shape.add() ? before[row * shape.columns() + column] : 0;
        for (int k = 0; k < shape.depth(); k++) {
          int i = shape.transposeLeft() ? k * shape.rows() + row : row * shape.depth() + k;
          int j =
              shape.transposeRight() ? column * shape.depth() + k : k * shape.columns() + column;
          sum += (double) a[i] * b[j];
        }
        assertThat((double) result[row * shape.columns() + column])
            .as("%s at %d, %d", shape, row, column)
            .isCloseTo(sum, within(1e-5));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Activation.Kind.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"IDENTITY"})
  void activation_andItsSlope_areThoseOfTheDefinition(Activation.Kind kind) {
    for (float alpha : kind == Activation.Kind.RELU ? new float[] {0, 0.01f} : new float[] {1}) {
      Activation function = new Activation(kind, alpha);
      Tensor values = tensor(1_000);
      Tensor errors = tensor(1_000);
      float[] x = values.floats().toArray();
      float[] before = errors.floats().toArray();
      Tensor outputs = function.needsInputs() ? tensor(1_000) : values;
      run(library().activation(function, values, outputs));
      run(library().activationBackward(function, values, errors));
      float[] y = outputs.floats().toArray();
      float[] after = errors.floats().toArray();
      for (int i = 0; i < x.length; i++) {
        float known = function.needsInputs() ? x[i] : y[i];
        assertThat(y[i]).isCloseTo(function.value(x[i]), within(2e-6f));
        assertThat(after[i]).isCloseTo(before[i] * function.slope(known), within(5e-6f));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Activation.Kind.class)
  void slope_ofEachFunction_isTheDifferenceOfItsValues(Activation.Kind kind) {
    Activation function = new Activation(kind, 1);
    for (float x = -6.05f; x < 6; x += 0.1f) {
      double high = function.value(x + 0.01f);
      double low = function.value(x - 0.01f);
      float slope = function.slope(function.needsInputs() ? x : function.value(x));
      assertThat((double) slope).isCloseTo((high - low) / 0.02, within(1e-4));
    }
  }

  @Test
  void activationBackward_atTheKink_hasTheSlopeOfDeeplearning4j() {
    for (float alpha : new float[] {0, 0.01f}) {
      Tensor zeros = tensor(4);
      zeros.floats().put(0, new float[] {0, -0f, 0, 0}, 0, 4);
      Tensor errors = tensor(4);
      float[] before = errors.floats().toArray();
      run(library().activationBackward(new Activation(Activation.Kind.RELU, alpha), zeros, errors));
      float[] after = errors.floats().toArray();
      for (int i = 0; i < after.length; i++) {
        assertThat(after[i]).isCloseTo(alpha == 0 ? 0 : before[i], within(0f));
      }
    }
  }

  @Test
  void aTensorThatMoved_isUsedWhereItIsNow() {
    Tensor values = tensor(64);
    try (TapeKernel kernel = library().activation(Activation.RELU, values, values)) {
      kernel.run();
      Tensor other = tensor(64);
      float[] x = other.floats().toArray();
      values.place(other.floats());
      kernel.run();
      float[] y = values.floats().toArray();
      for (int i = 0; i < x.length; i++) {
        assertThat(y[i]).isEqualTo(Math.max(0, x[i]));
      }
    }
  }
}
