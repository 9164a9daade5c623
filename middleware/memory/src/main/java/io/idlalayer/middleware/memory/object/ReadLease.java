package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The right to read an object's bytes, which do not move until the lease is closed. */
public final class ReadLease implements AutoCloseable {
  private final MemObject object;
  private final Region region;
  private final Thread reader = Thread.currentThread();
  private boolean open = true;

  ReadLease(MemObject object, Region region) {
    this.object = object;
    this.region = region;
  }

  /** Returns the region that holds the object's bytes. */
  public Region region() {
    return region;
  }

  /**
   * Returns a read-only view of the object's bytes, in native order, which must not be used after
   * the lease.
   *
   * @throws StaleRegionException if the lease is closed
   */
  public ByteBuffer bytes() {
    if (!open) {
      throw new StaleRegionException(object + " is read outside its lease");
    }
    ByteBuffer view = region.view(object.bytes());
    return view.asReadOnlyBuffer().order(view.order());
  }

  /**
   * Copies bytes of the object into a buffer, from its position to its limit. This is possible
   * wherever the bytes are.
   *
   * @param offset offset of the first byte in the object
   * @throws StaleRegionException if the lease is closed
   * @throws IndexOutOfBoundsException if the object has fewer bytes
   */
  public void copy(long offset, ByteBuffer into) {
    if (!open) {
      throw new StaleRegionException(object + " is read outside its lease");
    }
    Objects.checkFromIndexSize(offset, into.remaining(), object.bytes());
    region.copy(offset, into);
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      object.endRead(region, reader);
    }
  }
}
