package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.Status;
import org.HdrHistogram.Histogram;

/**
 * A histogram of the time from the writing of an event to the topic until the learner gets the
 * event, in milliseconds, for the events since the last status.
 */
final class IngestionTimes {
  private static final long LONGEST_MILLIS = 24L * 3600 * 1000;

  private final Histogram millis = new Histogram(LONGEST_MILLIS, 2);

  void add(long tookMillis) {
    millis.recordValue(Math.max(0, Math.min(LONGEST_MILLIS, tookMillis)));
  }

  Status.Ingestion status() {
    return new Status.Ingestion(
        millis.getTotalCount(),
        millis.getValueAtPercentile(50),
        millis.getValueAtPercentile(99),
        millis.getMaxValue());
  }

  /** Removes all durations, after a status with them was sent. */
  void startOver() {
    millis.reset();
  }
}
