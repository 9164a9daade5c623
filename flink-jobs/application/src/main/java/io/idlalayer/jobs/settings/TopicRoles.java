package io.idlalayer.jobs.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds topics that have two roles, such as an input topic that is also the topic of dead letters:
 * each event that is refused would be read again without end. Applications may share a topic of one
 * role, but for topics of events and labels.
 */
final class TopicRoles {
  private final Map<String, Use> byTopic = new HashMap<>();
  private final Map<String, String> byShape = new HashMap<>();

  /** A topic's role, and the application that it has it in. */
  private record Use(String role, String application) {}

  /**
   * A topic with two roles.
   *
   * @param key key of the application file whose topic it is
   */
  record Conflict(String key, String message) {}

  /** Adds the topics of an application and returns those that meet another one. */
  List<Conflict> add(ApplicationSettings application) {
    List<Conflict> conflicts = new ArrayList<>();
    ApplicationSettings.Kafka kafka = application.kafka();
    add(
        "kafka.topic-prefix",
        "the topic of dead letters",
        kafka.deadLettersTopic(),
        application,
        conflicts);
    add("kafka.topic-prefix", "the topic of models", kafka.modelsTopic(), application, conflicts);
    add(
        "kafka.topic-prefix",
        "the topic of decisions",
        kafka.decisionsTopic(),
        application,
        conflicts);
    add(
        "kafka.topic-prefix",
        "the topic of sent inputs",
        kafka.inputsTopic(),
        application,
        conflicts);
    add("kafka.status-topic", "the status topic", kafka.statusTopic(), application, conflicts);
    add(
        "kafka.subscribers-topic",
        "the topic of heartbeats",
        kafka.subscribersTopic(),
        application,
        conflicts);
    add("kafka.control-topic", "the control topic", kafka.controlTopic(), application, conflicts);
    String key = application.input().furtherTopics().isEmpty() ? "input.topic" : "input.topics";
    for (String topic : application.input().eventTopics()) {
      add(key, "the input topic", topic, application, conflicts);
    }
    ApplicationSettings.Labels labels = application.input().labels();
    if (labels != null) {
      add("input.labels.topic", "the label topic", labels.topic(), application, conflicts);
    }
    return conflicts;
  }

  private void add(
      String key,
      String role,
      String topic,
      ApplicationSettings application,
      List<Conflict> conflicts) {
    Use use = new Use(role, application.name());
    Use before = byTopic.putIfAbsent(topic, use);
    if (before != null && !before.role().equals(role)) {
      conflicts.add(
          new Conflict(
              key,
              "topic %s is %s of %s, and %s of %s"
                  .formatted(
                      topic, before.role(), before.application(), role, application.name())));
    }
    // The broker refuses a second name that differs in these characters only.
    String shape = topic.replace('.', '_');
    String other = byShape.putIfAbsent(shape, topic);
    if (other != null && !other.equals(topic)) {
      conflicts.add(
          new Conflict(
              key,
              "topics %s and %s differ in dots and underscores only, which Kafka refuses"
                  .formatted(other, topic)));
    }
  }
}
