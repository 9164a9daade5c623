package io.idlalayer.middleware.models.kafka;

/**
 * A record of the compacted {@code models} topic: a hint that a version exists. The pointer in the
 * store is authoritative.
 *
 * @param digest SHA-256 of the manifest
 * @param publishedAtMillis epoch milliseconds at which the pointer moved
 */
public record ModelNotice(
    String application, int partition, long version, String digest, long publishedAtMillis) {
  /** Returns the key of the notice's record on the compacted topic. */
  public String key() {
    return partition == 0 ? application : application + "/" + partition;
  }
}
