package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the centre and scale of a stream of numbers, robust against few outliers, and follows
 * changes of the stream. Centre and scale come from a running mean and variance, in which each
 * value counts as at most {@link #LIMIT} scales from the centre and is forgotten over some {@link
 * #WINDOW} later ones. Values that are not finite are ignored. Deterministic in the values, their
 * order and how they were handed over; not thread-safe.
 *
 * <p>Three rules look after what forgetting is too slow for. The first values are judged by their
 * median and median deviation. When the median of {@link #HISTORY} raw values of the last 1,024
 * lies far outside of what is usual, or they spread much wider, the column starts anew from them:
 * half of them must agree, so a burst of outliers does nothing. When the last {@link #RECENT}
 * values spread {@link #SHRUNK} times less than those of the window, they are the window.
 */
final class RobustColumn {
  /** Largest distance from the centre, in scales, with which a value counts. */
  static final double LIMIT = 8;

  /** Number of raw values that are remembered. */
  static final int HISTORY = 32;

  static final int WINDOW = 8_192;
  private static final int RECENT = 256;
  private static final int CHUNK = 256;
  private static final int FIRST = 1_024;

  /**
   * Distance from the centre, in deviations, that no trend and no wave of the window's length
   * reaches.
   */
  private static final double FAR = 2.2;

  private static final double WIDER = 4;
  private static final double SHRUNK = 64;
  private static final double ODD_MOST = 0.02;

  private static final double NORMAL_PER_MEDIAN_DEVIATION = 1.4826;
  private static final double NORMAL_PER_MEAN_DEVIATION = 1.2533;
  private static final double LEAST_SCALE = 1e-12;

  /** A column that varies by fewer spacings of doubles than these does not vary. */
  private static final double LEAST_SPACINGS = 4;

  /**
   * The remembered state of a column.
   *
   * @param weight number of values that mean and variance stand for, at most {@link #WINDOW}
   * @param recentMean mean of the last {@link #RECENT} values
   * @param odd fraction of the values that are neither 0 nor 1
   * @param binary whether the column is treated as a flag, which is not scaled
   * @param history raw values in 64 bits: the first {@link #HISTORY}, of which the oldest is then
   *     replaced at regular intervals. In {@code scaler.json} it is {@code kept}
   * @param missingOrNull number of values that were not finite; null for 0, which is not written
   */
  record State(
      double weight,
      double mean,
      double variance,
      double recentMean,
      double recentVariance,
      double odd,
      boolean binary,
      @JsonProperty("kept") byte[] history,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("missing")
          @Nullable Long missingOrNull) {
    static State empty() {
      return new State(0, 0, 0, 0, 0, 0, false, new byte[0], null);
    }

    long missing() {
      return missingOrNull == null ? 0 : missingOrNull;
    }

    /** Returns whether this state is one that this class can have written. */
    boolean valid() {
      return history != null
          && history.length <= HISTORY * Double.BYTES
          && history.length % Double.BYTES == 0
          && weight >= 0
          && weight <= WINDOW
          && Double.isFinite(mean)
          && Double.isFinite(recentMean)
          && variance >= 0
          && Double.isFinite(variance)
          && recentVariance >= 0
          && Double.isFinite(recentVariance)
          && odd >= 0
          && odd <= 1
          && missing() >= 0;
    }
  }

  private final double[] history = new double[HISTORY];
  private double weight;
  private double mean;
  private double variance;
  private double recentMean;
  private double recentVariance;
  private double odd;
  private boolean binary;
  private int historyCount;
  private long missing;

  RobustColumn(State state) {
    weight = state.weight();
    mean = state.mean();
    variance = state.variance();
    recentMean = state.recentMean();
    recentVariance = state.recentVariance();
    odd = state.odd();
    binary = state.binary();
    missing = state.missing();
    historyCount = state.history().length / Double.BYTES;
    ByteBuffer.wrap(state.history()).asDoubleBuffer().get(history, 0, historyCount);
  }

  State state() {
    ByteBuffer bytes = ByteBuffer.allocate(historyCount * Double.BYTES);
    bytes.asDoubleBuffer().put(history, 0, historyCount);
    return new State(
        weight,
        mean,
        variance,
        recentMean,
        recentVariance,
        odd,
        binary,
        bytes.array(),
        missing == 0 ? null : missing);
  }

  /** Returns whether a column has seen no finite value yet. */
  static boolean unseen(State state) {
    return state.weight() == 0;
  }

  /** Returns the scale of a column, its standard deviation; 1 if its values do not vary. */
  static double scale(double mean, double variance) {
    double deviation = Math.sqrt(variance);
    return deviation > Math.max(LEAST_SCALE, LEAST_SPACINGS * Math.ulp(mean)) ? deviation : 1;
  }

  private double scale() {
    return scale(mean, variance);
  }

  /**
   * Adds the next values of the stream.
   *
   * @param seen number of values before these, including those that are not finite
   */
  void include(double[] values, long seen) {
    double[] numbers = numbers(values);
    // What is missing moves no other value out of the history.
    long before = seen - missing;
    missing += values.length - numbers.length;
    if (numbers.length > 0) {
      add(numbers, before);
    }
  }

  /** Returns the values that are finite, in their order. */
  private static double[] numbers(double[] values) {
    int n = 0;
    for (double value : values) {
      n += Double.isFinite(value) ? 1 : 0;
    }
    if (n == values.length) {
      return values;
    }
    double[] numbers = new double[n];
    int at = 0;
    for (double value : values) {
      if (Double.isFinite(value)) {
        numbers[at++] = value;
      }
    }
    return numbers;
  }

  /**
   * @param seen number of values before these
   */
  private void add(double[] values, long seen) {
    int at = 0;
    if (seen < HISTORY) {
      at = Math.min(values.length, FIRST);
      double[] first = new double[historyCount + at];
      for (int i = 0; i < historyCount; i++) {
        first[i] = history[i];
      }
      for (int i = 0; i < at; i++) {
        first[historyCount + i] = values[i];
      }
      keep(values, 0, at, seen);
      start(first);
    }
    while (at < values.length) {
      int to = Math.min(values.length, at + CHUNK);
      merge(values, at, to);
      keep(values, at, to, seen);
      review();
      at = to;
    }
  }

  private void keep(double[] values, int from, int to, long seen) {
    for (int i = from; i < to; i++) {
      long number = seen + i;
      if (number < HISTORY) {
        history[(int) number] = values[i];
        historyCount = (int) number + 1;
      } else if (number % HISTORY == 0) {
        history[(int) (number / HISTORY % HISTORY)] = values[i];
      }
    }
  }

  /** Computes the first centre and scale from values that may include few outliers. */
  private void start(double[] raw) {
    double[] values = raw.clone();
    double middle = median(values);
    double spread = spread(values, middle);
    double unit = spread > 0 ? spread : 1;
    double sum = 0;
    int odds = 0;
    for (int i = 0; i < values.length; i++) {
      odds += values[i] == 0 || values[i] == 1 ? 0 : 1;
      values[i] = clamp(values[i], middle, unit);
      // Differences, because sums of numbers far from 0 round.
      sum += values[i] - middle;
    }
    mean = middle + sum / values.length;
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    variance = squares / values.length;
    recentMean = mean;
    recentVariance = variance;
    weight = values.length;
    odd = (double) odds / values.length;
    binary = values.length > 2 ? odds <= Math.max(1, values.length / 64) : odds == 0;
  }

  private static double clamp(double value, double centre, double unit) {
    return Math.max(centre - LIMIT * unit, Math.min(centre + LIMIT * unit, value));
  }

  /**
   * Returns the median; of two middle values the lower one, because their mean may lie between two
   * groups, far from all values.
   */
  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(sorted.length - 1) / 2];
  }

  /**
   * Returns a robust scale of values, from the median deviation; if more than half of the values
   * are equal, from the mean deviation without the farthest value.
   */
  private static double spread(double[] values, double middle) {
    double[] deviations = deviations(values, middle);
    double median = median(deviations);
    if (median > 0) {
      return NORMAL_PER_MEDIAN_DEVIATION * median;
    }
    Arrays.sort(deviations);
    int near = deviations.length - Math.max(1, deviations.length / 64);
    double sum = 0;
    for (int i = 0; i < near; i++) {
      sum += deviations[i];
    }
    return near > 0 ? NORMAL_PER_MEAN_DEVIATION * sum / near : 0;
  }

  private static double[] deviations(double[] values, double middle) {
    double[] deviations = new double[values.length];
    for (int i = 0; i < deviations.length; i++) {
      deviations[i] = Math.abs(values[i] - middle);
    }
    return deviations;
  }

  private void merge(double[] values, int from, int to) {
    double unit = scale();
    double sum = 0;
    int n = to - from;
    int odds = 0;
    for (int i = from; i < to; i++) {
      sum += clamp(values[i], mean, unit) - mean;
      odds += values[i] == 0 || values[i] == 1 ? 0 : 1;
    }
    double chunkMean = mean + sum / n;
    double squares = 0;
    for (int i = from; i < to; i++) {
      double difference = clamp(values[i], mean, unit) - chunkMean;
      squares += difference * difference;
    }
    double recently = Math.min(weight, RECENT);
    double apart = chunkMean - recentMean;
    recentVariance = together(recentVariance, recently, squares, n, apart);
    recentMean += apart * n / (recently + n);
    apart = chunkMean - mean;
    variance = together(variance, weight, squares, n, apart);
    mean += apart * n / (weight + n);
    odd += (odds - odd * n) / (weight + n);
    binary &= odd <= ODD_MOST;
    weight = Math.min(WINDOW, weight + n);
  }

  /** Returns the variance of two sets of values together, by Chan's formula. */
  private static double together(
      double variance, double weight, double squares, int n, double apart) {
    double total = weight + n;
    return (variance * weight + squares + apart * apart * weight * n / total) / total;
  }

  /** Starts over from the remembered values if the stream has changed. */
  private void review() {
    if (historyCount < HISTORY / 2) {
      return;
    }
    double[] recentRaw = new double[historyCount];
    for (int i = 0; i < historyCount; i++) {
      recentRaw[i] = history[i];
    }
    double middle = median(recentRaw);
    double agreed = NORMAL_PER_MEDIAN_DEVIATION * median(deviations(recentRaw, middle));
    double unit = scale();
    if (Math.abs(middle - mean) > FAR * Math.max(unit, agreed)) {
      // Where more than half are equal, the others would decide the scale of the new level.
      start(
          agreed > 0
              ? recentRaw
              : Arrays.stream(recentRaw).filter(value -> value == middle).toArray());
    } else if (agreed > WIDER * unit) {
      start(recentRaw);
    } else if (weight >= FIRST
        && recentVariance > LEAST_SCALE * LEAST_SCALE
        && variance > SHRUNK * SHRUNK * recentVariance) {
      mean = recentMean;
      variance = recentVariance;
      weight = RECENT;
    }
  }
}
