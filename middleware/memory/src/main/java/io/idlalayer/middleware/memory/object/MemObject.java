package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a tensor: one region on one device, or linked regions on several devices, one of
 * which is the primary. Programs read and write the primary; a write makes the others stale until
 * the bytes are copied to them.
 *
 * <p>Any thread. Structure and leases change under the object's monitor, which is taken before a
 * device's lock and never held during a copy.
 */
public final class MemObject {
  /** A reader lets a waiting writer go first for at most its own timeout divided by this number. */
  private static final int PATIENCE = 4;

  private final TieredMemory memory;
  private final long id;
  private final long bytes;

  /** This object's regions, by device index; null where it has none. */
  private final @Nullable Region[] copies;

  private volatile @Nullable Region primary;
  private volatile int pins;
  private final List<Thread> reading = new ArrayList<>(1);
  private volatile int readers;
  private int waitingWriters;
  private volatile @Nullable Thread writer;
  private volatile @Nullable Move move;
  private volatile long version;

  MemObject(TieredMemory memory, long id, long bytes, Region primary) {
    this.memory = memory;
    this.id = id;
    this.bytes = bytes;
    copies = new Region[memory.deviceCount()];
    copies[primary.device.id.index()] = primary;
    this.primary = primary;
    primary.parent = this;
  }

  /** Returns the number of this object, unique and ascending in its memory, from 1. */
  public long id() {
    return id;
  }

  /** Returns the requested size; the object's regions may be larger because of alignment. */
  public long bytes() {
    return bytes;
  }

  /** Returns the number of write leases that were taken so far. */
  public long version() {
    return version;
  }

  /** Returns whether this object was retired, which freed its regions. */
  public boolean retired() {
    return primary == null;
  }

  /** Returns the kind of leases that are held on this object now. */
  public ObjectAccess access() {
    if (writer != null) {
      return ObjectAccess.READ_WRITE;
    }
    return readers > 0 ? ObjectAccess.READ_ONLY : ObjectAccess.NOT_BUSY;
  }

  /** Returns whether at least one pin keeps this object from moving. */
  public boolean pinned() {
    return pins > 0;
  }

  /**
   * Returns whether a linked region is older than the primary, so that freeing the primary would
   * lose bytes.
   */
  public boolean dirty() {
    synchronized (this) {
      for (Region copy : copies) {
        if (copy != null && copy.stale) {
          return true;
        }
      }
      return false;
    }
  }

  /** Returns whether the primary is the only region of this object. */
  public boolean unlinked() {
    synchronized (this) {
      int count = 0;
      for (Region copy : copies) {
        count += copy == null ? 0 : 1;
      }
      return count <= 1;
    }
  }

  /**
   * Returns the primary: the region that programs read and write.
   *
   * @throws RetiredObjectException if it was retired
   */
  public Region primary() {
    Region now = primary;
    if (now == null) {
      throw new RetiredObjectException(this + " was retired");
    }
    return now;
  }

  /**
   * Returns the primary, or null once this object was retired. Takes no lock, so the answer may be
   * out of date.
   */
  public @Nullable Region where() {
    return primary;
  }

  /** Returns whether the primary of this object lies on a device. */
  public boolean in(DeviceId device) {
    Region now = primary;
    return now != null && now.in(device);
  }

  /** Returns this object's region on a device, primary or not; empty if there is none. */
  public Optional<Region> linked(DeviceId device) {
    synchronized (this) {
      return Optional.ofNullable(copies[device.index()]);
    }
  }

  /** Returns whether a pin, a lease or a move keeps this object where it is. */
  boolean busy() {
    return pins > 0 || readers > 0 || writer != null || move != null;
  }

  void pin() {
    synchronized (this) {
      primary();
      pins++;
    }
  }

  void unpin() {
    synchronized (this) {
      if (pins == 0) {
        throw new IllegalStateException(this + " is not pinned");
      }
      pins--;
      notifyAll();
    }
  }

  /**
   * Waits for the current writer and begins a read lease; a thread may read an object that it
   * writes. A waiting writer goes first, because overlapping readers would otherwise keep it out
   * for ever. There are two exceptions, because threads could otherwise wait for each other: a
   * thread that reads the object already does not wait, and a writer goes first for a limited time
   * only.
   */
  Region beginRead(long timeoutNanos) throws InterruptedException {
    synchronized (this) {
      BoundedWait waiting = new BoundedWait(this, timeoutNanos, "reading");
      Thread reader = Thread.currentThread();
      long arrived = version;
      while (writer != null && writer != reader) {
        arrived = -1;
        waiting.once();
      }
      while (waitingWriters > 0
          && move == null
          && version == arrived
          && !reading.contains(reader)) {
        if (!waiting.within(timeoutNanos / PATIENCE)) {
          break;
        }
      }
      while (writer != null && writer != reader) {
        waiting.once();
      }
      Region now = primary();
      reading.add(reader);
      readers = reading.size();
      now.leases++;
      return now;
    }
  }

  /** Waits for moves, readers and writers, and begins a write lease. */
  Region beginWrite(long timeoutNanos) throws InterruptedException {
    synchronized (this) {
      BoundedWait waiting = new BoundedWait(this, timeoutNanos, "writing");
      waitingWriters++;
      try {
        while (move != null || writer != null || readers > 0) {
          waiting.once();
        }
      } finally {
        waitingWriters--;
        notifyAll();
      }
      Region now = primary();
      writer = Thread.currentThread();
      version++;
      now.leases++;
      spoil();
      return now;
    }
  }

  /** Marks all regions but the primary as stale. The caller holds the monitor. */
  private void spoil() {
    for (Region copy : copies) {
      if (copy != null && copy != primary) {
        copy.stale = true;
      }
    }
  }

  void endRead(Region region, Thread reader) {
    synchronized (this) {
      reading.remove(reader);
      readers = reading.size();
      end(region);
    }
  }

  void endWrite(Region region) {
    synchronized (this) {
      writer = null;
      end(region);
    }
  }

  private void end(Region region) {
    synchronized (this) {
      region.leases--;
      if (region.state == RegionState.QUARANTINE) {
        region.device.release(region);
      }
      notifyAll();
    }
  }

  /** Starts a move once the current one has ended, unless the object is pinned or written. */
  void begin(Move next, long timeoutNanos) throws InterruptedException {
    synchronized (this) {
      BoundedWait waiting = new BoundedWait(this, timeoutNanos, "moving");
      while (move != null) {
        waiting.once();
      }
      primary();
      checkUnpinned();
      if (writer != null) {
        throw new PinnedException(this + " is being written and cannot move");
      }
      move = next;
    }
  }

  private void checkUnpinned() {
    if (pins > 0) {
      throw new PinnedException(this + " is pinned and cannot move");
    }
  }

  void end(Move ended) {
    synchronized (this) {
      if (move == ended) {
        move = null;
        notifyAll();
      }
    }
  }

  /** Starts a move unless a pin, a lease or another move prevents it; never waits. */
  boolean beginIdle(Move next) {
    synchronized (this) {
      if (primary == null || busy()) {
        return false;
      }
      move = next;
      return true;
    }
  }

  /**
   * Returns the number of chunks copied so far if a move of this object is copying now, otherwise
   * -1. A change of the number shows waiting threads that the move makes progress.
   */
  long progress() {
    Move now = move;
    return now != null && now.copying() ? memory.engine.progress() : -1;
  }

  /** Replaces a region of this object by another one on the same device. */
  void replace(Region from, Region to) {
    synchronized (this) {
      checkUnpinned();
      copies[from.device.id.index()] = to;
      to.stale = from.stale;
      to.parent = this;
      if (primary == from) {
        primary = to;
      }
      from.parent = null;
      from.stale = false;
    }
  }

  void link(Region region) {
    synchronized (this) {
      Region there = copies[region.device.id.index()];
      if (there != null) {
        throw new LinkConflictException(
            "%s has %s already; a second one on that device cannot be linked"
                .formatted(this, there));
      }
      copies[region.device.id.index()] = region;
      region.parent = this;
      region.stale = false;
    }
  }

  void unlink(Region region) {
    synchronized (this) {
      if (region == primary) {
        throw new LinkConflictException(region + " is the primary of " + this);
      }
      copies[region.device.id.index()] = null;
      region.parent = null;
      region.stale = false;
    }
  }

  void setPrimary(Region region) {
    synchronized (this) {
      if (region.stale) {
        throw new LinkConflictException(region + " is older than the primary of " + this);
      }
      checkUnpinned();
      primary = region;
    }
  }

  /**
   * Frees all regions of this object without copying their bytes. Returns false if that was done
   * before.
   */
  boolean retire(long timeoutNanos) throws InterruptedException {
    synchronized (this) {
      BoundedWait waiting = new BoundedWait(this, timeoutNanos, "retiring");
      while (move != null) {
        waiting.once();
      }
      if (primary == null) {
        return false;
      }
      if (pins > 0) {
        throw new PinnedException(this + " is pinned and cannot be retired");
      }
      primary = null;
      for (int i = 0; i < copies.length; i++) {
        Region copy = copies[i];
        if (copy != null) {
          copies[i] = null;
          copy.parent = null;
          copy.device.free(copy, copy.leases > 0);
        }
      }
      notifyAll();
      return true;
    }
  }

  void audit(Audit audit) {
    synchronized (this) {
      audit.object(this, primary, copies, move != null);
    }
  }

  TieredMemory memory() {
    return memory;
  }

  @Override
  public String toString() {
    return "object %d of %,d bytes".formatted(id, bytes);
  }
}
