package io.idlalayer.benchmarks.campaign.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.campaign.check.History.Event;
import io.idlalayer.benchmarks.campaign.process.Sockets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RowTest {
  @Test
  void of_rowsOfEachKind_areToldApart() {
    assertThat(Row.of("1,0.5,-2,1").kind()).isEqualTo(Row.Kind.LABELLED);
    assertThat(Row.of("1,0.5,-2,").kind()).isEqualTo(Row.Kind.UNLABELLED);
    assertThat(Row.of("1,0.5,NaN,1").kind()).isEqualTo(Row.Kind.MALFORMED);
    assertThat(Row.of("1,0.5,3e39,1").kind()).isEqualTo(Row.Kind.MALFORMED);
    assertThat(Row.of("1,0.5,1").kind()).isEqualTo(Row.Kind.MALFORMED);
    assertThat(Row.of("1,0.5,1,2").kind()).isEqualTo(Row.Kind.MALFORMED);
  }

  @Test
  void stream_sameSeed_isTheSameAndHasEveryKind() {
    List<String> rows = Row.stream(5, 1, 1_000, true);
    assertThat(rows).hasSize(1_000).isEqualTo(Row.stream(5, 1, 1_000, true));
    Tally tally = Tally.of(events(rows));
    assertThat(tally.events()).isEqualTo(1_000);
    assertThat(tally.malformed()).isBetween(10L, 60L);
    assertThat(tally.unlabelled()).isBetween(10L, 60L);
    assertThat(tally.repeated()).isBetween(30L, 150L);
    assertThat(tally.contents() + tally.repeated() + tally.malformed() + tally.unlabelled())
        .isEqualTo(1_000);
  }

  @Test
  void withIds_ofAStream_keepsWhatBecomesOfEachRow() {
    List<String> rows = Row.stream(5, 1, 1_000, true);
    List<String> withIds = Row.withIds(rows);
    assertThat(withIds.stream().map(Row::of).map(Row::kind).toList())
        .isEqualTo(rows.stream().map(Row::of).map(Row::kind).toList());
    assertThat(Tally.of(events(withIds)).repeated()).isEqualTo(Tally.of(events(rows)).repeated());
    assertThat(withIds.stream().map(row -> row.split(",", -1)[2]).distinct().count())
        .as("most shops come once, some often")
        .isBetween(500L, 900L);
  }

  @Test
  void before_offsets_countsOnlyWhatWasRead() {
    List<Event> events = events(Row.stream(5, 1, 100, false));
    assertThat(Tally.before(events, Map.of(0, 40L)).events()).isEqualTo(40);
  }

  @Test
  void loopback_addressesOfProcNet_areRecognised() {
    assertThat(Sockets.loopback("0100007F:1F90")).isTrue();
    assertThat(Sockets.loopback("00000000000000000000000001000000:1F90")).isTrue();
    assertThat(Sockets.loopback("0000000000000000FFFF00000100007F:1F90")).isTrue();
    assertThat(Sockets.loopback("00000000:1F90")).isFalse();
    assertThat(Sockets.loopback("00000000000000000000000000000000:1F90")).isFalse();
  }

  private static List<Event> events(List<String> rows) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      events.add(new Event("topic", 0, i, rows.get(i), false));
    }
    return events;
  }
}
