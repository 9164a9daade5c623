package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Contiguous bytes of a device. An instance stands for one allocation: once freed it is {@link
 * RegionState#GONE}, and another region may lie at its offset. Its state changes under the device's
 * lock, its links under the monitor of its object.
 */
public final class Region {
  final Device device;
  long offset;
  long bytes;
  volatile RegionState state;

  /**
   * Whether it is part of a span that is being evicted, and becomes RESERVED instead of FREE.
   * Guarded by the device's lock.
   */
  volatile boolean claimed;

  /** The object that holds it; null while it is free or in flight. */
  volatile @Nullable MemObject parent;

  /** Whether it is linked and its bytes are older than the primary's. */
  volatile boolean stale;

  /** Leases that use these bytes. Changes under the monitor of the object they were taken on. */
  volatile int leases;

  /** Background copies into these bytes. Guarded by the device's lock. */
  int filling;

  Region(Device device, long offset, long bytes, RegionState state) {
    this.device = device;
    this.offset = offset;
    this.bytes = bytes;
    this.state = state;
  }

  /** Returns the device it lies on. */
  public DeviceId device() {
    return device.id;
  }

  /** Returns whether it lies on this device. */
  public boolean in(DeviceId other) {
    return device.id.equals(other);
  }

  /** First byte, from the start of the device. */
  public long offset() {
    return offset;
  }

  /** Bytes that it takes on the device: those of the object, aligned. */
  public long bytes() {
    return bytes;
  }

  /** What it is now. */
  public RegionState state() {
    return state;
  }

  /** Returns the object that holds it, if one does. */
  public @Nullable MemObject parent() {
    return parent;
  }

  /** One past its last byte. */
  long end() {
    return offset + bytes;
  }

  /**
   * Returns whether it is free, or used by an object that may move. Takes no lock, so the answer
   * may be out of date.
   */
  public boolean evictable() {
    return !claimed && (state == RegionState.FREE || movable());
  }

  /** Returns whether it is used by an object that may move. */
  private boolean movable() {
    MemObject object = parent;
    return state == RegionState.USED && object != null && !object.busy();
  }

  /** Its first bytes. */
  ByteBuffer view(long length) {
    if (state != RegionState.USED && state != RegionState.QUARANTINE) {
      throw new StaleRegionException(this + " has no bytes to give");
    }
    return device.arena.view(offset, Math.toIntExact(length));
  }

  @Override
  public String toString() {
    return "region %s[%d, %d) %s".formatted(device.spec.name(), offset, offset + bytes, state);
  }
}
