package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Contiguous bytes of a device. A handle names one allocation: once freed it is {@link
 * RegionState#GONE}, whatever comes to lie at its offset. Its state changes under its device's
 * lock, its links under its object's monitor.
 */
public final class Region {
  final Device device;
  long offset;
  long bytes;
  volatile RegionState state;

  /** Part of a span that is being evicted: becomes RESERVED, not FREE. Device lock. */
  volatile boolean claimed;

  /** The object that holds it; null while it is free or in flight. */
  volatile @Nullable MemObject parent;

  /** A linked region whose bytes are older than the primary's. */
  volatile boolean stale;

  /** Leases that use these bytes. Changes under the monitor of the object they were taken on. */
  volatile int leases;

  /** Background copies into these bytes. Device lock. */
  int filling;

  Region(Device device, long offset, long bytes, RegionState state) {
    this.device = device;
    this.offset = offset;
    this.bytes = bytes;
    this.state = state;
  }

  /** The device it lies on. */
  public DeviceId device() {
    return device.id;
  }

  /** Whether it lies on this device. */
  public boolean in(DeviceId other) {
    return device.id.equals(other);
  }

  /** First byte, from the start of the device. */
  public long offset() {
    return offset;
  }

  /** Bytes taken on the device: the object's, aligned. */
  public long bytes() {
    return bytes;
  }

  /** What it is now. */
  public RegionState state() {
    return state;
  }

  /** The object that holds it, if one does. */
  public @Nullable MemObject parent() {
    return parent;
  }

  /** One past its last byte. */
  long end() {
    return offset + bytes;
  }

  /** Whether it is free, or used by an object that may move. Only a glance. */
  public boolean evictable() {
    return !claimed && (state == RegionState.FREE || movable());
  }

  /** Whether no object forbids to free it. Only a glance: leases may come and go. */
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
