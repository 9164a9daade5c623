package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopicPatternsTest {
  private static final String SERVERS = "kafka:9092";

  @TempDir Path folder;

  private ApplicationSettings application(String name, String topics) throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        "name: %s\ninput: {%s, features: [a], id: i, label: y, classes: 2, labels: {}}\n"
            .formatted(name, topics));
  }

  private static TopicPatterns match(List<String> existing, ApplicationSettings... applications)
      throws IOException {
    return TopicPatterns.match(List.of(applications), existing, SERVERS);
  }

  @Test
  void match_wholeNames_areTopicsInOrderWithoutThoseOfOtherRoles() throws Exception {
    ApplicationSettings clicks = application("clicks", "topic-pattern: '(__)?clicks-.*'");
    ApplicationSettings other = application("other", "topic: clicks");

    TopicPatterns found =
        match(
            List.of(
                "clicks-us",
                "my-clicks-eu",
                "clicks-labels",
                "clicks-eu",
                "__clicks-x",
                "clicks-models",
                "clicks"),
            clicks,
            other);

    assertThat(found.applications()).hasSize(2);
    assertThat(found.applications().get(0).input().eventTopics())
        .containsExactly("clicks-eu", "clicks-us");
    assertThat(found.applications().get(1)).isSameAs(other);
    assertThat(found.sentences())
        .containsExactly(
            "clicks reads the 2 topics that match input.topic-pattern '(__)?clicks-.*': clicks-eu,"
                + " clicks-us; left out: __clicks-x (a topic of Kafka itself), clicks-labels (the"
                + " label topic of clicks), clicks-models (the topic of models of clicks)");
    assertThat(match(List.of("clicks-eu"), clicks).sentences())
        .containsExactly(
            "clicks reads the topic that matches input.topic-pattern '(__)?clicks-.*': clicks-eu");
  }

  @Test
  void match_nothing_isRefused() throws Exception {
    ApplicationSettings clicks = application("clicks", "topic-pattern: 'clicks-.*'");
    assertThatThrownBy(() -> match(List.of("other", "clicks-labels"), clicks))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "clicks: no topic at kafka:9092 matches input.topic-pattern 'clicks-.*'; left out:"
                + " clicks-labels (the label topic of clicks). A topic must exist, and this client"
                + " must be allowed to describe it");
  }

  @Test
  void match_topicOfAnotherApplication_isRefused() throws Exception {
    ApplicationSettings clicks = application("clicks", "topic-pattern: '.*-eu'");
    ApplicationSettings other = application("other", "topics: [a-eu, b]");
    assertThatThrownBy(() -> match(List.of("a-eu", "c-eu"), clicks, other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("two applications read topic a-eu");
  }

  @Test
  void match_moreThanAThousand_isRefused() throws Exception {
    List<String> many =
        IntStream.rangeClosed(0, TopicPatterns.TOPICS_MAX).mapToObj(i -> "t" + i).toList();
    ApplicationSettings all = application("all", "topic-pattern: 't.*'");
    assertThatThrownBy(() -> match(many, all))
        .hasMessageContaining("matches 1,001 topics; at most 1,000 are read");
    assertThat(match(many.subList(1, many.size()), all).applications().get(0).input().eventTopics())
        .hasSize(TopicPatterns.TOPICS_MAX);
  }

  @Test
  void match_patternThatTakesTooManySteps_isRefused() throws Exception {
    ApplicationSettings endless = application("clicks", "topic-pattern: 'a*a*a*a*a*b'");
    assertThatThrownBy(() -> match(List.of("a".repeat(200)), endless))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "clicks: input.topic-pattern 'a*a*a*a*a*b' takes more than 1,000,000 steps for topic aaa");
  }

  @Test
  void ofTopic_topicThatAPatternLeavesOut_isRefused() throws Exception {
    ApplicationSettings clicks = application("clicks", "topic-pattern: '(__)?clicks-.*'");
    assertThatThrownBy(() -> clicks.ofTopic("__clicks-x"))
        .hasMessage("topic __clicks-x is a topic of Kafka itself");
  }
}
