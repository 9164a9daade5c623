package io.idlalayer.middleware.models.storage.object;

import java.io.IOException;

/**
 * Opens object stores by their addresses; providers are found as a {@link java.util.ServiceLoader
 * service}.
 */
public interface ObjectBucketProvider {
  /** Returns the scheme of the addresses that this provider opens, for example {@code s3}. */
  String scheme();

  /**
   * Checks whether a text is the address of an object store.
   *
   * @param address with that scheme
   * @throws IllegalArgumentException if it is not. The message says what an address looks like, and
   *     does not repeat this address, which might have a password
   */
  void check(String address);

  /**
   * Opens the objects below an address in an object store. Sends no request yet.
   *
   * @param address address with the scheme of this provider
   * @throws IllegalArgumentException if {@link #check} refuses the address
   * @throws IOException if the store cannot be used with this process's settings, for example
   *     without a region
   */
  ObjectBucket open(String address) throws IOException;
}
