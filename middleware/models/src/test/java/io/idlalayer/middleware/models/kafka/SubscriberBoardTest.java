package io.idlalayer.middleware.models.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.store.ApplicationPartition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SubscriberBoardTest {
  private static final ApplicationPartition APP = new ApplicationPartition("app", 0);
  private static final long NOW = Duration.ofDays(20_000).toMillis();

  private final SubscriberBoard board = new SubscriberBoard();

  private void now(Heartbeat heartbeat) {
    board.take(new HeartbeatSource.Heard(heartbeat, false), NOW);
  }

  private void past(Heartbeat heartbeat) {
    board.take(new HeartbeatSource.Heard(heartbeat, true), NOW);
  }

  private List<String> names(long nowMillis) {
    return board.of(APP, nowMillis).stream()
        .map(each -> each.heartbeat().subscriber().name())
        .toList();
  }

  @Test
  void of_severalApplications_areTheOwnSubscribersByName() {
    now(Heartbeats.of("web-2", NOW));
    now(Heartbeats.of("web-1", NOW));
    now(Heartbeats.of("app", 1, "web-3", NOW, 5));
    now(Heartbeats.of("other", 0, "web-4", NOW, 5));
    assertThat(names(NOW)).containsExactly("web-1", "web-2");
    assertThat(board.of(new ApplicationPartition("app", 1), NOW)).hasSize(1);
  }

  @Test
  void take_anotherHeartbeat_replacesTheOneBefore() {
    now(Heartbeats.of("app", 0, "web-1", NOW, 5));
    now(Heartbeats.of("app", 0, "web-1", NOW, 4));
    assertThat(board.of(APP, NOW))
        .singleElement()
        .extracting(each -> each.heartbeat().service().version())
        .isEqualTo(4L);
    now(Heartbeats.stopped(Heartbeats.of("web-1", NOW)));
    assertThat(names(NOW)).isEmpty();
  }

  @Test
  void silence_isMarkedAfterThreePeriodsAndGoneAfterAnHour() {
    now(Heartbeats.of("web-1", NOW));
    SubscriberBoard.Entry entry = board.of(APP, NOW).get(0);
    assertThat(entry.silent(NOW + 30_000)).isFalse();
    assertThat(entry.silent(NOW + 30_001)).isTrue();
    assertThat(entry.ageMillis(NOW - 5)).isZero();
    assertThat(names(NOW + 3_600_000)).hasSize(1);
    assertThat(names(NOW + 3_600_001)).isEmpty();
  }

  @Test
  void clocksOfSubscribers_thatAreWrong_doNotMatter() {
    now(Heartbeats.of("behind", 0));
    now(Heartbeats.of("ahead", NOW + 86_400_000));
    past(Heartbeats.of("past-ahead", NOW + 86_400_000));
    past(Heartbeats.of("past", NOW - 20_000));
    past(Heartbeats.of("long-gone", 0));
    assertThat(names(NOW)).containsExactly("ahead", "behind", "past", "past-ahead");
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.ageMillis(NOW))
        .containsExactly(0L, 0L, 20_000L, 0L);
  }

  @Test
  void floodOfNames_leavesThoseThatAreKnown() {
    now(Heartbeats.of("web-1", NOW));
    for (int i = 0; i < 2 * SubscriberBoard.MOST; i++) {
      now(Heartbeats.of("flood-" + i, NOW));
    }
    assertThat(names(NOW)).hasSize(SubscriberBoard.MOST).contains("web-1");
    assertThat(board.full(NOW)).isTrue();
    assertThat(board.full(NOW + 60_000)).isFalse();
    // When the flood is gone there is room again.
    long later = NOW + 3_600_001;
    board.take(new HeartbeatSource.Heard(Heartbeats.of("web-9", later), false), later);
    assertThat(names(later)).containsExactly("web-9");
    board.clear();
    assertThat(names(later)).isEmpty();
  }
}
