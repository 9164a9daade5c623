package io.idlalayer.middleware.placement.plan.autotm;

/** What a plan may do with a tensor, and when it may copy. */
public enum Form {
  /** A tensor is on one device for its whole life; nothing is copied. */
  STATIC("autotm-static"),
  /** Copies are made between kernels, and everything waits for them. */
  SYNCHRONOUS("autotm-sync"),
  /**
   * Copies are made beside kernels, in a window of several kernels. What will not change before a
   * tensor leaves is copied as soon as it was written.
   */
  WINDOWS("autotm");

  private final String planner;

  Form(String planner) {
    this.planner = planner;
  }

  /** Returns the name of the planner of this form. */
  String planner() {
    return planner;
  }
}
