package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;

/**
 * The exclusive right to read and write an object's bytes. The object does not move meanwhile and
 * its other regions are stale from the start of the lease.
 */
public final class WriteLease implements AutoCloseable {
  private final MemObject object;
  private final Region region;
  private boolean open = true;

  WriteLease(MemObject object, Region region) {
    this.object = object;
    this.region = region;
  }

  /** Returns the object that may be written. */
  public MemObject object() {
    return object;
  }

  /** Returns the region that holds the object's bytes. */
  public Region region() {
    return region;
  }

  /**
   * Returns a writable view of the object's bytes, in native order, which must not be used after
   * the lease.
   *
   * @throws StaleRegionException if the lease is closed
   */
  public ByteBuffer bytes() {
    if (!open) {
      throw new StaleRegionException(object + " is written outside its lease");
    }
    return region.view(object.bytes());
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      object.endWrite(region);
    }
  }
}
