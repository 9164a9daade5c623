package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * What the tier model expects of copies and kernels, in nanoseconds.
 *
 * @param slow the slow device
 * @param fast the fast one
 */
public record TransferTimes(TierModel model, DeviceSpeed slow, DeviceSpeed fast) {
  /** Of a copy to the fast device. */
  public long copyIn(long bytes) {
    return TierModel.copyNanos(slow, fast, bytes);
  }

  /** Of a copy to the slow device. */
  public long copyOut(long bytes) {
    return TierModel.copyNanos(fast, slow, bytes);
  }

  /** Of a copy within the fast device. */
  public long copyWithin(long bytes) {
    return TierModel.copyNanos(fast, fast, bytes);
  }

  /**
   * What a kernel takes longer if it reads and writes so much on the slow device.
   *
   * @param aloneNanos what it takes with everything on the fast one
   */
  public double inPlace(long aloneNanos, long readBytes, long writtenBytes) {
    return (double) model.kernelNanos(slow, aloneNanos, readBytes, writtenBytes) - aloneNanos;
  }
}
