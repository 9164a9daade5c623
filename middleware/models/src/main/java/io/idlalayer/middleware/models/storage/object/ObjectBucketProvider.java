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
   * Opens a part of an object store. Sends no request yet.
   *
   * @param address address with the scheme of this provider
   * @throws IllegalArgumentException if {@link #check} refuses the address
   * @throws IOException if the store cannot be used with this process's settings, for example
   *     without a region
   */
  ObjectBucket open(String address) throws IOException;
}
