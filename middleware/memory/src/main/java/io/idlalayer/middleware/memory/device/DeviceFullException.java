package io.idlalayer.middleware.memory.device;

/** Thrown if a device has no room for a request. */
public final class DeviceFullException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  private final long requestedBytes;
  private final long freeBytes;
  private final long largestFreeBytes;

  /**
   * Creates the exception for a request of some bytes.
   *
   * @param freeBytes free bytes within the budget, contiguous or not
   * @param largestFreeBytes size of the largest free region
   */
  public DeviceFullException(
      String device, long requestedBytes, long freeBytes, long largestFreeBytes) {
    super(
        "device %s has no room for %,d bytes: %,d are free, the largest piece has %,d"
            .formatted(device, requestedBytes, freeBytes, largestFreeBytes));
    this.requestedBytes = requestedBytes;
    this.freeBytes = freeBytes;
    this.largestFreeBytes = largestFreeBytes;
  }

  /** Returns the number of bytes that the request needed after alignment. */
  public long requestedBytes() {
    return requestedBytes;
  }

  /** Returns the number of free bytes within the budget, contiguous or not. */
  public long freeBytes() {
    return freeBytes;
  }

  /** Returns the size of the largest free region, in bytes. */
  public long largestFreeBytes() {
    return largestFreeBytes;
  }
}
