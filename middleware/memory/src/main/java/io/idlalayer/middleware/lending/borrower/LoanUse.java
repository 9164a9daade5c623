package io.idlalayer.middleware.lending.borrower;

/**
 * The loan of a lender to this process, and its use.
 *
 * @param bytes size of the present loan; 0 if there is none
 * @param copiedBytes bytes that were copied to and from loans of this lender
 * @param taken loans that were taken and found useful
 * @param losses loans that were lost with their bytes
 * @param roundTripNanos time of writing and reading a MiB in nanoseconds, from the last probe and
 *     the copies since; 0 before the first probe
 */
public record LoanUse(
    LenderAddress lender,
    long bytes,
    long copiedBytes,
    long taken,
    long losses,
    long roundTripNanos) {}
