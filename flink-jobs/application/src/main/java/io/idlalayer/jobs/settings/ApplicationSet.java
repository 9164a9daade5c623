package io.idlalayer.jobs.settings;

import io.idlalayer.jobs.start.TopicPattern;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks the settings on which the applications of one job must agree. */
public final class ApplicationSet {
  private ApplicationSet() {}

  /**
   * Checks that the applications of a job can run together.
   *
   * @throws IllegalArgumentException with every conflict
   */
  public static void check(List<ApplicationSettings> applications) {
    List<String> problems = new ArrayList<>();
    if (applications.isEmpty()) {
      problems.add("a job needs at least one application");
    }
    Set<String> names = new HashSet<>();
    Set<String> topics = new HashSet<>();
    Set<String> slowDirectories = new HashSet<>();
    TopicRoles roles = new TopicRoles();
    for (ApplicationSettings application : applications) {
      if (!names.add(application.name())) {
        problems.add("two applications are named " + application.name());
      }
      for (String topic : application.input().topics()) {
        if (!topics.add(topic)) {
          problems.add("two applications read topic " + topic);
        }
      }
      roles.add(application).forEach(conflict -> problems.add(conflict.message()));
      if (!application.kafka().properties().equals(applications.get(0).kafka().properties())) {
        problems.add(
            "%s and %s name different kafka.properties; applications of one job share their clients"
                .formatted(applications.get(0).name(), application.name()));
      }
      String slow = application.memory().slowDirectory();
      if (slow != null) {
        slowDirectories.add(slow);
      }
    }
    Set<String> hotPolicies =
        applications.stream()
            .filter(application -> application.memory().hotBytes() > 0)
            .map(application -> application.memory().hotPolicy().key())
            .collect(Collectors.toCollection(TreeSet::new));
    if (hotPolicies.size() > 1) {
      problems.add(
          "applications of one job share one hot cache and so one memory.hot-policy, found "
              + hotPolicies);
    }
    Set<String> sharedDirectories =
        applications.stream()
            .filter(application -> application.memory().hotBytes() > 0)
            .map(application -> String.valueOf(application.memory().sharedDirectory()))
            .collect(Collectors.toCollection(TreeSet::new));
    if (sharedDirectories.size() > 1) {
      problems.add(
          "applications of one job share one hot cache and so one memory.shared-directory, found "
              + sharedDirectories.stream()
                  .map(each -> each.equals("null") ? "none" : each)
                  .toList());
    }
    if (slowDirectories.size() > 1) {
      problems.add(
          "applications of one job share one memory.slow-directory, found " + slowDirectories);
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  /**
   * Returns the roles of the topics of applications, except topics of events, in words such as "the
   * label topic of clicks".
   */
  public static SortedMap<String, String> rolesBesideEvents(
      List<ApplicationSettings> applications) {
    SortedMap<String, String> roles = new TreeMap<>();
    for (ApplicationSettings application : applications) {
      for (TopicRoles.Role each : TopicRoles.besideEvents(application)) {
        roles.putIfAbsent(each.topic(), each.name() + " of " + application.name());
      }
    }
    return roles;
  }

  /**
   * Returns the role, in words, of a topic that a pattern must not match; null if the topic can be
   * a topic of events.
   *
   * @param roles roles by topic, of {@link #rolesBesideEvents}
   */
  public static @Nullable String otherRole(String topic, Map<String, String> roles) {
    return TopicPattern.isInternal(topic) ? "a topic of Kafka itself" : roles.get(topic);
  }
}
