package io.idlalayer.jobs.events;

import org.jspecify.annotations.Nullable;

/**
 * The quality of the model and of older versions of it that still predict, on the same new events
 * before these were learned. All are judged on the same part of the events, which begins when the
 * older versions were kept.
 *
 * @param measure name of the metric, such as accuracy
 * @param higherIsBetter whether a higher value is better
 * @param every number of learned events after which the renewed version is replaced by the newest
 *     version
 * @param samples number of events that were tested
 * @param model quality of the model, which each update renews
 * @param once the version that was the newest after the first interval, and is never renewed
 * @param renewed the version that was the newest after the last interval
 */
public record ComparedVersions(
    String measure,
    boolean higherIsBetter,
    long every,
    long samples,
    MetricValues model,
    KeptVersion once,
    KeptVersion renewed) {

  /**
   * The values of the application's metric of a model.
   *
   * @param value value on all tested events; absent while it is not defined
   * @param recent value on the last 1,000 tested events; absent while it is not defined
   */
  public record MetricValues(@Nullable Double value, @Nullable Double recent) {}

  /**
   * An older version. The quality of the renewed version is computed over all versions that had
   * this role one after the other.
   *
   * @param version number of the version
   * @param learned number of events that the version has learned
   */
  public record KeptVersion(long version, long learned, MetricValues quality) {}
}
