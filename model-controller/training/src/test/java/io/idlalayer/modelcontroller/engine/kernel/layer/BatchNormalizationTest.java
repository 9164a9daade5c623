package io.idlalayer.modelcontroller.engine.kernel.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Normalization against its definition (Ioffe 2015, section 3), in doubles. */
final class BatchNormalizationTest {
  private static final int ROWS = 5;
  private static final double EPSILON = 1e-3;
  private static final double DECAY = 0.9;

  private final FloatMemory memory = new FloatMemory(1 << 19);
  private final SplittableRandom random = new SplittableRandom(3);
  private long used;

  @AfterEach
  void free() {
    memory.close();
  }

  private Tensor tensor(int length, double from, double until) {
    Tensor tensor = new Tensor("t" + used, Tensor.Kind.ACTIVATIONS, length);
    tensor.place(memory.part(used, length));
    used += length;
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) random.nextDouble(from, until);
    }
    tensor.floats().put(0, values, 0, length);
    return tensor;
  }

  /** Channels with different numbers, so that a mistaken one is seen. */
  private BatchNormalization.Parameters parameters(int channels) {
    return new BatchNormalization.Parameters(
        tensor(channels, -2, 2),
        tensor(channels, -2, 2),
        tensor(channels, -2, 2),
        tensor(channels, 0.5, 2));
  }

  private static BatchNormalization normalization(
      int channels, int pixels, BatchNormalization.Parameters parameters) {
    return new BatchNormalization(
        new BatchNormalization.Shape(ROWS, channels, pixels, EPSILON, DECAY, false), parameters);
  }

  /** Where the numbers of a channel are. */
  private static int[] places(int channel, int channels, int pixels) {
    return IntStream.range(0, ROWS * pixels)
        .map(i -> (i / pixels * channels + channel) * pixels + i % pixels)
        .toArray();
  }

  private static double mean(float[] values, int[] places) {
    return IntStream.of(places).mapToDouble(at -> values[at]).sum() / places.length;
  }

  private static double variance(float[] values, int[] places) {
    double mean = mean(values, places);
    return IntStream.of(places).mapToDouble(at -> Math.pow(values[at] - mean, 2)).sum()
        / places.length;
  }

  /**
   * Rows that are not images, channels that fill several blocks and a part of one, large channels.
   */
  @ParameterizedTest
  @CsvSource({"1, 1", "7, 1", "2049, 1", "3, 9", "150, 35", "3, 3000"})
  void forwardAndInference_normalizeEachChannel(int channels, int pixels) {
    BatchNormalization.Parameters parameters = parameters(channels);
    BatchNormalization normalization = normalization(channels, pixels, parameters);
    Tensor inputs = tensor(ROWS * channels * pixels, -3, 5);
    Tensor outputs = tensor(inputs.length(), 0, 1);
    float[] x = inputs.floats().toArray();
    for (boolean training : new boolean[] {true, false}) {
      (training ? normalization.forward(inputs, outputs) : normalization.inference(inputs, outputs))
          .run();
      float[] y = outputs.floats().toArray();
      for (int channel = 0; channel < channels; channel++) {
        int[] places = places(channel, channels, pixels);
        double mean =
            training ? mean(x, places) : parameters.runningMean().floats().toArray()[channel];
        double variance =
            training ? variance(x, places) : parameters.runningSpread().floats().toArray()[channel];
        double factor =
            parameters.scale().floats().toArray()[channel] / Math.sqrt(variance + EPSILON);
        double shift = parameters.shift().floats().toArray()[channel];
        for (int at : places) {
          assertThat((double) y[at]).isCloseTo((x[at] - mean) * factor + shift, within(1e-5));
        }
      }
    }
    assertThat(inputs.floats().toArray()).isEqualTo(x);
  }

  /** What does not differ within a mini-batch is the shift, however large it is. */
  @ParameterizedTest
  @CsvSource({"2026.3, 1", "50000.3, 1", "1234.567, 9"})
  void forward_constant_isTheShift(float constant, int pixels) {
    BatchNormalization.Parameters parameters = parameters(3);
    Tensor inputs = tensor(512 * 3 * pixels, 0, 1);
    float[] x = new float[inputs.length()];
    Arrays.fill(x, constant);
    inputs.floats().put(0, x, 0, x.length);
    Tensor outputs = tensor(inputs.length(), 0, 1);
    new BatchNormalization(
            new BatchNormalization.Shape(512, 3, pixels, 1e-5, DECAY, false), parameters)
        .forward(inputs, outputs)
        .run();
    float[] y = outputs.floats().toArray();
    for (int i = 0; i < y.length; i++) {
      assertThat(y[i]).isCloseTo(number(parameters.shift(), i / pixels % 3), within(0.1f));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "7, 1", "2049, 1", "3, 9", "150, 35", "3, 3000"})
  void backward_evenInPlace_givesTheSlopes(int channels, int pixels) {
    BatchNormalization.Parameters parameters = parameters(channels);
    BatchNormalization normalization = normalization(channels, pixels, parameters);
    Tensor inputs = tensor(ROWS * channels * pixels, -3, 5);
    Tensor errors = tensor(inputs.length(), -1, 1);
    float[] x = inputs.floats().toArray();
    float[] dy = errors.floats().toArray();
    normalization.forward(inputs, tensor(inputs.length(), 0, 1)).run();
    BatchNormalization.Parameters gradients = parameters(channels);
    normalization.backward(inputs, errors, gradients, errors).run();
    float[] dx = errors.floats().toArray();
    for (int channel = 0; channel < channels; channel++) {
      int[] places = places(channel, channels, pixels);
      double mean = mean(x, places);
      double variance = variance(x, places);
      double deviation = Math.sqrt(variance + EPSILON);
      double sum = IntStream.of(places).mapToDouble(at -> dy[at]).sum();
      double product =
          IntStream.of(places).mapToDouble(at -> dy[at] * (x[at] - mean) / deviation).sum();
      double scale = parameters.scale().floats().toArray()[channel];
      for (int at : places) {
        double distance = (x[at] - mean) / deviation;
        double slope = scale / deviation * (dy[at] - (sum + distance * product) / places.length);
        assertThat((double) dx[at]).isCloseTo(slope, within(1e-5));
      }
      assertThat((double) number(gradients.shift(), channel)).isCloseTo(sum, within(1e-3));
      assertThat((double) number(gradients.scale(), channel)).isCloseTo(product, within(1e-3));
      assertThat((double) number(gradients.runningMean(), channel))
          .isCloseTo(
              (number(parameters.runningMean(), channel) - mean) * (1 - DECAY), within(1e-5));
      assertThat((double) number(gradients.runningSpread(), channel))
          .isCloseTo(
              (number(parameters.runningSpread(), channel) - variance) * (1 - DECAY), within(1e-5));
    }
  }

  private static float number(Tensor of, int channel) {
    return of.floats().toArray()[channel];
  }
}
