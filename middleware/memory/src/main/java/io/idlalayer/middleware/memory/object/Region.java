package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous range of a device's bytes, allocated or free. An instance stands for one allocation:
 * once freed it is {@link RegionState#GONE}, and another region may lie at its offset. Its state
 * changes under the device's lock, its links under the monitor of its object.
 */
public final class Region {
  final Device device;
  long offset;
  long bytes;
  volatile RegionState state;

  /**
   * Whether this region is part of a span that is being evicted, so that it becomes RESERVED
   * instead of FREE. Guarded by the device's lock.
   */
  volatile boolean claimed;

  /** The object that this region belongs to; null while it is free or in flight. */
  volatile @Nullable MemObject parent;

  /** Whether this region is linked and its bytes are older than the primary's. */
  volatile boolean stale;

  /**
   * Number of leases that use these bytes. Changes under the monitor of the object they were taken
   * on.
   */
  volatile int leases;

  /** Number of background copies that are writing these bytes. Guarded by the device's lock. */
  int filling;

  Region(Device device, long offset, long bytes, RegionState state) {
    this.device = device;
    this.offset = offset;
    this.bytes = bytes;
    this.state = state;
  }

  /** Returns the device that this region lies on. */
  public DeviceId device() {
    return device.id;
  }

  /** Returns whether this region lies on a device. */
  public boolean in(DeviceId other) {
    return device.id.equals(other);
  }

  /** Returns the offset of the first byte from the start of the device. */
  public long offset() {
    return offset;
  }

  /**
   * Returns the number of bytes that this region takes on the device: the size of the object,
   * aligned.
   */
  public long bytes() {
    return bytes;
  }

  /** Returns the present state of this region. */
  public RegionState state() {
    return state;
  }

  /** Returns the object that this region belongs to; null if there is none. */
  public @Nullable MemObject parent() {
    return parent;
  }

  /** Returns the offset after the last byte. */
  long end() {
    return offset + bytes;
  }

  /**
   * Returns whether this region is free, or used by an object that may move. Takes no lock, so the
   * answer may be out of date.
   */
  public boolean evictable() {
    return !claimed && (state == RegionState.FREE || movable());
  }

  /** Returns whether this region is used by an object that may move. */
  private boolean movable() {
    MemObject object = parent;
    return state == RegionState.USED && object != null && !object.busy();
  }

  /** Returns a view of this region's first bytes. */
  ByteBuffer view(long length) {
    if (state != RegionState.USED && state != RegionState.QUARANTINE) {
      throw new StaleRegionException(this + " has no bytes to give");
    }
    return device.arena.view(offset, Math.toIntExact(length));
  }

  /** Copies bytes of this region into a buffer, from its position to its limit. */
  void copy(long from, ByteBuffer into) {
    if (state != RegionState.USED && state != RegionState.QUARANTINE) {
      throw new StaleRegionException(this + " has no bytes to give");
    }
    device.arena.get(offset + from, into);
  }

  /** Returns whether kernels can access this region by loads and stores. */
  boolean direct() {
    return device.places.direct(device.places.at(offset));
  }

  /** Returns a view of this region's first bytes, or a copy of them if there are no views. */
  ByteBuffer content(long length) {
    if (direct()) {
      return view(length);
    }
    ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(length));
    device.arena.get(offset, copy);
    return copy.flip();
  }

  @Override
  public String toString() {
    return "region %s[%d, %d) %s".formatted(device.spec.name(), offset, offset + bytes, state);
  }
}
