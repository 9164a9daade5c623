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
 * @param plan the plan of the training step with the most bytes; absent if the policy plans no
 *     steps
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
   * @param planningSeconds time that planning and rehearsing took, in parallel to the training
   * @param differingSteps number of steps whose kernels differed from the planned kernels
   * @param rerunKernels number of kernels of a step that run a second time, so that tensors need
   *     not be kept or moved; 0 if the plan that is followed has none
   * @param refused why plans of other planners are not followed; "" if there is no other planner
   */
  public record Plan(
      String planner,
      StepSeconds step,
      double planningSeconds,
      long differingSteps,
      long rerunKernels,
      String refused) {}

  /**
   * Durations of one step of training, in seconds; 0 if a duration is not known.
   *
   * @param predicted duration in the rehearsal of the plan
   * @param measured median duration of the last steps
   * @param unplanned median duration of steps under {@code cached-arrays}
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
   * @param bytes bytes of the lender's loan; 0 if it lends nothing now
   * @param losses number of the lender's loans that were lost
   * @param nanos time of writing and reading a MiB in the lender's memory, in nanoseconds; 0 before
   *     its first probe
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
   *     copy, or only an older copy
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
   *     the measured durations of later copies; policies use it for decisions
   */
  public record SlowDevice(
      long bytes, long highWaterBytes, double readBytesPerSecond, double writeBytesPerSecond) {}
}
