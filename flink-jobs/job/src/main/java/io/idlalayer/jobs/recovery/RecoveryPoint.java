package io.idlalayer.jobs.recovery;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A checkpoint or savepoint all of whose files exist.
 *
 * @param run the run that made it
 * @param folder where its {@code _metadata} lies
 * @param checkpointId counted through all runs of a lineage; savepoints are in the same count
 * @param bytes size of its files, including those that it shares with others
 * @param offsets next event to read, by "topic-partition"
 */
public record RecoveryPoint(
    RunFolder run, Path folder, long checkpointId, long bytes, SortedMap<String, Long> offsets) {
  /** Order from oldest to newest: by run, then by checkpoint id; never by the times of files. */
  static final Comparator<RecoveryPoint> ORDER =
      Comparator.<RecoveryPoint>comparingLong(point -> point.run().number())
          .thenComparingLong(RecoveryPoint::checkpointId);

  public RecoveryPoint {
    offsets = new TreeMap<>(offsets);
  }

  /** Returns how many events were read after this point and before the given later offsets. */
  public long eventsBefore(Map<String, Long> later) {
    long events = 0;
    for (Map.Entry<String, Long> end : later.entrySet()) {
      events += Math.max(0, end.getValue() - offsets.getOrDefault(end.getKey(), 0L));
    }
    return events;
  }
}
