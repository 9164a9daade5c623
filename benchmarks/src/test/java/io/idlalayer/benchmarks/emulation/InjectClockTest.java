package io.idlalayer.benchmarks.emulation;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import org.junit.jupiter.api.Test;

class InjectClockTest {
  private static final DeviceSpeed READS = new DeviceSpeed(2e9, 1e9, 100, 300, 64, 1);
  private static final DeviceSpeed WRITES = new DeviceSpeed(8e9, 4e9, 50, 20, 64, 1);

  @Test
  void aTokenBucket_letsABurstPassAndThenTheRate() {
    TokenBucket bucket = new TokenBucket(1e9);
    assertThat(bucket.reserve(256 << 10, 0)).isZero();
    assertThat(bucket.reserve(1000, 0)).isEqualTo(1000);
    assertThat(bucket.reserve(1000, 500)).isEqualTo(2000);
    // Long after, no more than a burst has been saved.
    assertThat(bucket.reserve((256 << 10) + 10, 1_000_000_000)).isEqualTo(1_000_000_010);
  }

  @Test
  void aTokenBucketWithoutBurst_letsNothingPassSoonerThanItsRate() {
    TokenBucket bucket = new TokenBucket(1e9);
    assertThat(bucket.reserveWithoutBurst(1000, 50)).isEqualTo(1050);
    assertThat(bucket.reserveWithoutBurst(1000, 60)).isEqualTo(2050);
    assertThat(bucket.reserveWithoutBurst(1000, 1_000_000_000)).isEqualTo(1_000_001_000);
  }

  @Test
  void injectedWaits_areAtLeastTheModels() throws InterruptedException {
    DeviceSpec from = Tiers.fast(64);
    DeviceSpec to = Tiers.slow(64);
    InjectClock clock = new InjectClock();
    long start = clock.nanos();
    clock.elapseTo(clock.reserve(from, to, 1 << 20));
    double rate = to.speed().writeBytesPerSecond();
    assertThat(clock.nanos() - start).isGreaterThanOrEqualTo((long) ((768 << 10) / rate * 1e9));
    start = clock.nanos();
    clock.begin(
        new DeviceSpec("a", DeviceKind.SLOW, 64, READS),
        new DeviceSpec("b", DeviceKind.SLOW, 64, WRITES));
    assertThat(clock.nanos() - start).isGreaterThanOrEqualTo(120);
    start = clock.nanos();
    clock.computed(1_000_000, 3_000_000);
    assertThat(clock.nanos() - start).isGreaterThanOrEqualTo(2_000_000);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> clock.computed(0, 1_000_000_000))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void injectedBackgroundCopies_endOneAfterAnother_andKeepNobodyWaitingBefore() throws Exception {
    DeviceSpec from = Tiers.fast(64);
    DeviceSpec to = Tiers.slow(64);
    InjectClock clock = new InjectClock();
    long bytes = 16 << 20;
    double each = bytes / to.speed().writeBytesPerSecond() * 1e9;
    // Far enough ahead that no pause of this test reaches it.
    long start = clock.nanos() + 60_000_000_000L;
    long first = clock.copied(from, to, bytes, start, true);
    long second = clock.copied(from, to, bytes, start, true);
    assertThat(clock.nanos()).isLessThan(first);
    assertThat((double) (first - start)).isCloseTo(each, within(1e3));
    assertThat((double) (second - first)).isCloseTo(each, within(1e3));
    long soon = clock.nanos() + 2_000_000;
    clock.elapseTo(soon);
    assertThat(clock.nanos()).isGreaterThanOrEqualTo(soon);
    clock.elapseTo(soon - 1_000_000_000);
    assertThat(clock.copied(from, to, 1, clock.nanos(), false)).isLessThanOrEqualTo(clock.nanos());
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> clock.elapseTo(clock.nanos() + 1_000_000_000))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void whoWaitsForAnInjectedBackgroundCopy_waitsForTheDevice() throws Exception {
    TieredMemory memory = Tiers.of(1 << 20, 4 << 20, new InjectClock());
    MemObject object = Tiers.make(memory, FAST, 1 << 20);
    try (Move move = memory.move(object)) {
      Region target = memory.allocate(SLOW, 1 << 20).orElseThrow();
      long start = memory.clock().nanos();
      MoveReceipt receipt = memory.await(move.copyInBackground(target));
      long end = memory.clock().nanos();
      assertThat(end).isGreaterThanOrEqualTo(receipt.endNanos());
      double rate = Tiers.slow(1).speed().writeBytesPerSecond();
      assertThat(end - start).isGreaterThanOrEqualTo((long) ((768 << 10) / rate * 1e9));
      memory.free(target);
    }
    memory.close();
  }

  @Test
  void kind_labelsResultsAsEmulated() {
    assertThat(new InjectClock().kind().label()).isEqualTo("EMULATED");
  }
}
