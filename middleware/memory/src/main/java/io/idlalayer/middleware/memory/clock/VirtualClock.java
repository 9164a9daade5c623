package io.idlalayer.middleware.memory.clock;

import io.idlalayer.middleware.memory.device.DeviceSpec;
import java.util.HashMap;
import java.util.Map;

/**
 * A clock that begins at 0 and advances by the computed times of copies and kernels. Each direction
 * is a channel, on which copies follow one another. A copy in the foreground takes the caller's
 * time as well, one in the background only the channel's.
 */
public final class VirtualClock implements MemoryClock {
  private record Channel(String source, String target) {}

  private final Map<Channel, Long> freeAt = new HashMap<>();
  private long now;

  @Override
  public ClockKind kind() {
    return ClockKind.VIRTUAL;
  }

  @Override
  public synchronized long nanos() {
    return now;
  }

  @Override
  public synchronized long copied(
      DeviceSpec source, DeviceSpec target, long bytes, long startNanos, boolean background) {
    Channel channel = new Channel(source.name(), target.name());
    long start = Math.max(now, freeAt.getOrDefault(channel, 0L));
    long end = start + TierModel.copyNanos(source.speed(), target.speed(), bytes);
    freeAt.put(channel, end);
    if (!background) {
      now = end;
    }
    return end;
  }

  @Override
  public synchronized void elapseTo(long nanos) {
    now = Math.max(now, nanos);
  }

  @Override
  public synchronized void computed(long measuredNanos, long wantedNanos) {
    now += wantedNanos;
  }
}
