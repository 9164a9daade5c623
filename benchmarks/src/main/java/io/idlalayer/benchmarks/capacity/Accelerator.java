package io.idlalayer.benchmarks.capacity;

/**
 * A device that multiplies matrices, output stationary and double buffered (Kwon 2018, table II).
 * What the copy of the paper lost is a default that others recall.
 *
 * @param elements processing elements
 * @param multiplications multiplications of an element in a cycle
 * @param hertz cycles a second
 * @param bytesPerSecond of its memory
 * @param latencyCycles cycles until the first byte comes
 */
record Accelerator(
    int elements,
    int multiplications,
    double hertz,
    double bytesPerSecond,
    int latencyCycles,
    int bytesPerNumber) {
  /** The device of the paper. */
  static final Accelerator PAPER = new Accelerator(1024, 125, 1e9, 900e9, 100, 4);

  /** Seconds of a product of an m x k and a k x n matrix: of computing or of moving. */
  double seconds(double m, double n, double k) {
    double cycles = Math.ceil(m * n / elements) * Math.ceil(k / multiplications);
    double bytes = (m * k + k * n + m * n) * bytesPerNumber;
    return Math.max(cycles / hertz, passSeconds(bytes));
  }

  /** Seconds of reading or writing bytes. */
  double passSeconds(double bytes) {
    return bytes / bytesPerSecond + latencyCycles / hertz;
  }

  Accelerator timesAsFast(double factor) {
    return new Accelerator(
        elements, multiplications, hertz * factor, bytesPerSecond, latencyCycles, bytesPerNumber);
  }

  Accelerator withBytesPerNumber(int bytes) {
    return new Accelerator(elements, multiplications, hertz, bytesPerSecond, latencyCycles, bytes);
  }
}
