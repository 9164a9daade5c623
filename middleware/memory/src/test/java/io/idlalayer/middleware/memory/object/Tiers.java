package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.BlockFile;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** Small memories of two devices without alignment. */
public final class Tiers {
  public static final DeviceId FAST = new DeviceId(0);
  public static final DeviceId SLOW = new DeviceId(1);
  public static final DeviceSpeed FAST_SPEED = DeviceSpeed.symmetric(1e9, 0);

  /** Longer than anything takes that is waited for, also on a machine with much else to do. */
  public static final Duration PATIENCE = Duration.ofMinutes(2);

  public static final MemorySettings SETTINGS = new MemorySettings(4, 64, PATIENCE.toNanos(), true);

  private Tiers() {}

  public static DeviceSpec fast(long bytes) {
    return new DeviceSpec("fast", DeviceKind.FAST, bytes, 1, FAST_SPEED);
  }

  public static DeviceSpec slow(long bytes) {
    return new DeviceSpec("slow", DeviceKind.SLOW, bytes, 1, DeviceSpeed.slowerThan(FAST_SPEED));
  }

  public static TieredMemory.Tier tier(DeviceSpec spec) {
    return new TieredMemory.Tier(spec, new DirectArena(spec));
  }

  /** A memory whose slow device is a file past the page cache, in the heap of the test. */
  public static TieredMemory pastThePageCache(long fastBytes, long slowBytes, MemoryClock clock) {
    DeviceSpec slow = slow(slowBytes);
    return new TieredMemory(
        List.of(tier(fast(fastBytes)), new TieredMemory.Tier(slow, BlockFile.arena(slow))),
        SETTINGS,
        clock);
  }

  /** The region that starts at an offset. */
  public static Region regionAt(TieredMemory memory, DeviceId device, long offset) {
    return memory.regions(device).stream()
        .filter(region -> region.offset() == offset)
        .findFirst()
        .orElseThrow();
  }

  public static TieredMemory of(long fastBytes, long slowBytes) {
    return of(fastBytes, slowBytes, new VirtualClock());
  }

  public static TieredMemory of(long fastBytes, long slowBytes, MemoryClock clock) {
    return new TieredMemory(List.of(tier(fast(fastBytes)), tier(slow(slowBytes))), SETTINGS, clock);
  }

  public static MemObject make(TieredMemory memory, DeviceId device, long bytes) {
    return memory.adopt(memory.allocate(device, bytes).orElseThrow(), bytes);
  }

  public static void fill(TieredMemory memory, MemObject object, byte[] bytes)
      throws InterruptedException {
    try (WriteLease lease = memory.write(object)) {
      lease.bytes().put(bytes);
    }
  }

  public static void fill(TieredMemory memory, MemObject object, int value)
      throws InterruptedException {
    byte[] bytes = new byte[(int) object.bytes()];
    java.util.Arrays.fill(bytes, (byte) value);
    fill(memory, object, bytes);
  }

  public static byte[] read(TieredMemory memory, MemObject object) throws InterruptedException {
    byte[] bytes = new byte[(int) object.bytes()];
    if (!memory.accessible(SLOW)) {
      try (ReadLease lease = memory.readAnywhere(object)) {
        lease.copy(0, ByteBuffer.wrap(bytes));
      }
      return bytes;
    }
    try (ReadLease lease = memory.read(object)) {
      lease.bytes().get(bytes);
      return bytes;
    }
  }

  /** Copies an object to the fast device and keeps the slow region; false if there is no room. */
  public static boolean promote(TieredMemory memory, MemObject object) throws InterruptedException {
    try (Move move = memory.move(object)) {
      if (move.primary().in(FAST)) {
        return true;
      }
      Region target = memory.allocate(FAST, object.bytes()).orElse(null);
      if (target == null) {
        return false;
      }
      boolean linked = false;
      try {
        move.copyTo(target);
        move.install(target);
        linked = true;
      } finally {
        if (!linked) {
          memory.free(target);
        }
      }
      return true;
    }
  }

  /** Takes an object from the fast device; false if the slow one has no room. */
  public static boolean demote(TieredMemory memory, MemObject object) throws InterruptedException {
    try (Move move = memory.move(object)) {
      Region from = move.primary();
      if (!from.in(FAST)) {
        return true;
      }
      Region to = move.linked(SLOW).orElse(null);
      if (to == null) {
        to = memory.allocate(SLOW, object.bytes()).orElse(null);
        if (to == null) {
          return false;
        }
        boolean linked = false;
        try {
          move.copyTo(to);
          move.link(to);
          linked = true;
        } finally {
          if (!linked) {
            memory.free(to);
          }
        }
      } else if (object.dirty()) {
        move.copyTo(to);
      }
      move.setPrimary(to);
      move.drop(from);
      return true;
    }
  }
}
