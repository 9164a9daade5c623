package io.idlalayer.middleware.capacity.bound;

/**
 * Costs of a byte that crosses the slow device's interface.
 *
 * @param copyIn from slow to fast
 * @param copyOut from fast to slow
 * @param readInPlace by a kernel, on the slow device
 * @param writeInPlace by a kernel, on the slow device
 */
record TransferCosts(double copyIn, double copyOut, double readInPlace, double writeInPlace) {
  /** Every crossing counts as one byte. */
  static final TransferCosts BYTES = new TransferCosts(1, 1, 1, 1);

  /** Most that one use of a byte on the slow device costs. */
  double most() {
    return Math.max(readInPlace, copyIn) + Math.max(writeInPlace, copyOut);
  }
}
