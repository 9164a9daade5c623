package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FollowedStepsTest {
  private static final long[] KERNELS = {10};

  private final FollowedSteps followed = new FollowedSteps();

  private boolean slowAt(long nanos) {
    boolean slow = false;
    for (int i = 0; i < 2; i++) {
      followed.beginStep();
      followed.ran(0, KERNELS[0]);
      slow = followed.ended(nanos) != null;
    }
    return slow;
  }

  @Test
  void begin_afterAnotherPlanThatWasRehearsed_comparesWithTheMeasuredStepOnly() {
    followed.begin(100, KERNELS.clone());
    followed.beginAnew(300, KERNELS.clone());
    assertThat(slowAt(200)).isFalse();
    assertThat(slowAt(400)).isTrue();
    followed.begin(100, KERNELS.clone());
    assertThat(slowAt(105)).isFalse();
    assertThat(slowAt(200)).isTrue();
  }
}
