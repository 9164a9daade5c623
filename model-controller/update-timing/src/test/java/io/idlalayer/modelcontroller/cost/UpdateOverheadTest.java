package io.idlalayer.modelcontroller.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class UpdateOverheadTest {
  private final UpdateOverhead overhead = new UpdateOverhead();

  private void observe(int times, double seconds) {
    for (int i = 0; i < times; i++) {
      overhead.observe(seconds);
    }
  }

  @Test
  void seconds_nothingObserved_isZero() {
    assertThat(overhead.seconds()).isZero();
  }

  @Test
  void observe_slowWarmUp_isSoonForgotten() {
    observe(UpdateOverhead.WARM_UP, 0.2);
    assertThat(overhead.seconds()).isCloseTo(0.2, within(1e-12));

    observe(10, 0.004);

    assertThat(overhead.seconds()).isBetween(0.004, 0.008);
  }

  @Test
  void observe_publicationEachTenthUpdate_isSpreadOverAll() {
    for (int i = 0; i < 1_000; i++) {
      overhead.observe(i % 10 == 0 ? 0.014 : 0.004);
    }

    assertThat(overhead.seconds()).isCloseTo(0.005, within(0.0004));
  }

  @Test
  void observe_oneThatTookAMinute_countsAtMostTenTimesTheMean() {
    observe(100, 0.004);

    overhead.observe(60);

    assertThat(overhead.seconds()).isLessThan(0.006);
  }

  @Test
  void restore_ofASnapshot_goesOnWithAWarmUp() {
    observe(50, 0.004);

    UpdateOverhead restored = UpdateOverhead.restore(overhead.snapshot());

    assertThat(restored.seconds()).isEqualTo(overhead.seconds());
    restored.observe(0.03);
    overhead.observe(0.03);
    assertThat(restored.seconds()).isLessThan(overhead.seconds());
  }

  @Test
  void measuredUpdate_lessProcessorTimeThanTraining_hasNoOverhead() {
    assertThat(new MeasuredUpdate(0.5, 0.4).overheadSeconds()).isZero();
    assertThat(MeasuredUpdate.trained(0.5).overheadSeconds()).isZero();
    assertThat(new MeasuredUpdate(0.5, 0.75).overheadSeconds()).isEqualTo(0.25);
    assertThatIllegalArgumentException().isThrownBy(() -> new MeasuredUpdate(0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new MeasuredUpdate(1, Double.NaN));
  }
}
