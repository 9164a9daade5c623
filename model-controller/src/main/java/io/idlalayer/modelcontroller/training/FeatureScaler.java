package io.idlalayer.modelcontroller.training;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Standardises dense features and a regression target with the mean and deviation of everything
 * trained so far (Chan's merge of Welford's sums). Immutable; part of the model. A column that does
 * not vary is only shifted.
 */
final class FeatureScaler {
  private static final int FORMAT_VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  private final State state;
  private final float[] shift;
  private final float[] factor;

  /**
   * Sums per column; the last column is the target.
   *
   * @param m2 sums of squared differences to the mean
   */
  record State(
      int formatVersion, boolean enabled, boolean target, long count, double[] mean, double[] m2) {}

  private FeatureScaler(State state) {
    this.state = state;
    int columns = state.mean().length;
    shift = new float[columns];
    factor = new float[columns];
    for (int i = 0; i < columns; i++) {
      boolean active = state.enabled() && state.count() > 0 && (i < columns - 1 || state.target());
      double deviation = active && state.count() > 1 ? Math.sqrt(state.m2()[i] / state.count()) : 0;
      shift[i] = active ? (float) state.mean()[i] : 0;
      factor[i] = deviation > 1e-12 ? (float) (1 / deviation) : 1;
    }
  }

  /**
   * A scaler that has seen nothing and changes nothing.
   *
   * @param enabled whether it ever will
   * @param target whether the label is scaled too
   */
  static FeatureScaler empty(int denseWidth, boolean enabled, boolean target) {
    int columns = denseWidth + 1;
    return new FeatureScaler(
        new State(FORMAT_VERSION, enabled, target, 0, new double[columns], new double[columns]));
  }

  /** A scaler that has seen these samples too. */
  FeatureScaler including(List<Sample> samples) {
    if (!state.enabled() || samples.isEmpty()) {
      return this;
    }
    int columns = state.mean().length;
    double[] mean = new double[columns];
    double[] m2 = new double[columns];
    for (int i = 0; i < columns; i++) {
      int column = i;
      merge(column, samples, s -> value(s, column), mean, m2);
    }
    return new FeatureScaler(
        new State(FORMAT_VERSION, true, state.target(), state.count() + samples.size(), mean, m2));
  }

  private static double value(Sample sample, int column) {
    return column < sample.dense().length ? sample.dense()[column] : sample.label();
  }

  private void merge(
      int column,
      List<Sample> samples,
      ToDoubleFunction<Sample> value,
      double[] mean,
      double[] m2) {
    double batchMean = 0;
    double batchM2 = 0;
    int n = 0;
    for (Sample sample : samples) {
      double x = value.applyAsDouble(sample);
      n++;
      double difference = x - batchMean;
      batchMean += difference / n;
      batchM2 += difference * (x - batchMean);
    }
    double before = state.count();
    double total = before + n;
    double difference = batchMean - state.mean()[column];
    mean[column] = state.mean()[column] + difference * n / total;
    m2[column] = state.m2()[column] + batchM2 + difference * difference * before * n / total;
  }

  /** Number of dense values that it scales. */
  int denseWidth() {
    return state.mean().length - 1;
  }

  /** Scales one dense value. */
  float dense(int column, float value) {
    return (value - shift[column]) * factor[column];
  }

  float target(float value) {
    int column = shift.length - 1;
    return (value - shift[column]) * factor[column];
  }

  float unscaledTarget(float value) {
    int column = shift.length - 1;
    return value / factor[column] + shift[column];
  }

  /** An error in target units as the network sees it. */
  float scaledTargetError(float error) {
    return error * factor[shift.length - 1];
  }

  byte[] encode() {
    try {
      return JSON.writeValueAsBytes(state);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static FeatureScaler decode(byte[] bytes) throws IOException {
    State state = JSON.readValue(bytes, State.class);
    if (state.formatVersion() != FORMAT_VERSION
        || state.mean() == null
        || state.m2() == null
        || state.mean().length != state.m2().length) {
      throw new IOException("scaler.json is not in format " + FORMAT_VERSION);
    }
    return new FeatureScaler(state);
  }
}
