package io.idlalayer.jobs.start;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The place at which an application without state began to read, noted by a run or a submission. If
 * the run fails before its first checkpoint, the next one begins at the same offsets, so that no
 * events in between are left out.
 *
 * @param asked the starts in the application file, as text; if the file has other starts, the note
 *     does not hold any more
 * @param positions the offsets that were found for these starts
 */
public record FirstStart(String asked, StartPositions positions) {
  /** Writes first starts by the names of their applications. */
  public static void write(Map<String, FirstStart> starts, ObjectNode to) {
    starts.forEach(
        (application, start) -> {
          ObjectNode topics =
              to.putObject(application).put("asked", start.asked()).putObject("topics");
          start
              .positions()
              .byTopic()
              .forEach(
                  (topic, offsets) -> {
                    ObjectNode partitions = topics.putObject(topic);
                    offsets.forEach(
                        (partition, offset) -> partitions.put(partition.toString(), offset));
                  });
        });
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  public static SortedMap<String, FirstStart> read(JsonNode from) {
    SortedMap<String, FirstStart> starts = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : from.properties()) {
      SortedMap<String, SortedMap<Integer, Long>> topics = new TreeMap<>();
      for (Map.Entry<String, JsonNode> topic : each.getValue().path("topics").properties()) {
        SortedMap<Integer, Long> offsets = new TreeMap<>();
        for (Map.Entry<String, JsonNode> offset : topic.getValue().properties()) {
          if (!offset.getValue().isIntegralNumber() || offset.getValue().asLong() < 0) {
            throw new IllegalArgumentException(
                "%s-%s begins at %s".formatted(topic.getKey(), offset.getKey(), offset.getValue()));
          }
          offsets.put(Integer.valueOf(offset.getKey()), offset.getValue().asLong());
        }
        topics.put(topic.getKey(), offsets);
      }
      starts.put(
          each.getKey(),
          new FirstStart(each.getValue().path("asked").asText(), new StartPositions(topics)));
    }
    return starts;
  }
}
