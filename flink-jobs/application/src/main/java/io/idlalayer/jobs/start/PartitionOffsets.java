package io.idlalayer.jobs.start;

import java.io.IOException;
import java.util.SortedMap;

/**
 * The interface to a broker's offsets by partition, so that the rules about starts can be tested
 * without a broker.
 */
public interface PartitionOffsets {
  /**
   * Asks for the offsets that the partitions of a topic have now.
   *
   * @return bounds by partition
   * @throws IOException if the broker does not answer within some seconds, or refuses, or has no
   *     such topic
   */
  SortedMap<Integer, Bounds> bounds(String topic) throws IOException, InterruptedException;

  /**
   * Asks for the first records that are not before a time.
   *
   * @param epochMillis compared with the times of the records
   * @return offsets by partition; a partition without such a record is missing
   * @throws IOException if the broker does not answer within some seconds, or refuses, or has no
   *     such topic
   */
  SortedMap<Integer, Long> since(String topic, long epochMillis)
      throws IOException, InterruptedException;

  /**
   * The offsets of a partition.
   *
   * @param beginning offset of the oldest record
   * @param readable offset up to which consumers read: before the oldest open transaction, or the
   *     end if consumers read uncommitted records too
   * @param end offset after the newest record, at least {@code readable}
   */
  record Bounds(long beginning, long readable, long end) {}
}
