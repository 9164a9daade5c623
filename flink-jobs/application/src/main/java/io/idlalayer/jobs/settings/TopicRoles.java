package io.idlalayer.jobs.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds topics that have two roles, such as an input topic that is also the topic of dead letters:
 * with such topics, each refused event would be read again without end. Applications can share a
 * topic that has one role, unless it is a topic of events or labels.
 */
final class TopicRoles {
  private final Map<String, Use> byTopic = new HashMap<>();
  private final Map<String, String> byShape = new HashMap<>();

  /** The role of a topic, and the application in which the topic has this role. */
  private record Use(String role, String application) {}

  /**
   * A topic with two roles.
   *
   * @param key key of the application file whose topic it is
   */
  record Conflict(String key, String message) {}

  /**
   * The role of a topic.
   *
   * @param key key of the application file that names the topic
   */
  record Role(String key, String name, String topic) {}

  /** Returns the roles of all topics of an application, except topics of events. */
  static List<Role> besideEvents(ApplicationSettings application) {
    List<Role> roles = new ArrayList<>(written(application));
    roles.addAll(labels(application.input()));
    return roles;
  }

  private static List<Role> labels(ApplicationSettings.Input input) {
    ApplicationSettings.Labels labels = input.labels();
    return labels == null
        ? List.of()
        : List.of(new Role("input.labels.topic", "the label topic", labels.topic()));
  }

  /** Returns the roles of the topics to which the job and the senders of requests write. */
  private static List<Role> written(ApplicationSettings application) {
    ApplicationSettings.Kafka kafka = application.kafka();
    String prefix = "kafka.topic-prefix";
    List<Role> roles =
        new ArrayList<>(
            List.of(
                new Role(prefix, "the topic of dead letters", kafka.deadLettersTopic()),
                new Role(prefix, "the topic of models", kafka.modelsTopic()),
                new Role(prefix, "the topic of decisions", kafka.decisionsTopic()),
                new Role(prefix, "the topic of sent inputs", kafka.inputsTopic()),
                new Role("kafka.status-topic", "the status topic", kafka.statusTopic()),
                new Role(
                    "kafka.subscribers-topic", "the topic of heartbeats", kafka.subscribersTopic()),
                new Role("kafka.control-topic", "the control topic", kafka.controlTopic())));
    String lenders = application.memory().lending().topic();
    if (!lenders.isEmpty()) {
      roles.add(new Role("memory.lending.topic", "the topic of lenders", lenders));
    }
    return roles;
  }

  /**
   * Adds the topics of an application and returns the conflicts with topics that were added before.
   */
  List<Conflict> add(ApplicationSettings application) {
    List<Conflict> conflicts = new ArrayList<>();
    List<Role> roles = new ArrayList<>(written(application));
    String key = application.input().furtherTopics().isEmpty() ? "input.topic" : "input.topics";
    for (String topic : application.input().eventTopics()) {
      roles.add(new Role(key, "the input topic", topic));
    }
    roles.addAll(labels(application.input()));
    for (Role each : roles) {
      add(each, application, conflicts);
    }
    return conflicts;
  }

  private void add(Role as, ApplicationSettings application, List<Conflict> conflicts) {
    String role = as.name();
    String topic = as.topic();
    Use use = new Use(role, application.name());
    Use before = byTopic.putIfAbsent(topic, use);
    if (before != null && !before.role().equals(role)) {
      conflicts.add(
          new Conflict(
              as.key(),
              "topic %s is %s of %s, and %s of %s"
                  .formatted(
                      topic, before.role(), before.application(), role, application.name())));
    }
    // The broker refuses a second name that differs from another only in these characters.
    String shape = topic.replace('.', '_');
    String other = byShape.putIfAbsent(shape, topic);
    if (other != null && !other.equals(topic)) {
      conflicts.add(
          new Conflict(
              as.key(),
              "topics %s and %s differ in dots and underscores only, which Kafka refuses"
                  .formatted(other, topic)));
    }
  }
}
