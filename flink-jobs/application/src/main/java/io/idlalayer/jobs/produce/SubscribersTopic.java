package io.idlalayer.jobs.produce;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/** The required configuration of a topic for heartbeats of subscribers or lenders. */
final class SubscribersTopic {
  private static final String BROKERS_TIME = "LogAppendTime";

  /**
   * The required settings: records of a process are deleted a day after its end, whereas compaction
   * alone would keep every name forever. The broker sets the timestamps, because the clocks of
   * senders can be wrong.
   */
  static final Map<String, String> CONFIGS =
      Map.of(
          TopicConfig.CLEANUP_POLICY_CONFIG,
          TopicConfig.CLEANUP_POLICY_COMPACT + "," + TopicConfig.CLEANUP_POLICY_DELETE,
          TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
          BROKERS_TIME,
          TopicConfig.RETENTION_MS_CONFIG,
          Long.toString(24 * 3_600_000),
          TopicConfig.SEGMENT_BYTES_CONFIG,
          Integer.toString(8 << 20),
          TopicConfig.SEGMENT_MS_CONFIG,
          Long.toString(3_600_000),
          TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
          "0.1");

  private SubscribersTopic() {}

  /**
   * Returns what is wrong with a topic that another party created, and what to do about it; empty
   * if the topic is right.
   *
   * @param timed whether readers use the times of its records
   */
  static List<String> complaints(String topic, Config config, boolean timed) {
    List<String> complaints = new ArrayList<>();
    String cleanup = value(config, TopicConfig.CLEANUP_POLICY_CONFIG);
    if (cleanup != null && !cleanup.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      complaints.add(
          "topic %s keeps every heartbeat of each sender: set its %s to %s"
              .formatted(
                  topic,
                  TopicConfig.CLEANUP_POLICY_CONFIG,
                  CONFIGS.get(TopicConfig.CLEANUP_POLICY_CONFIG)));
    }
    String time = value(config, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG);
    if (timed && time != null && !time.equals(BROKERS_TIME)) {
      complaints.add(
          ("topic %s has the times of its senders, so a subscriber whose clock is wrong may be"
                  + " shown as silent while it runs, or as running after it ended: set its %s to"
                  + " %s")
              .formatted(topic, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, BROKERS_TIME));
    }
    return complaints;
  }

  private static @Nullable String value(Config config, String key) {
    @Nullable ConfigEntry entry = config.get(key);
    return entry == null ? null : entry.value();
  }
}
