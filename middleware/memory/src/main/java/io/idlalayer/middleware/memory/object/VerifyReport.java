package io.idlalayer.middleware.memory.object;

import java.util.List;

/**
 * What an audit found.
 *
 * @param problems broken invariants, with what breaks them; none if the memory is sound
 * @param regionsInFlight used regions without an object: allocated, but not adopted or linked yet
 * @param quarantined regions that wait for their last lease
 */
public record VerifyReport(List<String> problems, int regionsInFlight, int quarantined) {
  /** Whether every invariant holds. */
  public boolean sound() {
    return problems.isEmpty();
  }
}
