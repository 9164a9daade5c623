package io.idlalayer.middleware.placement;

/** No placement of a graph keeps the fast device's budget. */
public final class PlanInfeasibleException extends Exception {
  private static final long serialVersionUID = 1L;

  private final long minimumFastBytes;

  /**
   * @param minimumFastBytes least budget with which the graph could run
   */
  public PlanInfeasibleException(long minimumFastBytes, long budgetBytes) {
    super(
        "the graph needs at least %,d fast bytes, the budget is %,d"
            .formatted(minimumFastBytes, budgetBytes));
    this.minimumFastBytes = minimumFastBytes;
  }

  /** Least budget with which the graph could run. */
  public long minimumFastBytes() {
    return minimumFastBytes;
  }
}
