package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.copy.Extent;
import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The exclusive right to copy an object between devices and to change which of its regions is the
 * primary. Meanwhile readers continue on the region that was the primary when they began, and
 * writers wait. If a step fails, the object stays whole: a region holds all bytes before it becomes
 * the primary, and the former primary is freed afterwards. One thread at a time. Must be closed.
 */
public final class Move implements AutoCloseable {
  private final TieredMemory memory;
  private final MemObject object;
  private final AtomicInteger copies = new AtomicInteger();
  private volatile boolean open = true;

  Move(TieredMemory memory, MemObject object) {
    this.memory = memory;
    this.object = object;
  }

  /** Returns the region that programs read and write now. */
  public Region primary() {
    return object.primary();
  }

  /** Returns the object's region on a device; empty if there is none. */
  public Optional<Region> linked(DeviceId device) {
    return object.linked(device);
  }

  /**
   * Copies the primary's bytes into a linked region, which is up to date afterwards, or into a
   * region in flight.
   *
   * @throws DeviceFailureException if a device failed; the target's bytes are undefined then
   */
  public void copyTo(Region target) throws InterruptedException {
    checkTarget(target);
    if (target.parent == object) {
      target.stale = true;
    }
    copying(() -> memory.engine.copy(whole(target), whole(object.primary())));
    if (target.parent == object) {
      target.stale = false;
    }
  }

  /**
   * Starts a background copy of the primary's bytes into a region in flight. To link the region,
   * the move must stay open until the copy has ended, see {@link TieredMemory#await}. A caller that
   * gives up earlier may close the move and free the region; both take effect when the copy has
   * ended.
   *
   * @throws InterruptedException while waiting for room in the queue
   */
  public CompletableFuture<MoveReceipt> copyInBackground(Region target)
      throws InterruptedException {
    checkTarget(target);
    if (target.parent == object) {
      target.stale = true;
    }
    copies.incrementAndGet();
    target.device.fill(target);
    boolean started = false;
    try {
      CompletableFuture<MoveReceipt> copy =
          memory.engine.background(whole(target), whole(object.primary()));
      started = true;
      return copy.whenComplete((receipt, failure) -> copied(target, failure == null));
    } finally {
      if (!started) {
        copied(target, false);
      }
    }
  }

  private Extent whole(Region region) {
    return new ByteRange(region, object.bytes()).extent();
  }

  private void copied(Region target, boolean whole) {
    if (whole && target.parent == object) {
      target.stale = false;
    }
    target.device.filled(target);
    synchronized (object) {
      if (copies.decrementAndGet() == 0 && !open) {
        object.end(this);
      }
    }
  }

  /**
   * Adds a region in flight that holds the primary's bytes to the object's linked regions.
   *
   * @throws LinkConflictException if the object has a region on that device, or the region belongs
   *     to an object
   */
  public void link(Region region) {
    checkTarget(region);
    if (region.parent != null) {
      throw new LinkConflictException(region + " belongs to " + region.parent);
    }
    object.link(region);
  }

  /**
   * Makes a linked region, which must be up to date, the primary.
   *
   * @throws LinkConflictException if it is stale or not this object's
   * @throws PinnedException if the object was pinned since the move began
   */
  public void setPrimary(Region region) {
    checkOwn(region);
    object.setPrimary(region);
  }

  /**
   * Links a region in flight that holds the primary's bytes and makes it the primary; if this
   * fails, changes nothing.
   *
   * @throws LinkConflictException for the reasons that {@link #link} names
   * @throws PinnedException if the object was pinned since the move began
   */
  public void install(Region region) {
    synchronized (object) {
      if (object.pinned()) {
        throw new PinnedException(object + " was pinned while it was to move");
      }
      link(region);
      object.setPrimary(region);
    }
  }

  /**
   * Removes a region that is not the primary from the object, and frees it once no lease uses it.
   *
   * @throws LinkConflictException if it is the primary or not this object's
   */
  public void drop(Region region) {
    checkOwn(region);
    synchronized (object) {
      object.unlink(region);
      region.device.free(region, region.leases > 0);
    }
  }

  /**
   * Replaces a region of this object by a region in flight on the same device, and frees the former
   * one once no lease uses it.
   *
   * @return bytes copied: none if the region is stale
   * @throws PinnedException if the object was pinned since the move began
   */
  long relocate(Region from, Region to) throws InterruptedException {
    checkOwn(from);
    checkTarget(to);
    if (to.parent != null || from.device != to.device) {
      throw new LinkConflictException("%s cannot take the place of %s".formatted(to, from));
    }
    long copied = from.stale ? 0 : object.bytes();
    if (copied > 0) {
      copying(
          () ->
              memory.engine.copy(
                  new ByteRange(to, copied).extent(), new ByteRange(from, copied).extent()));
    }
    synchronized (object) {
      object.replace(from, to);
      from.device.free(from, from.leases > 0);
    }
    return copied;
  }

  private interface Copying {
    MoveReceipt run() throws InterruptedException;
  }

  private void copying(Copying copy) throws InterruptedException {
    copies.incrementAndGet();
    try {
      copy.run();
    } finally {
      copies.decrementAndGet();
    }
  }

  /** Returns whether this move has a copy that is under way or queued. */
  boolean copying() {
    return copies.get() > 0;
  }

  private void checkTarget(Region region) {
    checkOpen();
    if (region.device != memory.device(region.device())) {
      throw new LinkConflictException(region + " is a region of another memory");
    }
    if (region.state != RegionState.USED) {
      throw new StaleRegionException(region + " is not in use");
    }
    if (region.bytes < object.bytes()) {
      throw new LinkConflictException("%s is too small for %s".formatted(region, object));
    }
    if (region.parent != null && region.parent != object) {
      throw new LinkConflictException(region + " belongs to " + region.parent);
    }
  }

  private void checkOwn(Region region) {
    checkOpen();
    if (region.parent != object) {
      throw new LinkConflictException(region + " is not a region of " + object);
    }
  }

  private void checkOpen() {
    if (!open) {
      throw new StaleRegionException("the move of " + object + " has ended");
    }
  }

  /**
   * Ends the move; other moves and writers can begin. While background copies read the object, the
   * move ends with the last of them.
   */
  @Override
  public void close() {
    synchronized (object) {
      if (open) {
        open = false;
        if (copies.get() == 0) {
          object.end(this);
        }
      }
    }
  }
}
