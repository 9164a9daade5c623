package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * Expected times of copies and kernels, in nanoseconds.
 *
 * @param slow the slow device
 * @param fast the fast one
 */
public record TransferTimes(TierModel model, DeviceSpeed slow, DeviceSpeed fast) {
  /** Time of a copy to the fast device. */
  public long copyIn(long bytes) {
    return TierModel.copyNanos(slow, fast, bytes);
  }

  /** Time of a copy to the slow device. */
  public long copyOut(long bytes) {
    return TierModel.copyNanos(fast, slow, bytes);
  }

  /** Time of a copy within the fast device. */
  public long copyWithin(long bytes) {
    return TierModel.copyNanos(fast, fast, bytes);
  }

  /**
   * Returns how much longer a kernel takes if it reads and writes bytes on the slow device.
   *
   * @param aloneNanos its time with everything on the fast device
   */
  public double inPlace(long aloneNanos, long readBytes, long writtenBytes) {
    return (double) model.kernelNanos(slow, aloneNanos, readBytes, writtenBytes) - aloneNanos;
  }
}
