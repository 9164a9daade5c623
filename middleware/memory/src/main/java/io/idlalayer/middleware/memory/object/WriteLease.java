package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;

/**
 * The right to read and write an object, for one holder at a time. The object does not move
 * meanwhile and its other regions are stale from the start of the lease.
 */
public final class WriteLease implements AutoCloseable {
  private final MemObject object;
  private final Region region;
  private boolean open = true;

  WriteLease(MemObject object, Region region) {
    this.object = object;
    this.region = region;
  }

  /** What is written. */
  public MemObject object() {
    return object;
  }

  /** Where the bytes are. */
  public Region region() {
    return region;
  }

  /**
   * Returns the object's bytes in native order; a view that must not be used after the lease.
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
