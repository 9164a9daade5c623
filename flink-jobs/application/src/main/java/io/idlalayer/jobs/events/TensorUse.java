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

  /** Bytes that kernels read and wrote directly on the slow device. */
  public record OnSlow(long readBytes, long writtenBytes) {}

  /**
   * Numbers of kernel arguments.
   *
   * @param hits arguments that were on the fast device
   * @param misses arguments that were on the slow device
   */
  public record Arguments(long hits, long misses) {}

  /**
   * Evictions from the fast device.
   *
   * @param forced number of evictions because another tensor needed the space
   * @param avoidedWriteBackBytes bytes of tensors that were freed while the slow device had no
   *     copy, or an older one
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
