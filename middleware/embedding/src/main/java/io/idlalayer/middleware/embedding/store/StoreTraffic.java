package io.idlalayer.middleware.embedding.store;

/**
 * What a learner read from a durable store and wrote to it since it was opened.
 *
 * @param readBytes of entries that were found
 * @param writtenBytes of entries; how many the store's own files take is not known
 * @param waitSeconds how long the learner's thread took to read, until it had copies
 */
public record StoreTraffic(long readBytes, long writtenBytes, double waitSeconds) {
  /** Nothing. */
  public static final StoreTraffic NONE = new StoreTraffic(0, 0, 0);

  /** Adds the traffic of another store. */
  public StoreTraffic plus(StoreTraffic other) {
    return new StoreTraffic(
        readBytes + other.readBytes,
        writtenBytes + other.writtenBytes,
        waitSeconds + other.waitSeconds);
  }
}
