package io.idlalayer.jobs.cli.files;

import io.idlalayer.jobs.proposal.EventRows;
import io.idlalayer.jobs.topics.TopicScan;
import java.io.IOException;
import java.util.Map;

/** Reads the first events of a topic. */
final class TopicEvents {
  private TopicEvents() {}

  /**
   * Reads events from the beginning of each partition until there are enough, or the topic ends.
   *
   * @param client properties of the Kafka client
   * @throws IOException if the broker does not answer, or there is no such topic
   */
  static EventRows read(Map<String, Object> client, String topic, int most) throws IOException {
    EventRows.Choice choice = new EventRows.Choice(2 * most);
    int[] chosen = {0};
    TopicScan.read(
        client,
        topic,
        record -> {
          byte[] event = record.value();
          // Marks and requests have no event, or an empty one.
          if (event != null && event.length > 0) {
            choice.add(event);
            chosen[0]++;
          }
          return chosen[0] < most && choice.takesMore();
        });
    return choice.rows(true);
  }
}
