package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSet;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.TopicPattern;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * The topics of events of applications whose files name these topics by a pattern. The topics are
 * found once, before a job starts, and are then read as if the application file listed them.
 *
 * @param applications the settings with the topics that were found
 * @param sentences sentences that say which topics were found, and which were left out
 */
public record TopicPatterns(List<ApplicationSettings> applications, List<String> sentences) {
  /** Largest number of topics that can match a pattern. */
  static final int TOPICS_MAX = 1_000;

  public TopicPatterns {
    applications = List.copyOf(applications);
    sentences = List.copyOf(sentences);
  }

  /**
   * Finds the topics of applications that have a pattern. Other applications are not changed.
   *
   * @throws IOException if no topic matches a pattern, if a topic matches that another application
   *     reads, or if the broker does not answer
   */
  public static TopicPatterns find(List<ApplicationSettings> applications, String servers)
      throws IOException, InterruptedException {
    boolean any = applications.stream().anyMatch(it -> it.input().topicPattern() != null);
    return any
        ? match(applications, Topics.names(applications.get(0).kafka(), servers), servers)
        : new TopicPatterns(applications, List.of());
  }

  /**
   * Chooses the matching topics from a list.
   *
   * @param existing names of all topics that the client can see
   * @throws IOException if no topic matches a pattern, or if a topic matches that another
   *     application reads
   */
  static TopicPatterns match(
      List<ApplicationSettings> applications, Collection<String> existing, String servers)
      throws IOException {
    Map<String, String> roles = ApplicationSet.rolesBesideEvents(applications);
    List<ApplicationSettings> found = new ArrayList<>();
    List<String> sentences = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (ApplicationSettings application : applications) {
      String pattern = application.input().topicPattern();
      if (pattern == null) {
        found.add(application);
        continue;
      }
      Choice choice;
      try {
        choice = Choice.of(new TopicPattern(pattern), existing, roles);
      } catch (IllegalArgumentException endless) {
        problems.add("%s: %s".formatted(application.name(), endless.getMessage()));
        continue;
      }
      String problem = choice.problem(pattern, servers);
      if (problem.isEmpty()) {
        found.add(application.withTopics(choice.topics()));
        sentences.add(application.name() + choice.sentence(pattern));
      } else {
        problems.add(application.name() + problem);
      }
    }
    if (problems.isEmpty()) {
      try {
        ApplicationSet.check(found);
      } catch (IllegalArgumentException conflict) {
        problems.add(String.valueOf(conflict.getMessage()));
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
    return new TopicPatterns(found, sentences);
  }

  /**
   * The topics that match a pattern.
   *
   * @param topics topics of events, in the order of their names
   * @param without the matching topics that are left out, with their roles, as the end of a
   *     sentence; "" if there are none
   */
  private record Choice(List<String> topics, String without) {
    static Choice of(TopicPattern pattern, Collection<String> existing, Map<String, String> roles) {
      List<String> topics = new ArrayList<>();
      List<String> leftOut = new ArrayList<>();
      for (String topic : new TreeSet<>(existing)) {
        if (!pattern.matches(topic)) {
          continue;
        }
        String role = ApplicationSet.otherRole(topic, roles);
        if (role == null) {
          topics.add(topic);
        } else {
          leftOut.add("%s (%s)".formatted(topic, role));
        }
      }
      return new Choice(
          topics, leftOut.isEmpty() ? "" : "; left out: " + String.join(", ", leftOut));
    }

    /**
     * Returns why these topics cannot be read, in words that follow the name of the application; ""
     * if they can.
     */
    String problem(String pattern, String servers) {
      if (topics.isEmpty()) {
        return ": no topic at %s matches input.topic-pattern %s%s. A topic must exist, and this client must be allowed to describe it"
            .formatted(servers, Shown.of(pattern), without);
      }
      return topics.size() <= TOPICS_MAX
          ? ""
          : String.format(
              Locale.ROOT,
              ": at %s, input.topic-pattern %s matches %,d topics; at most %,d are read",
              servers,
              Shown.of(pattern),
              topics.size(),
              TOPICS_MAX);
    }

    /** Returns which topics are read, in words that follow the name of the application. */
    String sentence(String pattern) {
      String which =
          topics.size() == 1
              ? "topic that matches"
              : String.format(Locale.ROOT, "%,d topics that match", topics.size());
      return " reads the %s input.topic-pattern %s: %s%s"
          .formatted(which, Shown.of(pattern), String.join(", ", topics), without);
    }
  }
}
