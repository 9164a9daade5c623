package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TransferTimes;

/**
 * The devices that a step is planned for.
 *
 * @param fastBytes budget of the fast device, above 0
 * @param times predictor of the times of copies and of kernels with slow arguments
 * @param granuleBytes unit to which the sizes of objects are rounded up, above 0
 * @param pieceBytes size of the pieces of the fast device, above 0; no object crosses a multiple of
 *     it
 * @param seed seed of a planner that draws random numbers
 */
public record PlanDevices(
    long fastBytes, TransferTimes times, long granuleBytes, long pieceBytes, long seed) {
  /** Seed that is used where none is given. */
  private static final long DEFAULT_SEED = 1;

  public PlanDevices {
    if (fastBytes <= 0 || granuleBytes <= 0) {
      throw new IllegalArgumentException(
          "a fast device of %d bytes in units of %d bytes; both must be above 0"
              .formatted(fastBytes, granuleBytes));
    }
    if (pieceBytes <= 0) {
      throw new IllegalArgumentException(
          "a fast device in pieces of %d bytes; it must be above 0".formatted(pieceBytes));
    }
  }

  /** Creates devices whose pieces have the size that arenas in DRAM have. */
  public PlanDevices(long fastBytes, TransferTimes times, long granuleBytes, long seed) {
    this(fastBytes, times, granuleBytes, DirectArena.DEFAULT_PIECE_BYTES, seed);
  }

  /** Returns the devices of a memory, with the measured speed of its slow device. */
  public static PlanDevices of(MemoryView view) {
    long pieceBytes = view.fastPieceBytes();
    if (pieceBytes >= view.fast().spec().capacityBytes()) {
      // A larger device, which a rehearsal may try, would not have pieces of this size.
      pieceBytes = Math.max(pieceBytes, DirectArena.DEFAULT_PIECE_BYTES);
    }
    return new PlanDevices(
        view.fast().budgetBytes(),
        view.times(),
        view.fast().spec().alignBytes(),
        pieceBytes,
        DEFAULT_SEED);
  }

  /** Returns these devices with another budget of the fast one. */
  public PlanDevices withFastBytes(long bytes) {
    return new PlanDevices(bytes, times, granuleBytes, pieceBytes, seed);
  }

  /** Returns the bytes that an object of a size takes on the fast device. */
  public long alignedBytes(long bytes) {
    return (bytes + granuleBytes - 1) / granuleBytes * granuleBytes;
  }
}
