package io.idlalayer.jobs.topics;

import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** What a broker says of topics. A port, so that the rules about it need no broker. */
public interface InputTopics extends Serializable {
  /**
   * Looks at topics.
   *
   * @return facts by topic; a topic that does not exist is missing
   * @throws IOException if the broker does not answer within some seconds, or refuses
   */
  Map<String, Facts> look(Set<String> topics) throws IOException, InterruptedException;

  /**
   * A topic as it is now.
   *
   * @param id what tells it from another topic of the same name
   * @param partitions offsets by partition
   */
  record Facts(String id, SortedMap<Integer, Offsets> partitions) {}

  /**
   * What a partition holds.
   *
   * @param beginning offset of the oldest record
   * @param end offset behind the newest
   */
  record Offsets(long beginning, long end) {}
}
