package io.idlalayer.middleware.memory.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TransferCorrectionTest {
  private static final long BYTES = 1 << 20;
  private static final long EXPECTED_NANOS = 1000;

  private final TransferCorrection correction = new TransferCorrection(2);
  private long now;

  private void copy(long nanos, long bytes) {
    TransferCorrection.Started started = correction.begin(Tiers.SLOW, Tiers.FAST);
    end(started, nanos, bytes);
  }

  private void end(TransferCorrection.Started started, long nanos, long bytes) {
    MoveReceipt receipt = new MoveReceipt(Tiers.SLOW, Tiers.FAST, bytes, now, now + nanos);
    correction.end(started, receipt, EXPECTED_NANOS);
    now += nanos;
  }

  private double in() {
    return correction.slowdown(Tiers.SLOW, Tiers.FAST);
  }

  @Test
  void slowdown_ofCopiesAsSpecified_isExactlyOne() {
    assertThat(in()).isEqualTo(1);
    for (int i = 0; i < 10; i++) {
      copy(EXPECTED_NANOS, BYTES);
    }
    assertThat(in()).isEqualTo(1);
  }

  @Test
  void slowdown_followsCopies_ofItsDirectionOnly() {
    for (int i = 0; i < 60; i++) {
      copy(20 * EXPECTED_NANOS, BYTES);
    }
    assertThat(in()).isCloseTo(20, withPercentage(5));
    assertThat(correction.slowdown(Tiers.FAST, Tiers.SLOW)).isEqualTo(1);
    for (int i = 0; i < 80; i++) {
      copy(EXPECTED_NANOS / 10, BYTES);
    }
    assertThat(in()).isCloseTo(0.1, withPercentage(5));
  }

  @Test
  void slowdown_afterAnOutlier_hasChangedByATenthAtMost() {
    copy(1_000_000 * EXPECTED_NANOS, BYTES);
    assertThat(in()).isBetween(1.05, 1.1);
    copy(1, BYTES);
    copy(1, BYTES);
    assertThat(in()).isBetween(0.9, 1.0);
  }

  @Test
  void slowdown_ofNoisyCopies_isNearTheirMiddle() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 400; i++) {
      boolean outlier = i % 20 == 0;
      copy(outlier ? 500_000 : 2500 + random.nextInt(1000), BYTES);
    }
    assertThat(in()).isBetween(2.5, 4.0);
  }

  @Test
  void slowdown_smallOrOverlappingCopies_sayNothing() {
    copy(50 * EXPECTED_NANOS, Slowdown.LEAST_BYTES - 1);
    TransferCorrection.Started first = correction.begin(Tiers.SLOW, Tiers.FAST);
    TransferCorrection.Started second = correction.begin(Tiers.SLOW, Tiers.FAST);
    end(second, 50 * EXPECTED_NANOS, BYTES);
    end(first, 50 * EXPECTED_NANOS, BYTES);
    // Queued behind another one, as computed time has it.
    TransferCorrection.Started queued = correction.begin(Tiers.SLOW, Tiers.FAST);
    now -= EXPECTED_NANOS;
    end(queued, 50 * EXPECTED_NANOS, BYTES);
    assertThat(in()).isEqualTo(1);
  }

  @Test
  void slowdown_afterAFailedCopy_goesOnWithTheNext() {
    correction.begin(Tiers.SLOW, Tiers.FAST);
    correction.fail(Tiers.SLOW, Tiers.FAST);
    copy(2 * EXPECTED_NANOS, BYTES);
    assertThat(in()).isGreaterThan(1);
  }

  /** Copies take as many times as long as a fake medium says. */
  private static final class Slowed implements MemoryClock {
    private final double times;
    private long now;

    Slowed(double times) {
      this.times = times;
    }

    @Override
    public ClockKind kind() {
      return ClockKind.VIRTUAL;
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public long copied(
        DeviceSpec source, DeviceSpec target, long bytes, long startNanos, boolean background) {
      now += (long) (times * TierModel.copyNanos(source.speed(), target.speed(), bytes));
      return now;
    }
  }

  private static TieredMemory moved(MemoryClock clock) throws InterruptedException {
    long bytes = Slowdown.LEAST_BYTES;
    TieredMemory memory = Tiers.of(2 * bytes, 4 * bytes, clock);
    MemObject object = Tiers.make(memory, Tiers.SLOW, bytes);
    for (int i = 0; i < 60; i++) {
      try (Move move = memory.move(object)) {
        Region target = memory.allocate(i % 2 == 0 ? Tiers.FAST : Tiers.SLOW, bytes).orElseThrow();
        Region from = move.primary();
        move.copyTo(target);
        move.install(target);
        move.drop(from);
      }
    }
    return memory;
  }

  @Test
  void speed_underAVirtualClock_staysAsSpecified() throws Exception {
    try (TieredMemory memory = moved(new VirtualClock())) {
      assertThat(memory.traffic().copies(Tiers.SLOW, Tiers.FAST)).isEqualTo(30);
      assertThat(memory.speed(Tiers.SLOW, Tiers.FAST)).isEqualTo(memory.spec(Tiers.SLOW).speed());
    }
  }

  @Test
  void speed_ofASlowerMedium_isCorrectedAndTheSpecificationStays() throws Exception {
    try (TieredMemory memory = moved(new Slowed(3))) {
      DeviceSpeed specified = Tiers.slow(1).speed();
      assertThat(memory.spec(Tiers.SLOW).speed()).isEqualTo(specified);
      DeviceSpeed found = memory.speed(Tiers.SLOW, Tiers.FAST);
      assertThat(found.readBytesPerSecond())
          .isCloseTo(specified.readBytesPerSecond() / 3, withPercentage(10));
      assertThat(found.writeBytesPerSecond())
          .isCloseTo(specified.writeBytesPerSecond() / 3, withPercentage(10));
    }
  }

  @Test
  void slowedBy_nothingOrLess_isRefused() {
    DeviceSpeed speed = Tiers.FAST_SPEED;
    for (double times : List.of(0.0, -1.0, Double.NaN)) {
      assertThatThrownBy(() -> speed.slowedBy(times, 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> speed.slowedBy(1, times))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
