package io.idlalayer.benchmarks.tensors;

/**
 * The size of a network.
 *
 * @param factor factor for widths, depths and batches, above 0 and at most 1; experiments use 1,
 *     tests use small factors
 */
public record NetScale(double factor) {
  public NetScale {
    if (!(factor > 0) || factor > 1) {
      throw new IllegalArgumentException("a scale of " + factor + "; above 0 to 1 is needed");
    }
  }

  /** Returns a size times the factor, at least 2. */
  int of(int size) {
    return (int) Math.max(2, Math.round(size * factor));
  }

  /** Returns the height and width of images, which is a multiple of 8. */
  int image(int size) {
    return (int) Math.max(8, Math.round(size * Math.sqrt(factor) / 8) * 8);
  }
}
