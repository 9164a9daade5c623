package io.idlalayer.jobs.recovery;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A checkpoint or savepoint all of whose files exist.
 *
 * @param run the run that wrote the recovery point
 * @param folder folder with its file {@code _metadata}
 * @param checkpointId number of the checkpoint or savepoint; one count goes through all runs of a
 *     lineage
 * @param bytes size of its files, including files that it shares with other recovery points
 * @param offsets offset of the next event to read, by "topic-partition"
 */
public record RecoveryPoint(
    RunFolder run, Path folder, long checkpointId, long bytes, SortedMap<String, Long> offsets) {
  /**
   * The order from oldest to newest: by run, then by checkpoint id. The times of files do not
   * matter.
   */
  static final Comparator<RecoveryPoint> ORDER =
      Comparator.<RecoveryPoint>comparingLong(point -> point.run().number())
          .thenComparingLong(RecoveryPoint::checkpointId);

  public RecoveryPoint {
    offsets = new TreeMap<>(offsets);
  }

  /** Returns how many events lie between the offsets of this point and the given later offsets. */
  public long eventsBefore(Map<String, Long> later) {
    long events = 0;
    for (Map.Entry<String, Long> end : later.entrySet()) {
      events += Math.max(0, end.getValue() - offsets.getOrDefault(end.getKey(), 0L));
    }
    return events;
  }
}
