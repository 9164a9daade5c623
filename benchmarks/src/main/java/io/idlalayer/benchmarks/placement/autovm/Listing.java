package io.idlalayer.benchmarks.placement.autovm;

/** The two forms of the source's search for the start of a prefetch. */
public enum Listing {
  /**
   * The listing as it is printed: an operation above the limit of memory ends the search without a
   * result, and the result is the operation nearest to the consumer, at which a copy that is longer
   * than this operation starts too late.
   */
  PRINTED,
  /**
   * The listing as the text describes it: the window shrinks until it fits, and the copy starts at
   * its first operation.
   */
  CORRECTED
}
