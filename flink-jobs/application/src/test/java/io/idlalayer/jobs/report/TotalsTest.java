package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.ClassQuality;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import io.idlalayer.testkit.Records;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sums over learners. */
final class TotalsTest {
  private static Status status(List<ClassQuality> classes) {
    return Records.with(
        ExampleEvents.status(ExampleEvents.received(10), 1),
        new Status.Progress(1, 10, 1, false),
        new PrequentialSummary(
            10,
            0,
            new PrequentialSummary.Classification(1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.5, classes),
            null));
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

  private static Status measured(long scored, TargetMetrics metrics) {
    return Records.with(
        status(List.of()),
        new PrequentialSummary(
            scored,
            0,
            null,
            new PrequentialSummary.Regression(1, 3, 1, 1, 3, 1, metrics, metrics)));
  }

  @Test
  void metrics_ofSeveralLearners_areMeansByTheirSamples() {
    Status one = measured(30, new TargetMetrics(1, 2, 3, 4, 5, 6, 0.5, 0.8, null));
    Status constant = measured(10, new TargetMetrics(5, 2, 3, 4, 5, 0, null, 1.2, null));
    PrequentialSummary.Regression found = Totals.prequential(List.of(one, constant)).regression();
    assertThat(found.rootMeanSquaredError()).isEqualTo(3);
    assertThat(found.metrics().quantileLoss10()).isEqualTo(2);
    assertThat(found.metrics().mase()).isCloseTo(0.9, within(1e-12));
    assertThat(found.metrics().rSquared())
        .as("undefined where the target is constant")
        .isEqualTo(0.5);
    assertThat(found.metrics().deviation()).isCloseTo(Math.sqrt(27), within(1e-12));
  }

  private static RowUsage tables(RowUsage.OfTable... each) {
    return new RowUsage(
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        new RowUsage.Expired(0, 0, 0, 0),
        0,
        new StoreTraffic(5, 6, 0.5),
        List.of(each));
  }

  private static RowUsage.OfTable table(String name, long misses) {
    return new RowUsage.OfTable(name, 1, 2, 3, 4, misses, 6, 7, 8, 9);
  }

  private static Status with(RowUsage tables) {
    return Records.with(status(List.of()), tables);
  }

  @Test
  void byTable_ofSeveralLearners_addsUpAndTheMostMissedComesFirst() {
    RowUsage sum =
        Totals.tables(
            List.of(
                with(tables(table("ads", 5), table("users", 4))), with(tables(table("users", 2)))));
    assertThat(sum.byTable())
        .containsExactly(
            new RowUsage.OfTable("users", 2, 4, 6, 8, 6, 12, 14, 16, 18), table("ads", 5));
    assertThat(sum.store()).isEqualTo(new StoreTraffic(10, 12, 1));
  }

  @Test
  void byTable_veryManyTables_thoseThatMissMost() {
    RowUsage.OfTable[] many =
        IntStream.range(0, 100).mapToObj(i -> table("t" + i, i)).toArray(RowUsage.OfTable[]::new);
    assertThat(tables(many).byTable())
        .hasSize(RowUsage.MOST_TABLES)
        .extracting(RowUsage.OfTable::name)
        .startsWith("t99", "t98")
        .endsWith("t69", "t68");
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
