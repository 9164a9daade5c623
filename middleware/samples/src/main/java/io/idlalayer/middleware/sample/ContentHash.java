package io.idlalayer.middleware.sample;

/**
 * The 128-bit hash ({@link ContentHasher}) of a sample's features and label, and of its event's id
 * if that has one. Two samples with the same hash are taken to be the same sample: at 10^9 stored
 * samples the chance of one false match is below 10^-20.
 */
public record ContentHash(long high, long low) {
  /** Returns a hash that no sample's content has, for a sample whose label was withdrawn. */
  public ContentHash complement() {
    return new ContentHash(~high, ~low);
  }
}
