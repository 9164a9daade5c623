package io.idlalayer.jobs.replay;

import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.jobs.topics.TopicScan;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Reads arrival times from a topic: the time stamps of its records. */
public final class TopicArrivals {
  /**
   * Largest number of events of a topic that are replayed; each needs up to 40 bytes while they are
   * sorted.
   */
  private static final int MOST_EVENTS = 20_000_000;

  private final int most;
  private long[] millis = new long[1024];
  private int events;
  private long untimed;
  private boolean tooMany;

  private TopicArrivals(int most) {
    this.most = most;
  }

  /**
   * The arrivals in a topic.
   *
   * @param untimed number of records without a time stamp, which are left out
   */
  public record Loaded(ArrivalTrace trace, long untimed) {}

  /**
   * Reads the times of the records that a topic has now. Marks and requests of iDlaLayer and
   * tombstones do not count as arrivals.
   *
   * @param client properties of the Kafka client
   * @throws IOException if the broker does not answer, there is no such topic, or it has too many
   *     events
   */
  public static Loaded read(Map<String, Object> client, String topic) throws IOException {
    return read(client, topic, MOST_EVENTS);
  }

  static Loaded read(Map<String, Object> client, String topic, int most) throws IOException {
    TopicArrivals reading = new TopicArrivals(most);
    TopicScan.read(
        client,
        topic,
        record -> {
          boolean event =
              record.value() != null
                  && record.value().length > 0
                  && !EventHeaders.has(record.headers(), EventHeaders.MARK)
                  && !EventHeaders.has(record.headers(), EventHeaders.CONTROL);
          return !event || reading.take(record.timestamp());
        });
    if (reading.tooMany) {
      throw new IOException(
          "the topic %s has more than %,d events, the most that are replayed: write the times of a part of it to a file"
              .formatted(topic, most));
    }
    return new Loaded(reading.trace(), reading.untimed);
  }

  private boolean take(long atMillis) {
    if (atMillis < 0) {
      untimed++;
      return true;
    }
    if (events == most) {
      tooMany = true;
      return false;
    }
    if (events == millis.length) {
      millis = Arrays.copyOf(millis, Math.min(most, 2 * events));
    }
    millis[events++] = atMillis;
    return true;
  }

  /** Returns the arrivals in order; partitions were read one after the other. */
  private ArrivalTrace trace() {
    Arrays.sort(millis, 0, events);
    ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
    for (int i = 0; i < events; i++) {
      trace.add(TimeUnit.MILLISECONDS.toNanos(millis[i]), 1);
    }
    return trace.build();
  }
}
