package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Ratios;

/**
 * The number of samples of each trained stage that are replayed. It follows from the shares of the
 * stages. If the budget is too small, the number is reduced first in Discard, then in Mature, then
 * in Preserve (specs, iDlaLayer 1.2 point 7). The number of Newborn samples is never reduced.
 */
record ReplayPlan(int mature, int preserve, int discard) {
  /** Computes a plan from the shares and the number of samples in each stage. */
  static ReplayPlan of(Ratios ratios, int mature, int preserve, int discard, int budget) {
    int takePreserve = Math.min(share(ratios.preserve(), preserve), budget);
    int takeMature = Math.min(share(ratios.mature(), mature), budget - takePreserve);
    int takeDiscard =
        Math.min(share(ratios.discard(), discard), budget - takePreserve - takeMature);
    return new ReplayPlan(takeMature, takePreserve, takeDiscard);
  }

  private static int share(double ratio, int count) {
    return (int) Math.round(ratio * count);
  }
}
