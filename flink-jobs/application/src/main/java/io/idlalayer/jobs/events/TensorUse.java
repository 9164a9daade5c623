package io.idlalayer.jobs.events;

import org.jspecify.annotations.Nullable;

/**
 * Placement of a model's tensors during one training, see {@code docs/memory.md}. Bytes are exact.
 *
 * @param policy the placement policy
 * @param copied copies between the devices
 * @param onSlow bytes that kernels read and wrote on the slow device directly, without a copy
 * @param arguments number of kernel arguments, by device
 * @param stallSeconds seconds that kernels and allocations waited for copies
 * @param plan the plan of the training step with the most bytes; absent if the policy plans none
 */
public record TensorUse(
    String policy,
    Copied copied,
    OnSlow onSlow,
    Arguments arguments,
    double stallSeconds,
    Evictions evictions,
    FastDevice fast,
    SlowDevice slow,
    @Nullable Plan plan) {

  /**
   * The plan that the steps of a training follow.
   *
   * @param planner name of its planner; "cached-arrays" if no plan is followed, "all-fast" if none
   *     is needed because all tensors are on the fast device
   * @param planningSeconds time that planning and rehearsing took, beside the training
   * @param differingSteps number of steps whose kernels were not those that were planned
   * @param refused why plans of other planners are not followed; "" if there is no other
   */
  public record Plan(
      String planner,
      StepSeconds step,
      double planningSeconds,
      long differingSteps,
      String refused) {}

  /**
   * Durations of one step of training, in seconds; 0 where one is not known.
   *
   * @param predicted duration as the plan was rehearsed
   * @param measured median of the last steps
   * @param unplanned median of steps under {@code cached-arrays}
   * @param bound no plan is faster
   */
  public record StepSeconds(double predicted, double measured, double unplanned, double bound) {}

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
