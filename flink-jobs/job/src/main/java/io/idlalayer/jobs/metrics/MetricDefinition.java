package io.idlalayer.jobs.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The definition of a metric: its name, and how its value is read.
 *
 * @param <S> type of the source of the value; immutable or thread-safe, because reporters read the
 *     source
 * @param name name in camel case with the unit last, like the names of Flink's own metrics
 * @param unit unit of the value: "ms", "s", "bytes", "ratio", "0 or 1", or the name of the things
 *     that are counted
 * @param reading reads the value from a source; for a histogram, the value that a new source adds,
 *     if there is one
 */
record MetricDefinition<S>(String name, Kind kind, String unit, Reading<S> reading) {

  /** The kinds of Flink's metrics that the product uses. */
  public enum Kind {
    /**
     * A number that never decreases, except when a job is restored. It then returns to its value in
     * the checkpoint, or to 0 if it counts since the learner was opened.
     */
    COUNTER,
    /** The latest value of a number that can rise and fall. */
    GAUGE,
    /**
     * The number of values since the learner was opened, and the distribution of the latest values.
     */
    HISTOGRAM
  }

  /** Computes the value of a metric from its source. */
  @FunctionalInterface
  public interface Reading<S> {
    /**
     * Returns the value of the metric; null if the source has no value yet. The metric exists from
     * the first value on.
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
