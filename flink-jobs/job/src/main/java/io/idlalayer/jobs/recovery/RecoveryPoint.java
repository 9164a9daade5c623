package io.idlalayer.jobs.recovery;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A checkpoint or savepoint that was found whole.
 *
 * @param run the run that made it
 * @param folder where its {@code _metadata} lies
 * @param checkpointId counted through all runs of a lineage; savepoints are in the same count
 * @param bytes size of its files, including those that it shares with others
 * @param offsets next event to read, by "topic-partition"
 */
public record RecoveryPoint(
    RunFolder run, Path folder, long checkpointId, long bytes, SortedMap<String, Long> offsets) {
  /** Newest last: by run, then by checkpoint id; never by what a file system says. */
  static final Comparator<RecoveryPoint> ORDER =
      Comparator.<RecoveryPoint>comparingLong(point -> point.run().number())
          .thenComparingLong(RecoveryPoint::checkpointId);

  public RecoveryPoint {
    offsets = new TreeMap<>(offsets);
  }

  /** Events that were read, by offset, up to {@code later} but not up to this point. */
  public long eventsBefore(Map<String, Long> later) {
    long events = 0;
    for (Map.Entry<String, Long> end : later.entrySet()) {
      events += Math.max(0, end.getValue() - offsets.getOrDefault(end.getKey(), 0L));
    }
    return events;
  }
}
