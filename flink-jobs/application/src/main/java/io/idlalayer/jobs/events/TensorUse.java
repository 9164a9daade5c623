package io.idlalayer.jobs.events;

import java.util.List;
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
 * @param loans memory that other processes lend; absent if none is borrowed
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
    @Nullable Plan plan,
    @Nullable Loans loans) {

  /**
   * The plan that the steps of a training follow.
   *
   * @param planner name of its planner; "cached-arrays" if no plan is followed, "all-fast" if none
   *     is needed because all tensors are on the fast device
   * @param planningSeconds time that planning and rehearsing took, beside the training
   * @param differingSteps number of steps whose kernels were not those that were planned
   * @param rerunKernels number of kernels of a step that run a second time, so that tensors need
   *     not be kept or moved; 0 if the plan that is followed has none
   * @param refused why plans of other planners are not followed; "" if there is no other
   */
  public record Plan(
      String planner,
      StepSeconds step,
      double planningSeconds,
      long differingSteps,
      long rerunKernels,
      String refused) {}

  /**
   * Durations of one step of training, in seconds; 0 where one is not known.
   *
   * @param predicted duration as the plan was rehearsed
   * @param measured median of the last steps
   * @param unplanned median of steps under {@code cached-arrays}
   * @param bound lower bound of the duration under any plan
   */
  public record StepSeconds(double predicted, double measured, double unplanned, double bound) {}

  /**
   * Memory that other processes lend, as a part of the slow device, at the end of a training.
   * Counts begin when the process opens its devices.
   *
   * @param bytes number of bytes that are borrowed
   * @param copiedBytes bytes that were copied to and from loans
   * @param losses number of loans that were lost with their bytes; a training that used such a loan
   *     was repeated
   * @param nanos time of writing and reading a MiB in the cheapest loan, in nanoseconds; 0 if no
   *     lender was probed
   * @param localNanos time of writing and reading a MiB in the local part of the slow device, in
   *     nanoseconds
   * @param lenders the lenders that are asked for memory
   */
  public record Loans(
      long bytes,
      long copiedBytes,
      long losses,
      long nanos,
      long localNanos,
      List<Lender> lenders) {
    public Loans {
      lenders = List.copyOf(lenders);
    }
  }

  /**
   * A lender.
   *
   * @param address HOST:PORT
   * @param bytes bytes of its loan; 0 if it lends nothing now
   * @param losses loans of it that were lost
   * @param nanos time of writing and reading a MiB there, in nanoseconds; 0 before its first probe
   */
  public record Lender(String address, long bytes, long losses, long nanos) {}

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
