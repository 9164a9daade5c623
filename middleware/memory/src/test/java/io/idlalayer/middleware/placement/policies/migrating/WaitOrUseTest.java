package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitOrUseTest {
  /** The devices of the source: 18 and 36 GB/s. */
  private static final WaitOrUse CHOICE =
      new WaitOrUse(
          new TransferTimes(
              TierModel.DEFAULT, DeviceSpeed.symmetric(18e9, 0), DeviceSpeed.symmetric(36e9, 0)));

  private static final long BYTES = 36_000_000;

  @Test
  void example_waitsWithHalfAMillisecondLeft() {
    assertThat(CHOICE.times().copyIn(BYTES)).isEqualTo(2_000_000);
    assertThat(CHOICE.penaltyNanos(BYTES, 0)).isEqualTo(1_000_000);
    assertThat(CHOICE.waits(500_000, BYTES, 0)).isTrue();
    assertThat(CHOICE.waits(1_500_000, BYTES, 0)).isFalse();
  }

  @Test
  void kernelThatComputesLong_hidesReading() {
    assertThat(CHOICE.penaltyNanos(BYTES, 1_500_000)).isEqualTo(500_000);
    assertThat(CHOICE.penaltyNanos(BYTES, 2_000_000)).isZero();
    assertThat(CHOICE.waits(1, BYTES, 2_000_000)).isFalse();
  }

  @Test
  void latency_isPartOfThePenalty() {
    WaitOrUse far =
        new WaitOrUse(
            new TransferTimes(
                TierModel.DEFAULT,
                DeviceSpeed.symmetric(18e9, 200),
                DeviceSpeed.symmetric(36e9, 90)));
    assertThat(far.penaltyNanos(BYTES, 0)).isEqualTo(1_000_110);
  }

  @Test
  void severalArguments_theKernelWaitsForTheFirstOnly() {
    FakeView view = new FakeView(1);
    MemObject first = view.slow(1_000);
    MemObject second = view.slow(1_000);
    MemObject third = view.slow(1_000);
    WaitOrUse slow =
        new WaitOrUse(
            new TransferTimes(
                TierModel.DEFAULT, DeviceSpeed.symmetric(1e9, 0), DeviceSpeed.symmetric(1e12, 0)));
    List<LateArgument> arrivals =
        List.of(
            new LateArgument(third, 5_000),
            new LateArgument(first, 100),
            new LateArgument(second, 3_000));
    assertThat(slow.usedInPlace(arrivals, 0)).containsExactly(second, third);
    assertThat(slow.usedInPlace(List.of(new LateArgument(first, 1)), 0)).isEmpty();
    assertThat(slow.usedInPlace(List.of(new LateArgument(first, 2_000)), 0)).containsExactly(first);
  }
}
