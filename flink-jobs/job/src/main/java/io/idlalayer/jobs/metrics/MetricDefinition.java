package io.idlalayer.jobs.metrics;

import org.jspecify.annotations.Nullable;

/**
 * A metric: its name, and how its value is read.
 *
 * @param <S> the source of the value; immutable or thread-safe, because reporters read it
 * @param name name in camel case with the unit last, as the names of Flink's own metrics
 * @param unit unit of the value: "ms", "s", "bytes", "ratio", "0 or 1", or what is counted
 * @param reading reads the value; for a histogram, the value that a new source adds, if any
 */
record MetricDefinition<S>(String name, Kind kind, String unit, Reading<S> reading) {

  /** The kinds of metrics in Flink that are used. */
  public enum Kind {
    /**
     * A number that never decreases, except when a job is restored. Then it returns to its value in
     * the checkpoint, or to 0 if it counts from the opening of the learner.
     */
    COUNTER,
    /** The latest value of a number that may rise and fall. */
    GAUGE,
    /**
     * The number of values since the learner was opened, and the distribution of the latest ones.
     */
    HISTOGRAM
  }

  /** Computes the value of a metric from its source. */
  @FunctionalInterface
  public interface Reading<S> {
    /**
     * Returns the value of the metric; null if the source has none yet, so that the metric does not
     * exist before.
     *
     * @param nowMillis epoch milliseconds of the reader's clock
     */
    @Nullable Number of(S source, long nowMillis);
  }

  static <S> MetricDefinition<S> counter(String name, String unit, Reading<S> reading) {
    return new MetricDefinition<>(name, Kind.COUNTER, unit, reading);
  }

  static <S> MetricDefinition<S> gauge(String name, String unit, Reading<S> reading) {
    return new MetricDefinition<>(name, Kind.GAUGE, unit, reading);
  }

  static <S> MetricDefinition<S> histogram(String name, String unit, Reading<S> reading) {
    return new MetricDefinition<>(name, Kind.HISTOGRAM, unit, reading);
  }
}
