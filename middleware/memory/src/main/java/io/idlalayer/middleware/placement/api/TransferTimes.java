package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * Predicts the times of copies and of kernels with slow arguments, in nanoseconds.
 *
 * @param slow the slow device
 * @param fast the fast one
 */
public record TransferTimes(TierModel model, DeviceSpeed slow, DeviceSpeed fast) {
  /** Returns the predicted nanoseconds of a copy from the slow device to the fast one. */
  public long copyIn(long bytes) {
    return TierModel.copyNanos(slow, fast, bytes);
  }

  /** Returns the predicted nanoseconds of a copy from the fast device to the slow one. */
  public long copyOut(long bytes) {
    return TierModel.copyNanos(fast, slow, bytes);
  }

  /** Returns the predicted nanoseconds of a copy within the fast device. */
  public long copyWithin(long bytes) {
    return TierModel.copyNanos(fast, fast, bytes);
  }

  /**
   * Returns how many nanoseconds longer a kernel takes if it reads and writes the given numbers of
   * bytes on the slow device instead of the fast one.
   *
   * @param aloneNanos its time with everything on the fast device
   */
  public double inPlace(long aloneNanos, long readBytes, long writtenBytes) {
    return (double) model.kernelNanos(slow, aloneNanos, readBytes, writtenBytes) - aloneNanos;
  }
}
