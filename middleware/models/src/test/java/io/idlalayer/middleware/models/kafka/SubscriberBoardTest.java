package io.idlalayer.middleware.models.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SubscriberBoardTest {
  private static final ApplicationPartition APP = new ApplicationPartition("app", 0);
  private static final long NOW = Duration.ofDays(20_000).toMillis();

  private final SubscriberBoard board = new SubscriberBoard();

  private void now(Heartbeat heartbeat) {
    board.take(new HeartbeatSource.Heard(heartbeat, NOW, false), NOW);
  }

  /** One that the broker took at some time, before the board was there. */
  private void past(Heartbeat heartbeat, long atMillis) {
    board.take(new HeartbeatSource.Heard(heartbeat, atMillis, true), NOW);
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
    long day = Duration.ofDays(1).toMillis();
    now(Heartbeats.of("behind", 0));
    now(Heartbeats.of("ahead", NOW + day));
    past(Heartbeats.of("past-ahead", NOW + day), NOW - 40_000);
    past(Heartbeats.of("past-behind", 0), NOW - 20_000);
    past(Heartbeats.of("long-gone", NOW + day), NOW - day);
    // The broker's clock is ahead of the reader's.
    past(Heartbeats.of("past-right", NOW), NOW + 5);
    assertThat(names(NOW))
        .containsExactly("ahead", "behind", "past-ahead", "past-behind", "past-right");
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.ageMillis(NOW))
        .containsExactly(0L, 0L, 40_000L, 20_000L, 0L);
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.silent(NOW))
        .containsExactly(false, false, true, false, false);
  }

  @Test
  void aliases_ofOneProcess_areSubscribersOfTheirOwn() {
    Heartbeat heartbeat = Heartbeats.of("web-1", NOW);
    now(Heartbeats.following(heartbeat, "shadow"));
    now(heartbeat);
    now(Heartbeats.of("web-2", NOW));
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.heartbeat().alias())
        .containsExactly("", "shadow", "");
    now(Heartbeats.stopped(heartbeat));
    assertThat(names(NOW)).containsExactly("web-1", "web-2");
  }

  @Test
  void sameName_ofTwoProcesses_bothAreShownUntilOneIsSilentOrStops() {
    Heartbeat one = Heartbeats.of("app", 0, "web-1", NOW, 5);
    Heartbeat two = Heartbeats.ofProcess(Heartbeats.of("app", 0, "web-1", NOW, 6), "p2");
    now(one);
    now(two);
    now(one);
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.name() + " v" + each.heartbeat().service().version())
        .containsExactly("web-1 (process p1) v5", "web-1 (process p2) v6");
    now(Heartbeats.stopped(one));
    assertThat(board.of(APP, NOW)).extracting(SubscriberBoard.Entry::name).containsExactly("web-1");
  }

  /** It was killed, and is not waited for when its successor reports. */
  @Test
  void sameName_silentBeforeAnother_isTheSameAfterAStart() {
    past(Heartbeats.of("web-1", NOW), NOW - 40_000);
    past(Heartbeats.ofProcess(Heartbeats.of("web-1", NOW), "p2"), NOW - 35_000);
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.heartbeat().subscriber().process())
        .as("both are silent")
        .containsExactly("p2");
    now(Heartbeats.ofProcess(Heartbeats.of("web-1", NOW), "p3"));
    assertThat(board.of(APP, NOW))
        .extracting(each -> each.name() + each.heartbeat().subscriber().process())
        .containsExactly("web-1p3");
  }

  @Test
  void take_fullOfDeadNames_theLongestSilentMakeRoom() {
    for (int i = 0; i < SubscriberBoard.MOST_OF_APPLICATION; i++) {
      past(Heartbeats.of("dead-" + i, NOW), NOW - 1_800_000 + i);
    }
    assertThat(board.full("app", NOW)).isFalse();
    now(Heartbeats.of("web-1", NOW));
    now(Heartbeats.of("web-2", NOW));
    assertThat(names(NOW))
        .hasSize(SubscriberBoard.MOST_OF_APPLICATION)
        .contains("web-1", "web-2", "dead-2")
        .doesNotContain("dead-0", "dead-1");
    past(Heartbeats.of("older", NOW), NOW - 3_000_000);
    assertThat(names(NOW)).doesNotContain("older").contains("dead-2");
    assertThat(board.full("app", NOW)).isTrue();
    assertThat(board.full("other", NOW)).isFalse();
    assertThat(board.full("app", NOW + 60_000)).isFalse();
    // When the dead are gone there is room again.
    long later = NOW + 3_600_001;
    board.take(new HeartbeatSource.Heard(Heartbeats.of("web-9", later), later, false), later);
    assertThat(names(later)).containsExactly("web-9");
    board.clear();
    assertThat(names(later)).isEmpty();
  }

  @Test
  void take_floodOfOneApplication_leavesTheOthers() {
    past(Heartbeats.of("web-1", NOW), NOW - 20_000);
    for (int i = 0; i < 3 * SubscriberBoard.MOST_OF_APPLICATION; i++) {
      now(Heartbeats.of("flood", 0, "flood-" + i, NOW, 5));
    }
    assertThat(names(NOW)).containsExactly("web-1");
    assertThat(board.full("app", NOW)).isFalse();
    assertThat(board.of(new ApplicationPartition("flood", 0), NOW))
        .hasSize(SubscriberBoard.MOST_OF_APPLICATION);
  }

  @Test
  void take_floodOfApplications_isBounded() {
    for (int i = 0; i <= SubscriberBoard.MOST; i++) {
      past(Heartbeats.of("app-" + i, 0, "web-1", NOW, 5), NOW - 1_000_000 + i);
    }
    assertThat(board.of(new ApplicationPartition("app-0", 0), NOW)).isEmpty();
    assertThat(board.of(new ApplicationPartition("app-1", 0), NOW)).hasSize(1);
    assertThat(board.full("app-0", NOW)).isTrue();
  }
}
