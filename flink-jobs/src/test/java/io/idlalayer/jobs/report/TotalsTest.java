package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.modelcontroller.evaluation.PrequentialSummary;
import io.idlalayer.modelcontroller.evaluation.PrequentialSummary.ClassQuality;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sums over learners. */
final class TotalsTest {
  private static Status status(List<ClassQuality> classes) {
    return new Status(
        ExampleEvents.received(10),
        new Status.Stages(0, 0, 0, 0),
        new Status.Progress(1, 10, 1, false),
        new PrequentialSummary(
            10, 0, new PrequentialSummary.Classification(1, 0.5, 0.5, 0.5, 0.5, classes), null),
        new Status.Incorporation(0, 0, 0),
        new Status.Ingestion(0, 0, 0, 0),
        new Status.HotSamples(0, 0, 0),
        ExampleEvents.decision(),
        new TreeMap<>(),
        Status.Input.NONE,
        Status.Engine.UNKNOWN);
  }

  private static List<ClassQuality> byClass(List<Status> statuses) {
    return Totals.prequential(statuses).classification().byClass();
  }

  @Test
  void byClass_ofSeveralLearners_addsUp() {
    Status one =
        status(
            List.of(
                new ClassQuality("a", 5, 4, 3, 2, 1, 0), new ClassQuality("b", 6, 5, 4, 3, 2, 1)));
    Status other = status(List.of(new ClassQuality("b", 10, 20, 30, 40, 50, 60)));
    assertThat(byClass(List.of(one, other)))
        .containsExactly(
            new ClassQuality("a", 5, 4, 3, 2, 1, 0), new ClassQuality("b", 16, 25, 34, 43, 52, 61));
  }

  @Test
  void byClass_aLearnerMayNotTellAll_isLeftOutOfTheSums() {
    List<ClassQuality> most =
        IntStream.range(0, PrequentialSummary.MOST_CLASSES)
            .mapToObj(i -> new ClassQuality("k" + i, 1, 1, 1, 1, 1, 1))
            .toList();
    assertThat(byClass(List.of(status(most)))).isEqualTo(most);
    assertThat(byClass(List.of(status(most), status(List.of())))).isEmpty();
  }
}
