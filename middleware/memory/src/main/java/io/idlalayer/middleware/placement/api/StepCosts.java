package io.idlalayer.middleware.placement.api;

import java.util.List;

/**
 * The time of a training step with more or less fast memory. The times come from rehearsals; {@code
 * measuredNanos} corrects them.
 *
 * @param steps number of training steps that have run in this memory
 * @param budgetBytes budget of the fast device in these steps
 * @param measuredNanos median duration of the last steps by the memory's clock, above 0
 * @param complete whether every size has been rehearsed; if not, further points follow
 * @param points ascending in bytes; sizes in which the step does not fit are not among them
 */
public record StepCosts(
    long steps, long budgetBytes, long measuredNanos, boolean complete, List<Point> points) {
  /**
   * The rehearsed duration of a step in a size of the fast device.
   *
   * @param bytes above 0
   * @param nanos above 0
   */
  public record Point(long bytes, long nanos) {}

  public StepCosts {
    points = List.copyOf(points);
  }

  /** Returns these costs with another number of steps. */
  public StepCosts withSteps(long number) {
    return new StepCosts(number, budgetBytes, measuredNanos, complete, points);
  }
}
