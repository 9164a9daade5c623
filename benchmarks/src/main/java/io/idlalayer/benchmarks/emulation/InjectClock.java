package io.idlalayer.benchmarks.emulation;

import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Wall time on devices that are made slow. The parts of a copy wait for a token bucket of the
 * source's reads and one of the target's writes; a thread that needs a background copy waits for
 * its end by these buckets; and the caller of a kernel waits for as long as the kernel would have
 * taken longer. Waits park, so that other threads can use the processor, and spin at the end.
 */
public final class InjectClock implements MemoryClock {
  private static final long SPIN_NANOS = 50_000;

  private enum Direction {
    READ,
    WRITE
  }

  private record Gate(String device, Direction direction) {}

  private final Map<Gate, TokenBucket> buckets = new ConcurrentHashMap<>();

  @Override
  public ClockKind kind() {
    return ClockKind.INJECT;
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void begin(DeviceSpec source, DeviceSpec target) throws InterruptedException {
    waitUntil(nanos() + source.speed().readLatencyNanos() + target.speed().writeLatencyNanos());
  }

  @Override
  public long reserve(DeviceSpec source, DeviceSpec target, long bytes) {
    long now = nanos();
    long read = bucket(source, Direction.READ).reserve(bytes, now);
    long write = bucket(target, Direction.WRITE).reserve(bytes, now);
    return Math.max(read, write);
  }

  /**
   * A copy in the background stands for one of a copying device, which needs no processor to wait.
   */
  @Override
  public long copied(
      DeviceSpec source, DeviceSpec target, long bytes, long startNanos, boolean background) {
    if (!background) {
      return nanos();
    }
    long read = bucket(source, Direction.READ).reserveWithoutBurst(bytes, startNanos);
    long write = bucket(target, Direction.WRITE).reserveWithoutBurst(bytes, startNanos);
    long latency = source.speed().readLatencyNanos() + target.speed().writeLatencyNanos();
    return Math.max(nanos(), Math.max(read, write) + latency);
  }

  @Override
  public void elapseTo(long nanos) throws InterruptedException {
    waitUntil(nanos);
  }

  private TokenBucket bucket(DeviceSpec device, Direction direction) {
    DeviceSpeed speed = device.speed();
    return buckets.computeIfAbsent(
        new Gate(device.name(), direction),
        gate ->
            new TokenBucket(
                direction == Direction.READ
                    ? speed.readBytesPerSecond()
                    : speed.writeBytesPerSecond()));
  }

  @Override
  public void computed(long measuredNanos, long wantedNanos) throws InterruptedException {
    if (wantedNanos > measuredNanos) {
      waitUntil(nanos() + wantedNanos - measuredNanos);
    }
  }

  private static void waitUntil(long deadlineNanos) throws InterruptedException {
    while (true) {
      long left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        return;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while a slow device was emulated");
      }
      if (left > SPIN_NANOS) {
        LockSupport.parkNanos(Math.min(left - SPIN_NANOS, TimeUnit.MILLISECONDS.toNanos(100)));
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
