package io.idlalayer.jobs.events;

/**
 * Placement of a model's tensors during one training, see {@code docs/memory.md}. Bytes are exact.
 *
 * @param policy the placement policy
 * @param copied copies between the devices
 * @param onSlow bytes that kernels read and wrote on the slow device directly, without a copy
 * @param arguments number of kernel arguments, by device
 * @param stallSeconds seconds that kernels and allocations waited for copies
 */
public record TensorUse(
    String policy,
    Copied copied,
    OnSlow onSlow,
    Arguments arguments,
    double stallSeconds,
    Evictions evictions,
    FastDevice fast,
    SlowDevice slow) {

  /** Bytes that were copied from one device to the other. */
  public record Copied(long fastToSlowBytes, long slowToFastBytes) {}

  /** Bytes that kernels read and wrote where they lay on the slow device. */
  public record OnSlow(long readBytes, long writtenBytes) {}

  /**
   * Arguments of kernels.
   *
   * @param hits that were on the fast device
   * @param misses that were not
   */
  public record Arguments(long hits, long misses) {}

  /**
   * Tensors that left the fast device.
   *
   * @param forced that had to leave because another needed their space
   * @param avoidedWriteBackBytes given up while only the fast device had them, or fresher
   */
  public record Evictions(long forced, long avoidedWriteBackBytes) {}

  /**
   * The fast device.
   *
   * @param bytes size of the device
   * @param highWaterBytes most bytes in use so far, over all trainings of the learner
   */
  public record FastDevice(long bytes, long highWaterBytes) {}

  /**
   * The slow device.
   *
   * @param bytes size of the device
   * @param highWaterBytes most bytes in use so far, over all trainings of the learner
   * @param readBytesPerSecond read bandwidth, measured when the learner was opened and corrected by
   *     the measured durations of later copies; policies decide by it
   */
  public record SlowDevice(
      long bytes, long highWaterBytes, double readBytesPerSecond, double writeBytesPerSecond) {}
}
