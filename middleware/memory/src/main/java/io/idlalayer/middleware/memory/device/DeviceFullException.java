package io.idlalayer.middleware.memory.device;

/** A device has no room for a request. */
public final class DeviceFullException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  private final long requestedBytes;
  private final long freeBytes;
  private final long largestFreeBytes;

  /**
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

  /** Bytes that were asked for, after alignment. */
  public long requestedBytes() {
    return requestedBytes;
  }

  /** Free bytes within the budget, contiguous or not. */
  public long freeBytes() {
    return freeBytes;
  }

  /** Bytes of the largest free region. */
  public long largestFreeBytes() {
    return largestFreeBytes;
  }
}
