package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.lending.borrower.LoanUse;
import java.util.List;

/**
 * The places of a slow device that are in memory of other processes.
 *
 * @param localNanos time of writing and reading a MiB on the local place, in nanoseconds
 * @param lenders use of each lender
 */
public record LentPlaces(long localNanos, List<LoanUse> lenders) {
  public LentPlaces {
    lenders = List.copyOf(lenders);
  }

  /** Returns the number of loans that were taken so far. */
  long taken() {
    return lenders.stream().mapToLong(LoanUse::taken).sum();
  }
}
