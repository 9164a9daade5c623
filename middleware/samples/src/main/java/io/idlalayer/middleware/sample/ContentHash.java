package io.idlalayer.middleware.sample;

/**
 * The 128-bit hash ({@link ContentHasher}) of a sample's features and label. Two samples with the
 * same hash count as equal. With 10^9 stored samples, the probability of a wrong match is below
 * 10^-20.
 */
public record ContentHash(long high, long low) {
  /** Returns a hash that no sample's content has, for a sample whose label was withdrawn. */
  public ContentHash complement() {
    return new ContentHash(~high, ~low);
  }
}
