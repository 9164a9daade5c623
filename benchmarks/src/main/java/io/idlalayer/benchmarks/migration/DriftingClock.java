package io.idlalayer.benchmarks.migration;

import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;

/** A virtual clock whose slow device can become slower than its specification at any time. */
final class DriftingClock implements MemoryClock {
  private final VirtualClock clock = new VirtualClock();
  private volatile double slowdown = 1;

  /** Makes the slow device this many times as slow as specified from now on; above 0. */
  void slowdown(double factor) {
    slowdown = factor;
  }

  double slowdown() {
    return slowdown;
  }

  @Override
  public ClockKind kind() {
    return ClockKind.VIRTUAL;
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  private DeviceSpec slowed(DeviceSpec spec) {
    return spec.kind() == DeviceKind.SLOW
        ? new DeviceSpec(
            spec.name(),
            spec.kind(),
            spec.capacityBytes(),
            spec.alignBytes(),
            spec.speed().slowedBy(slowdown, slowdown))
        : spec;
  }

  @Override
  public long copied(
      DeviceSpec source, DeviceSpec target, long bytes, long startNanos, boolean background) {
    return clock.copied(slowed(source), slowed(target), bytes, startNanos, background);
  }

  @Override
  public void elapseTo(long nanos) {
    clock.elapseTo(nanos);
  }

  @Override
  public void computed(long measuredNanos, long wantedNanos) {
    clock.computed(measuredNanos, wantedNanos);
  }
}
