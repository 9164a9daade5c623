package io.idlalayer.jobs.learner.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

final class LearnerClockTest {
  private long wallMillis = 1_000_000;
  private long nanos = -5;

  private final LearnerClock clock =
      new LearnerClock(() -> Instant.ofEpochMilli(wallMillis), () -> nanos);

  @Test
  void wallClockIsSet_timeInsideGoesOn() {
    wallMillis -= 3_600_000;
    nanos += 20_000_000;
    assertThat(clock.now().millis()).isEqualTo(1_000_020);
    wallMillis += 86_400_000;
    nanos += 20_000_000;
    assertThat(clock.now().millis()).isEqualTo(1_000_040);
    assertThat(1_000_040 + clock.toWallMillis()).isEqualTo(wallMillis);
  }

  @Test
  void start_isNeverBeforeWhatIsRemembered() {
    clock.start(2_000_000);
    assertThat(clock.now().millis()).isEqualTo(2_000_000);
    clock.start(5);
    assertThat(clock.now().millis()).isEqualTo(wallMillis);
  }
}
