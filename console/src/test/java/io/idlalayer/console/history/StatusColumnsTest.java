package io.idlalayer.console.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.testkit.Records;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class StatusColumnsTest {
  private final StatusColumns columns = new StatusColumns();

  private void add(long millis, long received) {
    columns.add(millis, ConsoleEvents.status(millis, received).status());
  }

  private static double[] column(StatusTable table, String name) {
    return table.values().get(table.names().indexOf(name));
  }

  @Test
  void aStatus_isAColumnForEachNumber() {
    add(1_000, 7);
    StatusTable table = columns.table();
    assertThat(table.atMillis()).containsExactly(1_000);
    assertThat(column(table, "samples.received")).containsExactly(7);
    assertThat(column(table, "progress.training")).containsExactly(0);
    assertThat(column(table, "decision.grounds.charge.thresholdSampleSeconds")).containsExactly(1);
    assertThat(table.names()).doesNotContain("inputOffsets").noneMatch(it -> it.contains("lost."));
  }

  @Test
  void severalStatusesOfASecond_areOnePointWithTheNewest() {
    add(1_000, 1);
    add(1_400, 2);
    assertThat(columns.table().atMillis()).containsExactly(1_400);
    add(1_900, 3);
    add(2_100, 4);
    StatusTable table = columns.table();
    assertThat(table.atMillis()).containsExactly(1_900, 2_100);
    assertThat(column(table, "samples.received")).containsExactly(3, 4);
  }

  @Test
  void anOlderStatus_isPassedOver() {
    add(5_000, 1);
    add(3_000, 2);
    assertThat(columns.table().atMillis()).containsExactly(5_000);
    add(4_000, 3);
    assertThat(columns.table().atMillis()).containsExactly(5_000);
  }

  @Test
  void whatAStatusDoesNotHave_isNaN() {
    add(1_000, 1);
    columns.table();
    StatusTable before = columns.table();
    assertThat(before.names()).doesNotContain("gate.samples");
    var gate = new io.idlalayer.jobs.events.Status.Gate(1, true, 1, 50, 0.1, 0, 0);
    var plain = ConsoleEvents.status(2_000, 2).status();
    columns.add(2_000, Records.with(plain, gate));
    add(3_000, 3);
    assertThat(column(columns.table(), "gate.samples")).containsExactly(Double.NaN, 50, Double.NaN);
  }

  @Test
  void tooManyPoints_areThinnedOutAndTheEndsStay() {
    int all = 3 * StatusColumns.POINTS;
    for (int second = 1; second <= all; second++) {
      add(1_000L * second, second);
    }
    StatusTable table = columns.table();
    assertThat(table.atMillis()).hasSizeBetween(StatusColumns.POINTS / 2, StatusColumns.POINTS);
    assertThat(table.atMillis()).isSorted().doesNotHaveDuplicates();
    assertThat(table.atMillis()[0]).isLessThan(20_000);
    assertThat(table.atMillis()[table.atMillis().length - 1]).isEqualTo(1_000L * all);
    double[] received = column(table, "samples.received");
    for (int point = 0; point < received.length; point++) {
      assertThat(received[point]).isEqualTo(table.atMillis()[point] / 1e3);
    }
  }

  @Property
  void times_ascendAtLeastASecondApartAndTheLastCounts(
      @ForAll @Size(max = 200) int @IntRange(min = 0, max = 100_000) [] millis) {
    StatusColumns any = new StatusColumns();
    long newest = -1;
    double last = Double.NaN;
    for (int i = 0; i < millis.length; i++) {
      any.add(millis[i], ConsoleEvents.status(millis[i], i).status());
      if (newest < 0 || millis[i] / 1_000 >= newest / 1_000) {
        newest = millis[i];
        last = i;
      }
      if (i % 7 == 0) {
        any.table();
      }
    }
    StatusTable table = any.table();
    for (int point = 1; point < table.atMillis().length; point++) {
      assertThat(table.atMillis()[point] / 1_000)
          .isGreaterThan(table.atMillis()[point - 1] / 1_000);
    }
    if (newest >= 0) {
      double[] received = column(table, "samples.received");
      assertThat(received[received.length - 1]).isEqualTo(last);
    }
  }
}
