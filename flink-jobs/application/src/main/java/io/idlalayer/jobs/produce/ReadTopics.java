package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.settings.ApplicationSet;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.TopicPattern;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.KafkaException;

/**
 * The topics of a pattern that a running job reads, found from the positions in the newest status
 * of each of its learners. The pattern alone is not enough: the pattern can match topics of other
 * applications, and topics that were created after the job started. Confined to one thread.
 */
final class ReadTopics {
  /**
   * Longest time to wait for a status that names what was just sent. A learner sends its status at
   * least twice a minute.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration POLL = Duration.ofMillis(500);

  private final ApplicationSettings application;
  private final TopicPattern pattern;
  private final Map<String, String> roles;
  private final NavigableSet<String> existing;
  private final Map<Integer, Set<String>> byLearner = new HashMap<>();

  /**
   * @param application an application with a pattern
   * @param existing names of all topics that the client can see; they are needed because a status
   *     can name a topic that was deleted since
   */
  ReadTopics(ApplicationSettings application, Collection<String> existing) {
    this.application = application;
    this.existing = new TreeSet<>(existing);
    pattern = new TopicPattern(String.valueOf(application.input().topicPattern()));
    roles = ApplicationSet.rolesBesideEvents(List.of(application));
  }

  /**
   * Finds the topics.
   *
   * @param existing names of all topics that the client can see
   * @param sent topics that must be among the topics that the job reads; the method waits up to a
   *     minute for this
   * @throws IOException if these topics are not among them, or if the job reads none; if the broker
   *     does not answer, or does not let this client read the topics of status and decisions
   */
  static ReadTopics ask(
      ApplicationSettings application,
      String servers,
      Collection<String> existing,
      Set<String> sent)
      throws IOException {
    ReadTopics read = new ReadTopics(application, existing);
    try (DecisionFollower follower =
        new DecisionFollower(List.of(application), servers, PATIENCE)) {
      follower.statuses(read::add);
      long beginNanos = System.nanoTime();
      while (!read.problem(sent).isEmpty() && System.nanoTime() - beginNanos < PATIENCE.toNanos()) {
        follower.poll(POLL).forEach(read::add);
      }
    } catch (KafkaException refused) {
      throw new IOException(
          "cannot read the status of %s on topic %s at %s: %s"
              .formatted(
                  application.name(),
                  application.kafka().statusTopic(),
                  servers,
                  refused.getMessage()),
          refused);
    } catch (IllegalArgumentException endless) {
      throw new IOException(application.name() + ": " + endless.getMessage(), endless);
    }
    String problem = read.problem(sent);
    if (!problem.isEmpty()) {
      throw new IOException(problem);
    }
    return read;
  }

  /** Adds an event of any application. The last event of a learner is its newest. */
  void add(DecisionEvent event) {
    if (!event.application().equals(application.name())) {
      return;
    }
    Set<String> topics = new TreeSet<>();
    for (String position : event.status().inputOffsets().keySet()) {
      int dash = position.lastIndexOf('-');
      if (dash > 0 && matches(position.substring(0, dash))) {
        topics.add(position.substring(0, dash));
      }
    }
    byLearner.put(event.partition(), topics);
  }

  private boolean matches(String topic) {
    return ApplicationSet.otherRole(topic, roles) == null && pattern.matches(topic);
  }

  private NavigableSet<String> named() {
    NavigableSet<String> all = new TreeSet<>();
    byLearner.values().forEach(all::addAll);
    return all;
  }

  /** Returns the topics of events that exist, in the order of their names. */
  NavigableSet<String> topics() {
    NavigableSet<String> there = named();
    there.retainAll(existing);
    return there;
  }

  /**
   * Returns why a request that takes effect after the events sent to some topics is not possible;
   * "" if it is.
   */
  String problem(Set<String> sent) {
    Set<String> unread = new TreeSet<>(sent);
    unread.removeAll(topics());
    if (!unread.isEmpty()) {
      return "%s has read nothing of %s yet, so a request cannot take effect after what was sent there: is it running? A topic that was created after its start and matches input.topic-pattern is read from its next start on"
          .formatted(application.name(), String.join(", ", unread));
    }
    return topics().isEmpty()
        ? "the status of %s on topic %s names no topic that matches input.topic-pattern: is it running, and has it read an event?"
            .formatted(application.name(), application.kafka().statusTopic())
        : "";
  }

  /** Returns sentences that say which matching topics the request leaves out. */
  List<String> leftOut() {
    NavigableSet<String> named = named();
    List<String> unread = new ArrayList<>();
    for (String topic : existing) {
      if (!named.contains(topic) && matches(topic)) {
        unread.add(topic);
      }
    }
    List<String> sentences = new ArrayList<>();
    if (!unread.isEmpty()) {
      sentences.add(
          "%s has read nothing of %s, and is not asked about %s: a topic that was created after its start and matches input.topic-pattern is read from its next start on"
              .formatted(
                  application.name(),
                  String.join(", ", unread),
                  unread.size() == 1 ? "it" : "these"));
    }
    named.removeAll(existing);
    if (!named.isEmpty()) {
      sentences.add(
          "%s has read %s, and is not asked about %s: no such topic exists, or this client may not describe it"
              .formatted(
                  application.name(),
                  String.join(", ", named),
                  named.size() == 1 ? "it" : "these"));
    }
    return sentences;
  }
}
