package io.idlalayer.middleware.placement.plan.autotm;

/** The costs of the choices for one tensor. A choice that is not possible costs infinity. */
interface Charges {
  /** Returns the cost of being fast at a use and, at its last one, until it is retired. */
  double fast(Flow flow, int use);

  /** Returns the cost of being slow at a use. */
  double slow(Flow flow, int use);

  /** Finds out what a gap costs. */
  void gap(Flow flow, int gap, GapCosts into);
}
