package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ApplicationSetTest {
  @TempDir Path folder;

  private ApplicationSettings application(String name, String memory) throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        "name: %s\ninput: {features: [a], label: y, classes: 2}\nmemory: {%s}\n"
            .formatted(name, memory));
  }

  @Test
  void check_hotPoliciesThatDiffer_areRefused() throws Exception {
    ApplicationSettings lru = application("one", "hot-policy: lru");
    ApplicationSettings srrip = application("two", "hot-policy: srrip");
    assertThatThrownBy(() -> ApplicationSet.check(List.of(lru, srrip)))
        .hasMessage(
            "applications of one job share one hot cache and so one memory.hot-policy, found"
                + " [lru, srrip]");
  }

  @Test
  void check_anApplicationWithoutHotCache_hasNoPolicyToAgreeOn() throws Exception {
    ApplicationSettings lru = application("one", "hot-policy: lru");
    ApplicationSettings none = application("two", "hot-bytes: 0");
    assertThatCode(() -> ApplicationSet.check(List.of(lru, none))).doesNotThrowAnyException();
  }

  @Test
  void check_sharedDirectoriesThatDiffer_areRefused() throws Exception {
    ApplicationSettings shared = application("one", "shared-directory: /dev/shm");
    ApplicationSettings alone = application("two", "hot-bytes: 1MiB");
    ApplicationSettings none = application("three", "hot-bytes: 0");
    assertThatThrownBy(() -> ApplicationSet.check(List.of(shared, alone)))
        .hasMessage(
            "applications of one job share one hot cache and so one memory.shared-directory, found"
                + " [/dev/shm, none]");
    assertThatCode(() -> ApplicationSet.check(List.of(shared, none))).doesNotThrowAnyException();
  }

  private ApplicationSettings withTopics(String name, String topic, String kafka) throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        "name: %s\ninput: {topic: %s, features: [a], label: y, classes: 2}\nkafka: {%s}\n"
            .formatted(name, topic, kafka));
  }

  @Test
  void check_anyTopicsOfAnyApplicationsThatMeet_areRefused() throws Exception {
    ApplicationSettings one = withTopics("one", "one-in", "topic-prefix: shared-");
    for (String topic :
        List.of(
            "shared-dead-letters",
            "shared-models",
            "shared-decisions",
            "shared-inputs",
            "shared-status",
            "shared-subscribers",
            "shared-control")) {
      ApplicationSettings two = withTopics("two", topic, "");
      assertThatThrownBy(() -> ApplicationSet.check(List.of(one, two)))
          .hasMessageContaining("topic " + topic + " is the ")
          .hasMessageContaining("of one, and the input topic of two");
    }
    ApplicationSettings meets = withTopics("two", "two-in", "status-topic: one-in");
    assertThatThrownBy(() -> ApplicationSet.check(List.of(one, meets)))
        .hasMessage("topic one-in is the input topic of one, and the status topic of two");
  }

  @Test
  void check_applicationsThatShareTopicsOfOneRole_mayRunTogether() throws Exception {
    ApplicationSettings one = withTopics("one", "one-in", "topic-prefix: shared-");
    ApplicationSettings two = withTopics("two", "two-in", "topic-prefix: shared-");
    assertThatCode(() -> ApplicationSet.check(List.of(one, two))).doesNotThrowAnyException();
  }
}
