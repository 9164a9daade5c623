package io.idlalayer.middleware.models.storage.object;

import java.io.IOException;

/** Opens object stores; found as a {@link java.util.ServiceLoader service}. */
public interface ObjectBucketProvider {
  /** Scheme of the addresses that it opens, as {@code s3}. */
  String scheme();

  /**
   * Looks whether something is an address.
   *
   * @param address with that scheme
   * @throws IllegalArgumentException saying what an address looks like, without repeating this one,
   *     which may have a password
   */
  void check(String address);

  /**
   * Opens a part of an object store. Nothing is asked of it yet.
   *
   * @param address with that scheme
   * @throws IllegalArgumentException as {@link #check} does
   * @throws IOException if it cannot be used from here, for example without a region
   */
  ObjectBucket open(String address) throws IOException;
}
