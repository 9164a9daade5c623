package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.lending.borrower.LoanTotals;
import io.idlalayer.middleware.lending.borrower.LoanUse;
import java.util.List;

/**
 * The places of a slow device that are in memory of other processes.
 *
 * @param localNanos time of writing and reading a MiB on the local place, in nanoseconds
 * @param lenders use of each lender that was asked
 * @param totals counts of all loans so far
 */
public record LentPlaces(long localNanos, List<LoanUse> lenders, LoanTotals totals) {
  public LentPlaces {
    lenders = List.copyOf(lenders);
  }
}
