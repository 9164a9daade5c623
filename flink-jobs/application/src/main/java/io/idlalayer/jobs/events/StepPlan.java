package io.idlalayer.jobs.events;

import java.util.List;

/**
 * The plan that the training step with the most bytes follows, with the bytes of its tensors over
 * its kernels, see {@code docs/memory.md}. Each list has one number for each point of the step:
 * some kernels that run one after another.
 *
 * @param planner name of its planner; "cached-arrays" if no plan is followed, "all-fast" if none is
 *     needed
 * @param refused why plans of other planners are not followed; "" if there is no other planner
 * @param kernels number of kernels of the step
 * @param kernelsPerPoint number of kernels of each point; the last point can have fewer
 * @param backwardKernel index of the first kernel of the backward pass; -1 if there is none
 * @param updateKernel index of the first kernel that updates parameters; -1 if there is none
 * @param budgetBytes largest number of bytes that tensors can take on the fast device
 * @param peakBytes most bytes of tensors that are alive at a time
 * @param aliveBytes bytes of tensors that are alive
 * @param fastBytes bytes of tensors on the fast device; without a plan, all tensors that are alive
 * @param fetchedBytes bytes that start to move to the fast device
 * @param writtenBackBytes bytes that start to be copied to the slow device and stay on the fast
 *     device
 * @param evictedBytes bytes that leave the fast device
 */
public record StepPlan(
    String planner,
    String refused,
    int kernels,
    int kernelsPerPoint,
    int backwardKernel,
    int updateKernel,
    long budgetBytes,
    long peakBytes,
    List<Long> aliveBytes,
    List<Long> fastBytes,
    List<Long> fetchedBytes,
    List<Long> writtenBackBytes,
    List<Long> evictedBytes) {
  /** Returns this plan with other reasons why plans are not followed. */
  public StepPlan because(String reasons) {
    return new StepPlan(
        planner,
        reasons,
        kernels,
        kernelsPerPoint,
        backwardKernel,
        updateKernel,
        budgetBytes,
        peakBytes,
        aliveBytes,
        fastBytes,
        fetchedBytes,
        writtenBackBytes,
        evictedBytes);
  }
}
