package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.settings.ApplicationFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReadTopicsTest {
  @TempDir Path folder;

  private ReadTopics read;

  @BeforeEach
  void open() throws Exception {
    read =
        new ReadTopics(
            ApplicationFiles.read(
                folder.resolve("clicks.yaml"),
                """
                name: clicks
                input: {topic-pattern: '(__)?clicks-.*', features: [a], id: i, label: y, classes: 2, labels: {}}
                """),
            List.of(
                "clicks-us",
                "clicks-jp",
                "clicks-models",
                "__clicks-x",
                "clicks-eu-models",
                "clicks-eu-samples"));
  }

  private void status(String application, int partition, String... positions) {
    Status status = ExampleEvents.status(ExampleEvents.received(0), 1);
    for (String position : positions) {
      status.inputOffsets().put(position, 3L);
    }
    read.add(
        DecisionEvent.of(
            DecisionEvent.Type.STATUS,
            new DecisionEvent.Origin(application, partition, 1),
            status,
            null,
            ""));
  }

  @Test
  void topics_besideAnotherApplication_areThoseThatTheJobReads() {
    status("clicks", 0, "clicks-us-0", "clicks-us-1", "clicks-control-0", "clicks-labels-0");
    status("clicks", 1, "clicks-us-0", "clicks-old-0");
    status("clicks", 1, "clicks-jp-0", "other-0", "odd");
    status("clicks-eu", 0, "clicks-eu-samples-0");

    assertThat(read.topics()).containsExactly("clicks-jp", "clicks-us");
    assertThat(read.problem(Set.of("clicks-us"))).isEmpty();
    assertThat(read.leftOut())
        .containsExactly(
            "clicks has read nothing of clicks-eu-models, clicks-eu-samples, and is not asked about these: a topic that was created after its start and matches input.topic-pattern is read from its next start on");
  }

  @Test
  void topics_thatDoNotExistAnyMore_areLeftOut() {
    status("clicks", 0, "clicks-us-0", "clicks-gone-0");
    assertThat(read.topics()).containsExactly("clicks-us");
    assertThat(read.leftOut())
        .contains(
            "clicks has read clicks-gone, and is not asked about it: no such topic exists, or this"
                + " client may not describe it");
  }

  @Test
  void problem_topicThatIsNotRead_isNamed() {
    assertThat(read.problem(Set.of()))
        .startsWith("the status of clicks on topic clicks-status names no topic that matches");
    status("clicks", 0, "clicks-us-0");
    assertThat(read.problem(Set.of())).isEmpty();
    assertThat(read.problem(Set.of("clicks-new")))
        .startsWith("clicks has read nothing of clicks-new yet, so a request cannot take effect");
  }
}
