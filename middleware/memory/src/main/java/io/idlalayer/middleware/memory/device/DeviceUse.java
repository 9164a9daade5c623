package io.idlalayer.middleware.memory.device;

/**
 * The occupied and the free bytes of a device.
 *
 * @param budgetBytes most that may be occupied
 * @param occupiedBytes size of the regions that are used or in quarantine
 * @param highWaterBytes most bytes that were ever occupied
 * @param largestFreeBytes size of the largest free region
 */
public record DeviceUse(
    DeviceSpec spec,
    long budgetBytes,
    long occupiedBytes,
    long highWaterBytes,
    long largestFreeBytes) {
  /** Returns the number of bytes of the whole device that no region occupies. */
  public long freeBytes() {
    return spec.capacityBytes() - occupiedBytes;
  }

  /** Returns the share of the free bytes that lie outside of the largest free region, 0 to 1. */
  public double fragmentation() {
    return freeBytes() == 0 ? 0 : 1 - (double) largestFreeBytes / freeBytes();
  }
}
