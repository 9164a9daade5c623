package io.idlalayer.middleware.lending.borrower;

/**
 * Counts of all loans of a borrower. They never fall.
 *
 * @param copiedBytes bytes that were copied to and from loans
 * @param taken loans that were taken and found useful
 * @param losses loans that were lost with their bytes
 */
public record LoanTotals(long copiedBytes, long taken, long losses) {
  /** The counts of a borrower without loans. */
  public static final LoanTotals NONE = new LoanTotals(0, 0, 0);

  /** Returns the sum of these counts and those of a lender. */
  LoanTotals plus(LoanUse use) {
    return new LoanTotals(
        copiedBytes + use.copiedBytes(), taken + use.taken(), losses + use.losses());
  }

  /** Returns the sum of two counts. */
  LoanTotals plus(LoanTotals other) {
    return new LoanTotals(
        copiedBytes + other.copiedBytes, taken + other.taken, losses + other.losses);
  }
}
