package io.idlalayer.middleware.memory.object;

import java.util.List;

/**
 * The result of checking a memory's invariants.
 *
 * @param problems violated invariants, each with what violates it; empty if there are none
 * @param regionsInFlight regions that are allocated and neither adopted nor linked yet
 * @param quarantined regions that wait for their last lease
 */
public record VerifyReport(List<String> problems, int regionsInFlight, int quarantined) {
  /** Returns whether the check found no violated invariant. */
  public boolean sound() {
    return problems.isEmpty();
  }
}
