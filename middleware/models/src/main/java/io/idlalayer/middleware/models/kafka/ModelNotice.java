package io.idlalayer.middleware.models.kafka;

/**
 * What the compacted {@code models} topic says: a hint that a version exists. The pointer on disk
 * is the truth.
 *
 * @param digest SHA-256 of the manifest
 * @param publishedAtMillis epoch milliseconds at which the pointer moved
 */
public record ModelNotice(
    String application, int partition, long version, String digest, long publishedAtMillis) {
  /** Key of the notice on the compacted topic. */
  public String key() {
    return partition == 0 ? application : application + "/" + partition;
  }
}
