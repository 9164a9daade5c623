package io.idlalayer.jobs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DriftingStreamTest {
  private static List<String> events(long seed) {
    List<String> events = new ArrayList<>();
    DriftingStream stream = new DriftingStream(seed, 10_000);
    while (stream.next()) {
      events.add(new String(stream.record(), StandardCharsets.UTF_8));
    }
    return events;
  }

  @Test
  void events_sameSeed_areTheSame() {
    assertThat(events(1)).isEqualTo(events(1)).isNotEqualTo(events(2));
  }

  @Test
  void events_repeatAndAreSometimesWrong() {
    List<String> events = events(1);
    double distinct = new HashSet<>(events).size() / (double) events.size();
    assertThat(distinct).isBetween(0.82, 0.88);
    assertThat(events.stream().filter(event -> event.contains("oops")).count()).isBetween(5L, 60L);
    assertThat(events.stream().filter(event -> !event.contains("y")).count()).isBetween(60L, 250L);
  }
}
