package io.idlalayer.jobs.topics;

import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * The interface to a broker's facts about topics, so that the rules about them can be tested
 * without a broker.
 */
public interface InputTopics extends Serializable {
  /**
   * Asks the broker for the facts about topics.
   *
   * @return facts by topic; a topic that does not exist is missing
   * @throws IOException if the broker does not answer within some seconds, or refuses
   */
  Map<String, Facts> look(Set<String> topics) throws IOException, InterruptedException;

  /**
   * The current facts about a topic.
   *
   * @param id id that distinguishes the topic from an earlier or later topic with the same name
   * @param partitions offsets by partition
   */
  record Facts(String id, SortedMap<Integer, Offsets> partitions) {}

  /**
   * The first and the next offset of a partition.
   *
   * @param beginning offset of the oldest record
   * @param end offset after the newest record
   */
  record Offsets(long beginning, long end) {}
}
