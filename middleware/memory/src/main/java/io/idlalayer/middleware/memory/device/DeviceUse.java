package io.idlalayer.middleware.memory.device;

/**
 * The use of a device's bytes.
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
  /** Bytes that no region occupies, in the whole device. */
  public long freeBytes() {
    return spec.capacityBytes() - occupiedBytes;
  }

  /** Share of the free bytes outside of the largest free region, 0 to 1. */
  public double fragmentation() {
    return freeBytes() == 0 ? 0 : 1 - (double) largestFreeBytes / freeBytes();
  }
}
