package io.idlalayer.middleware.memory.clock;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceProbe;
import io.idlalayer.middleware.memory.device.DeviceProbe.ProbePath;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryClockTest {
  private static final DeviceSpeed READS = new DeviceSpeed(2e9, 1e9, 100, 300, 64, 1);
  private static final DeviceSpeed WRITES = new DeviceSpeed(8e9, 4e9, 50, 20, 64, 1);

  @Test
  void aCopy_takesTheSlowerSideAndBothLatencies() {
    assertThat(TierModel.copyNanos(READS, WRITES, 1000)).isEqualTo(500 + 100 + 20);
    assertThat(TierModel.copyNanos(WRITES, READS, 1000)).isEqualTo(1000 + 50 + 300);
  }

  @Test
  void aKernel_hidesItsReadsButNotItsWrites() {
    TierModel model = new TierModel(0.5);
    assertThat(model.kernelNanos(READS, 1000, 0, 0)).isEqualTo(1000);
    assertThat(model.kernelNanos(READS, 1000, 1000, 0)).isEqualTo(1000);
    assertThat(model.kernelNanos(READS, 1000, 4000, 0)).isEqualTo(2000);
    assertThat(model.kernelNanos(READS, 1000, 4000, 100)).isEqualTo(2200);
  }

  @Test
  void slowDevices_keepTheRatiosOfTheSource() {
    DeviceSpeed slow = DeviceSpeed.slowerThan(DeviceSpeed.symmetric(110e9, 80));
    assertThat(slow.readBytesPerSecond()).isCloseTo(30e9, org.assertj.core.data.Offset.offset(1.0));
    assertThat(slow.writeBytesPerSecond())
        .isCloseTo(11e9, org.assertj.core.data.Offset.offset(1.0));
    assertThat(slow.readLatencyNanos()).isEqualTo(240);
    assertThat(slow.maxWriterThreads()).isEqualTo(4);
  }

  @Test
  void virtualCopies_takeTheirTime() throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    TieredMemory memory = Tiers.of(1000, 10_000, clock);
    MemObject object = Tiers.make(memory, FAST, 1000);
    Tiers.demote(memory, object);
    long down = TierModel.copyNanos(Tiers.FAST_SPEED, Tiers.slow(1).speed(), 1000);
    assertThat(clock.nanos()).isEqualTo(down);
    clock.computed(5, 100);
    assertThat(clock.nanos()).isEqualTo(down + 100);
  }

  @Test
  void virtualBackgroundCopies_queueInTheirDirection() throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    TieredMemory memory = Tiers.of(1000, 10_000, clock);
    MemObject object = Tiers.make(memory, FAST, 1000);
    long down = TierModel.copyNanos(Tiers.FAST_SPEED, Tiers.slow(1).speed(), 1000);
    try (Move move = memory.move(object)) {
      Region first = memory.allocate(SLOW, 1000).orElseThrow();
      Region second = memory.allocate(SLOW, 1000).orElseThrow();
      var one = move.copyInBackground(first);
      var two = move.copyInBackground(second);
      assertThat(clock.nanos()).isZero();
      assertThat(memory.await(one).endNanos()).isEqualTo(down);
      clock.computed(0, 10);
      assertThat(clock.nanos()).isEqualTo(down + 10);
      memory.await(two);
      assertThat(clock.nanos()).isEqualTo(2 * down);
    }
  }

  /** The devices' time begins with the copy, so that copying is part of it, not added to it. */
  @Test
  void foregroundCopy_everyChunk_waitsAfterIt() throws InterruptedException {
    List<String> events = new ArrayList<>();
    FaultyArena target = new FaultyArena(Tiers.slow(128));
    target.beforePut = () -> events.add("copy");
    MemoryClock clock =
        new MemoryClock() {
          @Override
          public ClockKind kind() {
            return ClockKind.INJECT;
          }

          @Override
          public long nanos() {
            return 0;
          }

          @Override
          public long reserve(DeviceSpec from, DeviceSpec to, long bytes) {
            events.add("reserve " + bytes);
            return 7;
          }

          @Override
          public void elapseTo(long nanos) {
            events.add("wait until " + nanos);
          }
        };
    try (TieredMemory memory =
        new TieredMemory(
            List.of(Tiers.tier(Tiers.fast(128)), new TieredMemory.Tier(Tiers.slow(128), target)),
            Tiers.SETTINGS,
            clock)) {
      MemObject object = Tiers.make(memory, FAST, 100);
      Region region = memory.allocate(SLOW, 100).orElseThrow();
      try (Move move = memory.move(object)) {
        move.copyTo(region);
      }
      memory.free(region);
    }
    assertThat(events)
        .containsExactly(
            "reserve 64", "copy", "wait until 7", "reserve 36", "copy", "wait until 7");
  }

  @Test
  void labels_tellClocksApart() {
    assertThat(new RealClock().kind().label()).isEqualTo("REAL");
    assertThat(new VirtualClock().kind().label()).isEqualTo("SIMULATED");
  }

  @Test
  void aProbe_countsWhatTheClockSays() {
    AtomicLong now = new AtomicLong();
    DeviceProbe probe = new DeviceProbe(1000, 3, () -> now.getAndAdd(20_000));
    DeviceSpec spec = Tiers.fast(4000);
    DeviceProfile profile = DeviceProfile.measure(spec, new DirectArena(spec, 600), probe);
    assertThat(profile.speed().readBytesPerSecond())
        .isCloseTo(1000 / 20e-6, org.assertj.core.data.Offset.offset(1.0));
    assertThat(profile.speed().readLatencyNanos()).isEqualTo(1);
    assertThat(profile.line())
        .isEqualTo(
            "fast (FAST): 3.9 KiB of DRAM off heap, reads 0.05 GB/s, writes 0.05 GB/s, "
                + "latency 1 ns to read, 1 ns to write, measured by loads and stores");
    assertThat(profile("slow", 1000)).startsWith("slow (SLOW): 1000 bytes of ");
    assertThat(profile("slow", 3L << 29)).startsWith("slow (SLOW): 1.5 GiB of ");
    assertThat(profile("slow", 5L << 50)).startsWith("slow (SLOW): 5120.0 TiB of ");
  }

  private static String profile(String name, long bytes) {
    DeviceSpeed speed = DeviceSpeed.symmetric(1e9, 0);
    DeviceProbe.Result measured = new DeviceProbe.Result(speed, ProbePath.PAGE_CACHE);
    return new DeviceProfile(name, DeviceKind.SLOW, bytes, "a file", measured).line();
  }
}
