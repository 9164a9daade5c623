package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.Status;
import org.HdrHistogram.Histogram;

/** How long events took from the topic to the books, since the last time somebody asked. */
final class IngestionTimes {
  private static final long LONGEST_MILLIS = 24L * 3600 * 1000;

  private final Histogram millis = new Histogram(LONGEST_MILLIS, 2);

  void add(long tookMillis) {
    millis.recordValue(Math.max(0, Math.min(LONGEST_MILLIS, tookMillis)));
  }

  /** The times since the last call. */
  Status.Ingestion drain() {
    Status.Ingestion drained =
        new Status.Ingestion(
            millis.getTotalCount(),
            millis.getValueAtPercentile(50),
            millis.getValueAtPercentile(99),
            millis.getMaxValue());
    millis.reset();
    return drained;
  }
}
