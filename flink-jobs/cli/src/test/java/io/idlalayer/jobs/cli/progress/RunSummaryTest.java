package io.idlalayer.jobs.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.report.RunView;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunSummaryTest {
  private final RunView view = new RunView();

  private void ends(String application, int partition) {
    view.add(
        DecisionEvent.of(
            DecisionEvent.Type.FINISHED,
            new DecisionEvent.Origin(application, partition, 1),
            ExampleEvents.status(ExampleEvents.received(50), 3),
            null,
            ""));
  }

  @Test
  void print_severalPartitions_namesEachLearner() {
    ends("clicks", 0);
    ends("clicks", 1);
    ends("prices", 0);
    StringWriter written = new StringWriter();
    PrintWriter out = new PrintWriter(written);
    new RunSummary(out).print(view.learners());
    out.flush();
    List<String> headings =
        written.toString().lines().filter(line -> line.matches("\\S.*")).toList();
    assertThat(headings).containsExactly("clicks/0", "clicks/1", "prices");
  }
}
